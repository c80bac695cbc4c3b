#!/usr/bin/env python3
"""The goals of the viewer, measured: python3 benches/view/goals.py [GOAL…] [--rebut target/release/rebut] [--mock …]

The viewer runs on one core, everything else on the other. Goals: screen, spectators, night, many, long, long_live, noted_live,
cuts, open, votes, weight, shutdown, bundle; all of them without a name. Prints one row per figure; a figure that misses its goal
says so, and nothing is asserted. Chromium, Node and npm are needed for screen, long, long_live, open, weight and parts of others,
which say so where they lack."""

import argparse
import asyncio
import contextlib
import http.client
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import zlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

import cost  # noqa: E402

SCRATCH = ROOT / "target" / "view" / str(os.getpid())
OWN, OTHER = {0}, {1}
JOB = """\
format: knockout
topic: Should cities ban private cars from their centres?
rounds: {rounds}
repeat: {repeat}
x: {{position: In favour}}
y:
  - {{name: One, position: Against}}
  - {{name: Two}}
  - {{name: Three}}
  - {{name: Four}}
"""
# A machine that speaks as fast as a small model on one graphics card, four at a time.
PACED = ["--parallel", "4", "--reply-speed", "20", "--prompt-speed", "4000", "--scale", "1"]
QUICK = ["--parallel", "4", "--reply-speed", "60", "--prompt-speed", "20000", "--scale", "1"]
options = None
rows = []


def row(goal, what, wanted, figure, is_reached):
    """Notes a figure; `None` where no goal was set."""
    mark = {True: "reached", False: "**missed**", None: "–"}[is_reached]
    rows.append([goal, what, wanted, figure, mark])
    print("| " + " | ".join(rows[-1]) + " |", flush=True)


# --- Processes


def fresh(name):
    SCRATCH.mkdir(parents=True, exist_ok=True)
    return pathlib.Path(tempfile.mkdtemp(prefix=f"{name}-", dir=SCRATCH))


def pinned(cores):
    return lambda: os.sched_setaffinity(0, cores)


class Viewer:
    """A viewer on its own core; `again` starts it at the same port."""

    def __init__(self, directory, *args):
        self.directory, self.args, self.port = directory, args, 0
        self.started()

    def started(self, *args):
        command = [options.rebut, "view", "output", "--listen", f"127.0.0.1:{self.port}", "--connections", "1024", "--streams", "600"]
        command += ["--templates", options.templates] if options.templates else []
        began = time.perf_counter()
        self.process = subprocess.Popen(
            [*command, *(args or self.args)], cwd=self.directory, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, preexec_fn=pinned(OWN)
        )
        self.url = self.process.stdout.readline().strip().rstrip("/")
        if not self.url:
            sys.exit("the viewer does not start")
        self.port = urllib.parse.urlsplit(self.url).port
        self.took = time.perf_counter() - began

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def kill(self):
        self.__exit__()

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()

    def usage(self):
        return cost.cpu_of(self.process.pid), cost.peak_kb(self.process.pid) / 1024


@contextlib.contextmanager
def mock(*args):
    command = [options.mock, *args]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=pinned(OTHER)) as process:
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def run(directory, url, *args):
    command = [options.rebut, "run", "job.yaml", "--host", url, *args]
    return subprocess.Popen(command, cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=pinned(OTHER))


def rehearse(directory, *jobs):
    command = [options.rebut, "run", "--rehearse", *jobs]
    subprocess.run(command, cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


@contextlib.contextmanager
def crowd(viewer, size, *args):
    """Spectators, and a list that their figures are in once the block ends."""
    command = [sys.executable, HERE / "crowd.py", str(viewer.port), viewer.directory / "output", "--spectators", str(size), *args]
    figures = {}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=pinned(OTHER)) as process:
        try:
            yield figures
        finally:
            process.stdin.close()
            figures |= json.loads(process.stdout.read() or "{}")


class Browser:
    """Chromium at work, beside what is measured; `lines` has what it printed."""

    def __init__(self, *args):
        # It goes through look.sh's rules for what must be installed.
        script = f'. tests/report/browser.sh; exec node {HERE / "browser.mjs"} "$@"'
        command = ["sh", "-c", f"cd {ROOT}; {script}", "sh", *map(str, args)]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command, text=True, preexec_fn=pinned(OTHER), **pipes)

    def is_ready(self):
        return any(line.strip() == "ready" for line in iter(self.process.stderr.readline, ""))

    def lines(self):
        said, errors = self.process.communicate()
        if self.process.returncode:
            print(f"browser: {errors.strip()}", file=sys.stderr)
        return [json.loads(line) for line in said.splitlines() if line[:1] in "[{"]


def live(directory):
    """The first debate that is live, once there is one."""
    while True:
        for path in (directory / "output/.rebut/live").glob("*.jsonl"):
            return path.name[:12]
        time.sleep(0.02)


def traces(directory):
    return {path.parent.name[-12:]: path for path in directory.glob("output/2*/*/trace.json")}


def part(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


# --- A server that writes the time into its words


class Stamping(cost.Recorder):
    """Speaks so many words, each with the time at which it is written; all else is asked of the mock server."""

    def __init__(self, url, words, pause):
        self.words, self.pause = words, pause
        super().__init__(url, Speak)


class Speak(cost.Hand):
    def hand_on(self, body):
        chat = json.loads(body) if self.path == "/api/chat" else {}
        if chat.get("messages") and not chat.get("format"):
            return self.speak(chat["model"])
        return super().hand_on(body)

    def speak(self, model):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for n in range(self.server.words):
            self.chunk(model, content=f"w{time.time_ns() // 1_000_000} ")
            time.sleep(self.server.pause)
        done = {"done_reason": "stop", "total_duration": 1, "prompt_eval_count": 9, "prompt_eval_duration": 1, "eval_count": 9, "eval_duration": 1}
        self.chunk(model, content=".", done=True, **done)
        self.wfile.write(b"0\r\n\r\n")

    def chunk(self, model, content, done=False, **more):
        said = {"role": "assistant", "content": content}
        line = json.dumps({"model": model, "created_at": "2026-11-21T20:00:00Z", "message": said, "done": done} | more) + "\n"
        self.wfile.write(f"{len(line):x}\r\n{line}\r\n".encode())
        self.wfile.flush()


# --- Goals


def screen():
    for pages in (1, 10):
        directory = fresh("screen")
        (directory / "job.yaml").write_text(JOB.format(rounds=2, repeat=1))
        (directory / "output/.rebut").mkdir(parents=True)
        with mock() as url, Viewer(directory) as viewer:
            started = run(directory, Stamping(url, 500, 0.02).url())
            browser = Browser("screen", f"{viewer.url}/d/{live(directory)}", pages)
            browser.is_ready()
            started.wait()
            time.sleep(0.3)
            found = browser.lines()
        found = found[0] if found else []
        if not found:
            return row("screen", "word written to frame drawn", "", "not measured", None)
        p95, most = part(found, 0.95), max(found)
        wanted = "p95 ≤ 100 ms, max ≤ 300 ms"
        figure = f"p50 {part(found, 0.5)}, p95 {p95}, max {most} ms of {len(found):,} words"
        row("screen", f"word written to frame drawn, {pages} pages in Chromium", wanted, figure, p95 <= 100 and most <= 300)


def spectators():
    directory = fresh("spectators")
    (directory / "job.yaml").write_text(JOB.format(rounds=2, repeat=1))
    (directory / "output/.rebut").mkdir(parents=True)
    with mock() as url, Viewer(directory) as viewer, crowd(viewer, 500) as told:
        time.sleep(1)
        before, began = viewer.usage()[0], time.perf_counter()
        busy = core_busy(1)
        started = run(directory, Stamping(url, 400, 1 / 30).url())
        started.wait()
        wall, busy = time.perf_counter() - began, core_busy(1, busy)
        cpu, peak = viewer.usage()
        time.sleep(2)
    share = (cpu - before) / wall
    where = f"500 streams, one debate at 30 words/s, {wall:.0f} s"
    row("spectators", f"{where}: latency by own timestamps", "p95 ≤ 250 ms", f"p50 {told['p50']}, p95 {told['p95']}, max {told['max']} ms of {told['stamps']:,} words", told["p95"] <= 250)
    row("spectators", "the viewer's CPU on one core", "≤ 60%", f"{share:.0%} (the other core: {busy:.0%} busy)", share <= 0.6)
    row("spectators", "the viewer's peak memory", "≤ 60 MB", f"{peak:.0f} MB", peak <= 60)
    row("spectators", f"logged events lost, doubled, of {told['events'] - told['chunks']:,}", "0, 0", f"{told['lost']}, {told['doubled']}", told["lost"] + told["doubled"] == 0)


def core_busy(core, before=None):
    """The jiffies a core was busy and idle; its share of being busy since `before`."""
    line = next(line for line in pathlib.Path("/proc/stat").read_text().splitlines() if line.startswith(f"cpu{core} "))
    fields = [int(field) for field in line.split()[1:9]]
    idle = fields[3] + fields[4]
    now = (sum(fields) - idle, idle)
    if before is None:
        return now
    busy, idle = now[0] - before[0], now[1] - before[1]
    return busy / max(1, busy + idle)


def night():
    """The same night without and with spectators, in turns."""
    alone, watched = [], []
    for _ in range(options.times):
        for size, into in ((0, alone), (500, watched)):
            into.append(a_night(size))
            print(f"  {size} spectators: {into[-1]}", file=sys.stderr)
    calls = alone[0][1]
    cpu = [[1000 * cpu / calls for cpu, calls, _ in all] for all in (alone, watched)]
    wall = [[wall for *_, wall in all] for all in (alone, watched)]
    more = statistics.mean(cpu[1]) - statistics.mean(cpu[0])
    longer = statistics.mean(wall[1]) / statistics.mean(wall[0]) - 1
    listed = lambda values, digits: ", ".join(f"{value:.{digits}f}" for value in values)
    row("night", f"CPU of `run` per call, {calls} calls, without and with 500, each night", "≤ 0.1 ms more", f"{listed(cpu[0], 2)} and {listed(cpu[1], 2)} ms: {more:+.2f} ms", more <= 0.1)
    row("night", "the same nights' times", "≤ 1% more", f"{listed(wall[0], 1)} and {listed(wall[1], 1)} s: {longer:+.1%}", longer <= 0.01)


def a_night(size):
    directory = fresh("night")
    (directory / "job.yaml").write_text(JOB.format(rounds=4, repeat=8))
    (directory / "output/.rebut").mkdir(parents=True)
    with mock(*PACED, "--by-request") as url, Viewer(directory) as viewer, crowd(viewer, size) as told:
        began = time.perf_counter()
        started = run(directory, url, "--concurrency", "4", "--max-debates", "4")
        _, _, used = os.wait4(started.pid, 0)
        wall = time.perf_counter() - began
        print(f"  the viewer: {viewer.usage()[0]:.1f} s of CPU", file=sys.stderr)
    print(f"  {told}", file=sys.stderr)
    return used.ru_utime + used.ru_stime, cost.journaled(directory), wall


def many():
    """A directory with 100,000 finished debates, as their list tells of them."""
    directory = fresh("many")
    rehearse(directory, ROOT / "tests/capable/duel.yaml")
    listed(directory / "output", options.debates)
    with Viewer(directory) as viewer:
        began = time.perf_counter()
        viewer.get("/")
        start = viewer.took + time.perf_counter() - began
        paths = ["/", "/debates", "/debates?q=town+777", "/debates?q=zebra", "/debates?status=failed", "/debates?format=duel&model=llama3", "/debates?before=2026-03"]
        times = {path: [timed(viewer, path) for _ in range(20)] for path in paths}
        peak = viewer.usage()[1]
        painted = paint(viewer, [*paths, "/healthz"])
    n = f"{options.debates:,} debates"
    slowest = max(paths, key=lambda path: part(times[path], 0.95))
    p95 = part(times[slowest], 0.95)
    row("many", f"{n}: slowest of {len(paths)} pages and filters (`{slowest}`)", "p95 ≤ 50 ms", f"{p95:.0f} ms", p95 <= 50)
    if painted:
        *painted, empty = painted
        figure, is_reached = worst(painted, "ms", 200)
        row("many", "the same, painted", "≤ 200 ms", f"{figure} (a page of one word: {empty['ms']:.0f} ms)", is_reached)
    else:
        row("many", "the same, painted", "", "not measured", None)
    row("many", "start to the first page", "≤ 1.5 s", f"{start:.1f} s", start <= 1.5)
    row("many", "peak memory", "≤ 120 MB", f"{peak:.0f} MB", peak <= 120)


def paint(viewer, paths):
    """Each page as Chromium paints it: of five times the median one, for they differ by up to 80 ms."""
    urls = [viewer.url + path for path in paths]
    lines = Browser("paint", *urls * 5).lines()
    in_order = (sorted(lines[place :: len(urls)], key=lambda line: line["ms"]) for place in range(len(urls)))
    return [times[len(times) // 2] for times in in_order] if lines else []


def worst(painted, key, most):
    """The largest, and whether it is within the goal."""
    value = max(one[key] for one in painted)
    return f"{value:.0f} ms", value <= most


def timed(viewer, path):
    began = time.perf_counter()
    status, _ = viewer.get(path)
    assert status == 200, path
    return 1000 * (time.perf_counter() - began)


def listed(output, count):
    """Adds debates to a list, each with its directory."""
    line = json.loads((output / "index.jsonl").read_text().splitlines()[0])
    dice, lines = random.Random(1), []
    for n in range(count):
        day = f"2026-{1 + n % 10:02}-{1 + n // 10 % 28:02}"
        begun = f"{day}T{n % 24:02}-{n // 24 % 60:02}-{n // 1440 % 60:02}"
        digits = f"{dice.getrandbits(256):064x}"
        name = f"{begun}_duel_{digits[:12]}"
        (output / day / name).mkdir(parents=True)
        started = f"{day}T{begun[11:].replace('-', ':')}Z"
        topic = f"Should town number {n % 2000} ban private cars from its centre?"
        lines.append(json.dumps(line | {"id": digits, "path": f"{day}/{name}", "topic": topic, "started_at": started, "status": "failed" if n % 50 == 0 else "done"}))
    # A day that changed a moment ago is read again.
    time.sleep(3)
    (output / "index.jsonl").write_text("\n".join(lines) + "\n")


def long():
    """A debate of 10,000 statements."""
    directory = fresh("long")
    rehearse(directory, ROOT / "tests/capable/roundtable.yaml")
    (debate, path), = traces(directory).items()
    trace = json.loads(path.read_text())
    said = [s for s in trace["statements"] if s.get("round")]
    more = (said[n % len(said)] | {"n": n + 1, "round": 1 + n // 100} for n in range(10_000))
    path.write_text(json.dumps(trace | {"statements": list(more)}))
    with Viewer(directory) as viewer:
        at = f"/d/{debate}"
        assert viewer.get(at)[0] == 200
        search = [timed(viewer, f"{at}/search?q=buses") for _ in range(20)]
        count = int(re.search(rb"Page 1 of (\d+)", viewer.get(at)[1])[1])
        paths = [at, f"{at}?page={count // 2}", f"{at}?page={count}"]
        size = max(len(viewer.get(path)[1]) for path in paths)
        painted = paint(viewer, paths)
    row("long", "10,000 statements: search", "p95 ≤ 150 ms", f"{part(search, 0.95):.0f} ms", part(search, 0.95) <= 150)
    if not painted:
        return row("long", "the page in Chromium", "", "not measured", None)
    nodes, heap = (max(one[key] for one in painted) for key in ("nodes", "heap"))
    row("long", f"the slowest of three of its {count} pages ({size / 1e3:.0f} kB), painted", "≤ 300 ms", *worst(painted, "ms", 300))
    row("long", "most nodes of these", "≤ 5,000", f"{nodes:,.0f}", nodes <= 5000)
    row("long", "the largest heap", "≤ 20 MB", f"{heap / 1e6:.1f} MB", heap <= 20e6)


def long_live():
    """A debate of 10,000 statements that goes on: its run's events as a file that nobody holds."""
    directory = fresh("long_live")
    rehearse(directory, ROOT / "tests/capable/roundtable.yaml")
    (debate, path), = traces(directory).items()
    start, said = long_events(path.parent / "events.jsonl")
    live_file = goes_on(directory, debate, path, [start, *itertools.islice(said, 10_000)])
    with Viewer(directory) as viewer:
        at = f"/d/{debate}"
        count = int(re.search(rb"Page (\d+) of", viewer.get(at)[1])[1])
        paths = [at, f"{at}?page={count // 2}", f"{at}?page=1"]
        times = {path: [timed(viewer, path) for _ in range(20)] for path in paths}
        search = [timed(viewer, f"{at}/search?q=buses") for _ in range(20)]
        as_it_goes_on = [timed_after(next(said), live_file, viewer, at) for _ in range(20)]
        peak = viewer.usage()[1]
        painted = paint(viewer, paths)
    slowest = max(part(all, 0.95) for all in times.values())
    size = live_file.stat().st_size / 1e6
    row("long_live", f"10,000 statements so far ({size:.0f} MB): slowest of three of its {count} pages", "–", f"p95 {slowest:.0f} ms", None)
    row("long_live", "its last page right after an event", "–", f"p50 {part(as_it_goes_on, 0.5):.0f} ms, p95 {part(as_it_goes_on, 0.95):.0f} ms", None)
    row("long_live", "its last page with nothing new", "–", f"p50 {part(times[at], 0.5):.0f} ms, p95 {part(times[at], 0.95):.0f} ms", None)
    row("long_live", "a search", "p95 ≤ 150 ms", f"{part(search, 0.95):.0f} ms", part(search, 0.95) <= 150)
    row("long_live", "peak memory", "–", f"{peak:.0f} MB", None)
    if not painted:
        return row("long_live", "the page in Chromium", "", "not measured", None)
    nodes, heap = (max(one[key] for one in painted) for key in ("nodes", "heap"))
    row("long_live", "the same pages, painted", "≤ 300 ms", *worst(painted, "ms", 300))
    row("long_live", "most nodes of these", "≤ 5,000", f"{nodes:,.0f}", nodes <= 5000)
    row("long_live", "the largest heap", "≤ 20 MB", f"{heap / 1e6:.1f} MB", heap <= 20e6)


def goes_on(directory, debate, path, told):
    """Puts a debate back to where its run has told these events; the file of that."""
    live_file = directory / f"output/.rebut/live/{debate}.jsonl"
    live_file.parent.mkdir(exist_ok=True)
    header = {"live": 1, "debate": told[0]["debate"], "run": "x", "pid": 1, "n": 0}
    live_file.write_text("".join(json.dumps(line) + "\n" for line in (header, *told)))
    shutil.rmtree(path.parent)
    return live_file


def noted_live():
    """Debates of 1,000 statements that go on, with all else that runs tell: the events of rehearsals, again and again."""
    for job in ("knockout", "roundtable"):
        directory = fresh("noted_live")
        rehearse(directory, ROOT / f"tests/capable/{job}.yaml")
        debate, path = min(traces(directory).items())
        goes_on(directory, debate, path, again_and_again(path.parent / "events.jsonl", 1000))
        with Viewer(directory) as viewer:
            first = timed(viewer, f"/d/{debate}")
            others = [timed(viewer, f"/d/{debate}") for _ in range(5)]
        row("noted_live", f"the last page of a {job} of 1,000 statements", "–", f"first {first:.0f} ms, then p50 {part(others, 0.5):.0f} ms", None)


def again_and_again(log, count):
    """The start of a debate, and all that follows it until there are so many statements."""
    start, *events = (json.loads(line) for line in log.read_text().splitlines())
    events = [event for event in events if event["event"] != "complete"]
    said = sum(event["event"] == "statement" for event in events)
    most = max(event["content"]["n"] for event in events if event["event"] in ("statement", "comment"))
    rounds = 1 + max(event.get("round") or 0 for event in events)

    def later(value, time, key=None):
        if isinstance(value, dict):
            return {key: later(one, time, key) for key, one in value.items()}
        if isinstance(value, list):
            return [later(one, time, key) for one in value]
        if isinstance(value, int) and not isinstance(value, bool):
            return value + time * {"n": most, "saw": most, "statement": most, "about": most, "round": rounds}.get(key, 0)
        is_point = isinstance(value, str) and re.fullmatch(r"[A-Z]\d+", value)
        return f"{value[0]}{int(value[1:]) + 1000 * time}" if is_point else value

    told = [later(event, time) for time in range(1 + count // said) for event in events]
    return [start, *(event | {"seq": n} for n, event in enumerate(told, start["seq"] + 1))]


def timed_after(event, live_file, viewer, path):
    with live_file.open("a") as file:
        file.write(json.dumps(event) + "\n")
    return timed(viewer, path)


def long_events(log):
    """The start of a debate, and statements without end like those of its rounds."""
    events = [json.loads(line) for line in log.read_text().splitlines()]
    start = next(event for event in events if event["event"] == "debate_start")
    said = [event for event in events if event["event"] == "statement" and event["content"].get("round")]

    def nth(n):
        event, round = said[n % len(said)], 1 + n // 100
        return event | {"seq": n + 2, "round": round, "content": event["content"] | {"n": n + 1, "round": round}}

    return start, map(nth, itertools.count())


def broken_night(directory, url, viewer, seed, until):
    """A run to its end, while it and the viewer are killed now and then; how often each was."""
    dice, kills = random.Random(seed), {"run": 0, "viewer": 0}
    started = run(directory, url, "--concurrency", "4", "--max-debates", "2")
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            started.wait(dice.uniform(*until))
            return kills, started.returncode
        if dice.random() < 0.5:
            kills["viewer"] += 1
            viewer.kill()
            time.sleep(dice.uniform(0, 1))
            viewer.started()
        else:
            kills["run"] += 1
            started.kill()
            started.wait()
            started = run(directory, url, "--concurrency", "4", "--max-debates", "2")


def logs(directory):
    """The checksum of each finished debate's log."""
    return {debate: zlib.crc32((path.parent / "events.jsonl").read_bytes()) for debate, path in traces(directory).items()}


def cuts():
    directory = fresh("cuts")
    (directory / "job.yaml").write_text(JOB.format(rounds=3, repeat=6))
    (directory / "output/.rebut").mkdir(parents=True)
    with mock(*QUICK) as url, Viewer(directory) as viewer, crowd(viewer, 20, "--cuts", str(options.seed)) as told:
        kills, _ = broken_night(directory, url, viewer, options.seed, (1, 5))
        time.sleep(4)
    wanted = logs(directory)
    other = [debate for debate, sums in told["logs"].items() if sums != [wanted.get(debate)]]
    breaks = f"{told['cuts']} cut connections, {told['lags']} slow readers, {kills['viewer']} `kill -9` of the viewer, {kills['run']} of the run"
    row("cuts", f"20 readers of {len(wanted)} debates; {breaks}: logged events lost, doubled", "0, 0", f"{told['lost']}, {told['doubled']} of {told['events'] - told['chunks']:,} ({told['resets']} resets)", told["lost"] + told["doubled"] == 0)
    row("cuts", f"{told['ends']} logs read to their ends; debates of which one differs from events.jsonl, of {len(told['logs'])}", "0", f"{len(other)}", not other)


def open_night():
    """A page that stays open through a night of kills: what stands on it at the end of each debate is what was said."""
    directory = fresh("open")
    job = options.job.read_text() if options.job else JOB.format(rounds=4, repeat=options.repeat)
    (directory / "job.yaml").write_text(job)
    (directory / "output/.rebut").mkdir(parents=True)
    # A model takes longer for a call than the mock server.
    server, until = (contextlib.nullcontext(options.server), (60, 240)) if options.server else (mock(*QUICK), (3, 9))
    with server as url, Viewer(directory) as viewer:
        browser = Browser("night", viewer.url)
        kills, code = broken_night(directory, url, viewer, options.seed, until)
        time.sleep(5)
        found = browser.lines()
    lost = doubled = said = 0
    done = traces(directory)
    for debate in (one for one in found if one["isOver"]):
        ids = [id for id, _ in debate["shown"]]
        statements = json.loads(done[debate["path"][-12:]].read_text())["statements"]
        texts, anew = dict(debate["shown"]), dict(debate["anew"])
        said += len(statements)
        doubled += len(ids) - len(set(ids))
        for id in (f"m{s['n']:03}" for s in statements):
            # The page that follows has no lists and no headings: it shows their marks.
            if id not in anew or without_marks(texts.get(id, "")) != without_marks(anew[id]):
                lost += 1
                print(f"  {debate['path']}#{id}: {texts.get(id)!r} is {anew.get(id)!r} in the trace", file=sys.stderr)
    followed = sum(one["isOver"] for one in found)
    row("open", f"a page open through {kills['run']} `kill -9` of the run, {kills['viewer']} of the viewer; {followed} debates to their ends: statements lost, doubled, of {said}", "0, 0", f"{lost}, {doubled}", followed > 0 and lost + doubled == 0)
    row("open", "debates done", str(options.repeat), f"{len(done)} (exit code {code})", len(done) == options.repeat)


def without_marks(text):
    return re.sub(r"(^| )(-|#{1,6}) ", r"\1", text)


def votes():
    directory = fresh("votes")
    job = JOB.format(rounds=1, repeat=1) + "audience: {effect: ballot, window_seconds: 20}\n"
    (directory / "job.yaml").write_text(job)
    (directory / "output/.rebut").mkdir(parents=True)
    with mock(*QUICK) as url, Viewer(directory, "--voters", "500") as viewer:
        links = [viewer.process.stdout.readline() for _ in range(500)]
        tokens = [link.strip().rsplit("#", 1)[1] for link in links]
        times, counted = asyncio.run(voting(viewer, tokens, lambda: run(directory, url)))
        while not traces(directory):
            time.sleep(0.2)
    tally = json.loads(next(iter(traces(directory).values())).read_text())["audience"][0]
    same = tally["voters"] == counted == 500
    row("votes", "500 voters within 5 s: votes acknowledged, counted", "500, 500", f"{counted}, {tally['voters']}", same)
    row("votes", "the answer to a vote", "p95 ≤ 150 ms", f"p50 {part(times, 0.5):.0f}, p95 {part(times, 0.95):.0f}, max {max(times):.0f} ms", part(times, 0.95) <= 150)


async def voting(viewer, tokens, begin):
    host = f"127.0.0.1:{viewer.port}"

    async def asked(method, path, cookie="", body=""):
        reader, writer = await asyncio.open_connection("127.0.0.1", viewer.port)
        head = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Type: application/json\r\nCookie: {cookie}\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n{body}"
        writer.write(head.encode())
        answer = (await reader.read()).decode()
        writer.close()
        head, _, body = answer.partition("\r\n\r\n")
        return int(head.split()[1]), head, body

    cookies = []
    for token in tokens:
        _, head, _ = await asked("POST", "/session", body=json.dumps({"token": token}))
        cookies.append(re.search(r"(?i)set-cookie: ([^;]+)", head)[1])
    for cookie in cookies:
        await asked("GET", "/vote/state", cookie)
    begin()
    while True:
        _, _, state = await asked("GET", "/vote/state", cookies[0])
        if window := json.loads(state)["open"]:
            break
        await asyncio.sleep(0.2)
    address, dice, times = f"/vote/{window[0]['id']}/{window[0]['round']}", random.Random(options.seed), []

    async def one(cookie):
        await asyncio.sleep(dice.uniform(0, 5))
        began = time.perf_counter()
        status, _, _ = await asked("POST", address, cookie, json.dumps({"choice": dice.choice(["keep", "rotate"])}))
        times.append(1000 * (time.perf_counter() - began))
        return status == 200

    counted = sum(await asyncio.gather(*(one(cookie) for cookie in cookies)))
    return times, counted


def weight():
    directory = fresh("weight")
    rehearse(directory, ROOT / "tests/capable/duel.yaml")
    (debate, _), = traces(directory).items()
    with Viewer(directory) as viewer:
        pages = Browser("weigh", f"{viewer.url}/", f"{viewer.url}/d/{debate}").lines()
        foreign = [one["url"] for page in pages for one in page if not one["url"].startswith(viewer.url)]
    if not pages:
        return row("weight", "what a page loads", "", "not measured", None)
    for name, page in zip(("overview", "a debate"), pages, strict=True):
        kinds = {kind: sum(one["raw"] for one in page if one["url"].endswith(kind)) for kind in (".js", ".css")}
        gz = sum(one["gz"] for one in page if one["url"].endswith((".js", ".css"))) / 1000
        row("weight", f"{name}: style and scripts, compressed", "≤ 40 kB", f"{gz:.1f} kB", gz <= 40)
        row("weight", f"{name}: scripts, raw", "≤ 20 kB", f"{kinds['.js'] / 1000:.1f} kB", kinds[".js"] <= 20_000)
        row("weight", f"{name}: style, raw", "≤ 12 kB", f"{kinds['.css'] / 1000:.1f} kB", kinds[".css"] <= 12_000)
    row("weight", "requests to elsewhere", "0", str(len(foreign)), not foreign)


def shutdown():
    directory = fresh("shutdown")
    (directory / "job.yaml").write_text(JOB.format(rounds=6, repeat=1))
    (directory / "output/.rebut").mkdir(parents=True)
    with mock(*PACED) as url, Viewer(directory) as viewer, crowd(viewer, 500) as told:
        started = run(directory, url)
        debate = live(directory)
        time.sleep(4)
        loaded, empty = (Browser("tabs", viewer.url + path, 8).lines() for path in (f"/d/{debate}", "/healthz"))
        began = time.perf_counter()
        viewer.process.send_signal(signal.SIGTERM)
        viewer.process.wait()
        took = time.perf_counter() - began
        started.kill()
        started.wait()
    # It may take its second, and then has to end.
    row("shutdown", f"SIGTERM to the end, {told['most_at_once']} streams", "≤ 1 s", f"{took:.2f} s", took <= 1)
    if loaded:
        row("shutdown", "8 tabs on a running debate, beside 500 streams: the slowest to load", "≤ 1 s", f"{max(loaded[0]) / 1000:.1f} s (eight pages of one word: {max(empty[0]) / 1000:.1f} s)", max(loaded[0]) <= 1000)


def bundle():
    directory = fresh("bundle")
    rehearse(directory, *(ROOT / "tests/capable").glob("*.yaml"))
    subprocess.run([options.rebut, "publish", "output", "--to", "site"], cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    pages = sum(path.stat().st_size for path in directory.glob("site/**/*.html"))
    texts = sum(path.stat().st_size for path in directory.glob("output/2*/*/*.md")) + sum(path.stat().st_size for path in directory.glob("output/2*/*/messages/*.md"))
    row("bundle", "published pages ÷ the same debates' Markdown", "≤ 1.3", f"{pages / texts:.2f} ({pages / 1000:.0f} kB)", pages / texts <= 1.3)


GOALS = {"screen": screen, "spectators": spectators, "night": night, "many": many, "long": long, "long_live": long_live, "noted_live": noted_live, "cuts": cuts, "open": open_night, "votes": votes, "weight": weight, "shutdown": shutdown, "bundle": bundle}


def main():
    global options
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("goals", nargs="*", choices=[*GOALS, []], metavar="GOAL")
    parser.add_argument("--rebut", type=lambda path: pathlib.Path(path).resolve(), default=cost.REBUT)
    parser.add_argument("--mock", type=lambda path: pathlib.Path(path).resolve(), default=cost.MOCK)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--times", type=int, default=2, help="nights of each kind (default 2)")
    parser.add_argument("--repeat", type=int, default=24, help="debates of `open` (default 24)")
    parser.add_argument("--server", metavar="URL", help="the server of `open`, instead of the mock server")
    parser.add_argument("--job", type=pathlib.Path, help="the job of `open`, of --repeat debates")
    parser.add_argument("--templates", help="templates for the viewer, as in `rebut view --templates`")
    parser.add_argument("--debates", type=int, default=100_000, help="debates of `many`")
    options = parser.parse_args()
    SCRATCH.mkdir(parents=True, exist_ok=True)
    cost.SCRATCH = SCRATCH
    print(cost.machine())
    print("| goal | what | wanted | figure | |\n| --- | --- | --- | --- | --- |", flush=True)
    for name in options.goals or GOALS:
        GOALS[name]()


if __name__ == "__main__":
    try:
        main()
    finally:
        shutil.rmtree(SCRATCH, ignore_errors=True)
