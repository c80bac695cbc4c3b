#!/usr/bin/env python3
"""How fast traces are read: python3 benches/reading.py

Makes 20,000 traces of about 50 KB from rehearsed debates of every format, below `target/`, and has `rebut stats` and DuckDB's
`read_json_auto` group them, in turns, all warm. Prints Markdown tables; no figure is asserted. DuckDB comes from PyPI.
"""

import argparse
import contextlib
import copy
import hashlib
import json
import multiprocessing
import os
import pathlib
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys
import threading
import time
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCRATCH = ROOT / "target" / "reading"
CORPUS = SCRATCH / "output"
REBUT = ROOT / "target" / "release" / "rebut"
ONE_GROUPING = [REBUT, "stats", CORPUS, "--include-rehearsals", "--by", "format,status", "--format", "csv"]
ALL_GROUPINGS = [REBUT, "report", CORPUS, "--include-rehearsals", "-o", SCRATCH / "report.json"]

# What DuckDB is asked: of each format and status, how many debates, and the mean over debates of a score by ballots.
QUERY = """
SELECT format, status, count(*) AS debates, avg(list_avg([b.reading.scores.clarity for b in ballots])) AS mean
FROM read_json_auto('{files}', maximum_object_size = 67108864)
GROUP BY format, status ORDER BY format, status
"""
DUCKDB = "import duckdb, sys; duckdb.sql('SET threads = ' + sys.argv[2]); print(duckdb.sql(sys.argv[1]).fetchall())"

MODELS = {
    "llama3.1:8b": "llama", "llama3.2:3b": "llama", "mistral:7b": "llama", "mixtral:8x7b": "llama",
    "qwen2.5:7b": "qwen2", "qwen2.5:14b": "qwen2", "qwen3:8b": "qwen3", "gemma2:9b": "gemma2",
    "gemma3:12b": "gemma3", "phi3:14b": "phi3", "phi4:14b": "phi3", "deepseek-r1:8b": "qwen2",
}
TOPICS = [f"Should {who} {what}?" for who in ("cities", "schools", "employers", "states", "museums", "hospitals", "courts", "clubs")
          for what in ("be run by the people who use them", "publish all of their accounts", "decide by lot who leads them",
                       "close on one more day of the week", "take nobody's gifts")]
# Shares of the rounds that a job asks for: debates are short and long.
LENGTHS = [0.34, 0.5, 0.67, 1.0, 2.0]
MEAN_BYTES, MOST_BYTES = 49_000, 200_000
VARIANTS = 800


@dataclass
class Cost:
    """What one process and its children took: seconds, and the peak of their memory together."""

    wall: float
    cpu: float
    peak_mb: float


# --- The traces


def rehearse():
    """Debates of every job below `jobs/`, short and long ones; the paths of their traces."""
    jobs = SCRATCH / "jobs"
    shutil.rmtree(jobs, ignore_errors=True)
    shutil.copytree(ROOT / "jobs", jobs)
    for path in sorted(jobs.glob("*.yaml")):
        text = path.read_text()
        rounds = re.search(r"^(rounds|max_rounds): (\d+)", text, re.M)
        key = rounds[1] if rounds else "max_rounds" if re.search(r"^format: roundtable", text, re.M) else "rounds"
        asked = int(rounds[2]) if rounds else 6
        rest = re.sub(r"^(rounds|max_rounds): .*\n", "", text, flags=re.M)
        for n, share in enumerate(LENGTHS):
            job = path.with_name(f"{path.stem}-{n}.yaml")
            job.write_text(f"{rest}\n{key}: {max(2, round(share * asked))}\n")
            command = [REBUT, "run", job, "--rehearse", "--output", SCRATCH / "rehearsed"]
            # Some formats take no such number of rounds: those are left out.
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return sorted((SCRATCH / "rehearsed").glob("*/*/trace.json"))


def cast(trace, draw):
    """Gives everybody a model of its own, and says that these models were used."""
    own = {}
    for person in trace["participants"]:
        name = draw.choice(sorted(MODELS))
        own[person["id"]] = name
        for model in person["models"]:
            model.update(name=name, family=MODELS[name], digest=hashlib.sha256(name.encode()).hexdigest(), quantization="Q4_K_M")
    for statement in trace["statements"]:
        if statement["model"]:
            statement["model"] = own.get(statement["by"], statement["model"])
    judges = [ballot["by"] for ballot in trace["ballots"]]
    judges += [judge for verdict in trace["verdicts"] for judge in verdict["judges"]]
    for judge in judges:
        if judge.get("model"):
            judge["model"] = own.get(judge["id"]) or draw.choice(sorted(set(own.values())))
    names = sorted(set(own.values()) | {judge["model"] for judge in judges if judge.get("model")})
    trace["models"] = [dict(trace["models"][0], name=name, family=MODELS.get(name)) for name in names]
    used = next(iter(trace["usage"]["by_model"].values()))
    trace["usage"]["by_model"] = {name: {key: value // len(names) for key, value in used.items()} for name in names}
    for call in trace.get("calls", []):
        call["model"] = draw.choice(names)


def lengthen(text, share, draw):
    """About so much of a text, by the sentence."""
    sentences = re.split(r"(?<=[.?!]) ", text)
    wanted = max(1, round(share * len(sentences)))
    more = draw.choices(sentences, k=max(0, wanted - len(sentences)))
    return " ".join((sentences + more)[:wanted])


def variant(traces, draw):
    """A debate like one of these: other models, another length of what was said. About a tenth ended otherwise."""
    wanted = min(draw.lognormvariate(-0.125, 0.5) * MEAN_BYTES, MOST_BYTES * 0.95)
    # Long debates are long because they have many rounds, and because much is said in each.
    trace = copy.deepcopy(min(draw.sample(traces, min(6, len(traces))), key=lambda t: abs(len(json.dumps(t, indent=2)) - wanted)))
    cast(trace, draw)
    size = len(json.dumps(trace, indent=2))
    said = sum(len(json.dumps(s["text"])) for s in trace["statements"])
    share = min(max((wanted - (size - said)) / max(said, 1), 0.2), 12)
    for statement in trace["statements"]:
        statement["text"] = lengthen(statement["text"], share, draw)
    if draw.random() < 0.1:
        trace.update(status="degraded", cause="one judge gave no judgment that can be used")
    # Model texts are not all ASCII, and they hold what JSON escapes.
    for statement in draw.sample(trace["statements"], k=len(trace["statements"]) // 3):
        statement["text"] = f"“{statement['text']}” — naïve?\n\nIt says \"no\".".replace("I claim", "Ich behaupte ✓")
    return json.dumps(trace, indent=2, ensure_ascii=False)


def another(text, draw):
    """The same with another id, topic, day, and other scores, digests and amounts."""
    trace_topic = re.search(r'^  "topic": "(.*)",$', text, re.M)[1]
    text = text.replace(trace_topic, draw.choice(TOPICS))
    # Each verdict with a panel of its own would make a report of panels alone.
    panels = set(re.findall(r'"panel": \{\s*"name": "[^"]*",\s*"id": ("[0-9a-f]{64}")', text))
    text = re.sub(r'"[0-9a-f]{64}"', lambda m: m[0] if m[0] in panels else f'"{draw.randbytes(32).hex()}"', text)
    text = re.sub(r": [1-5]\.0\b", lambda _: f": {draw.randint(1, 5)}.0", text)
    text = re.sub(r": ([1-5]\.[1-9]\d*)", lambda _: f": {round(draw.uniform(1, 5), draw.choice((1, 2, 16)))}", text)
    text = re.sub(r'("(?:tokens|reply|reply_tokens|reply_ms|prompt_ms|seed)": )(\d+)', lambda m: m[1] + str(int(m[2]) * draw.randint(5, 15) // 10), text)
    day = f"2026-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
    return re.sub(r"2026-\d\d-\d\d(?=T)", day, text), day


def write_some(task):
    texts, numbers = task
    for n in numbers:
        draw = random.Random(n)
        text, day = another(draw.choice(texts), draw)
        job = re.search(r'^  "job": "(.*)",$', text, re.M)[1]
        directory = CORPUS / day / f"{day}T12-00-00_{job}_{draw.randbytes(6).hex()}"
        (directory / "messages").mkdir(parents=True)
        (directory / "trace.json").write_text(text + "\n")


def make(count):
    """The traces, made once: the same from the same rehearsed ones."""
    done = SCRATCH / f"made-{count}"
    if done.exists():
        return
    shutil.rmtree(CORPUS, ignore_errors=True)
    shutil.rmtree(SCRATCH / "rehearsed", ignore_errors=True)
    SCRATCH.mkdir(parents=True, exist_ok=True)
    draw = random.Random(1)
    bases = [json.loads(path.read_text()) for path in rehearse()]
    by_format = {name: [b for b in bases if b["format"] == name] for name in sorted({b["format"] for b in bases})}
    names = sorted(by_format)
    texts = [variant(by_format[names[n % len(names)]], draw) for n in range(VARIANTS)]
    (CORPUS / ".rebut").mkdir(parents=True)
    with multiprocessing.Pool() as pool:
        pool.map(write_some, [(texts, range(n, min(n + 250, count))) for n in range(0, count, 250)], chunksize=1)
    done.touch()


def sizes():
    return sorted(path.stat().st_size for path in CORPUS.glob("*/*/trace.json"))


# --- Processes


def tree(pid):
    """A process and all below it."""
    found = [pid]
    with contextlib.suppress(OSError):
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += tree(int(child))
    return found


def rss_kb(pid):
    with contextlib.suppress(OSError):
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0


def measure(command):
    """Runs a command to its end and says what it and its children took."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    peaks, over = [0], threading.Event()

    def watch():
        while not over.wait(0.01):
            peaks.append(sum(rss_kb(pid) for pid in tree(process.pid)))

    watcher = threading.Thread(target=watch)
    watcher.start()
    errors = process.stderr.read().decode()
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - began
    over.set()
    watcher.join()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command[0]} ended with {process.returncode}:\n{errors}")
    return Cost(wall, used.ru_utime + used.ru_stime, max(peaks) / 1024)


def without_facts(command):
    """As after an update from rebut 0.1, which wrote no facts."""
    for path in CORPUS.glob("*/*/facts.json"):
        path.unlink()
    return measure(command)


def python_with_duckdb():
    """A Python with DuckDB, kept below target/; none where it cannot be had."""
    python = ROOT / "target" / "reading-venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", python.parent.parent], check=True)
    installed = subprocess.run([python, "-m", "pip", "install", "--quiet", "duckdb"], check=False)
    return python if installed.returncode == 0 else None


# --- What is printed


def table(head, rows):
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    print("\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines))


def machine():
    cpu = platform.processor() or platform.machine()
    with contextlib.suppress(OSError, StopIteration):
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return f"{os.cpu_count()} cores ({cpu})"


def row(name, costs):
    """The best of several runs: others on the machine only make it slower."""
    walls = [cost.wall for cost in costs]
    return [name, f"{min(walls):.2f} s", f"{statistics.median(walls):.2f} s", f"{min(cost.cpu for cost in costs):.2f} s",
            f"{max(cost.peak_mb for cost in costs):.0f} MB"]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--no-build", action="store_true", help="take the release binary as it is")
    options.add_argument("--traces", type=int, default=20_000, help="traces to read (default 20000)")
    options.add_argument("--times", type=int, default=5, help="runs of each (default 5)")
    options = options.parse_args()
    if not options.no_build:
        subprocess.run(["cargo", "build", "--release", "--locked"], cwd=ROOT, check=True)
    make(options.traces)
    size = sizes()
    print(f"{machine()}; {len(size):,} traces, {sum(size) / 1e6:,.0f} MB, mean {sum(size) / len(size) / 1e3:.0f} KB, "
          f"largest {size[-1] / 1e3:.0f} KB; load when it began: {os.getloadavg()[0]:.1f}")

    runs = {
        "rebut stats, one grouping": lambda: measure(ONE_GROUPING),
        "the same without facts.json": lambda: without_facts(ONE_GROUPING),
        "rebut report, all groupings": lambda: measure(ALL_GROUPINGS),
        "that without facts.json": lambda: without_facts(ALL_GROUPINGS),
    }
    if python := python_with_duckdb():
        query = QUERY.format(files=CORPUS / "*" / "*" / "trace.json")
        runs["DuckDB, read_json_auto, one grouping"] = lambda: measure([python, "-c", DUCKDB, query, str(os.cpu_count())])
    else:
        print("NO DUCKDB: it cannot be installed here", file=sys.stderr)
    costs = {name: [] for name in runs}
    for _ in range(options.times + 1):
        for name, run in runs.items():
            costs[name].append(run())
    # The first of each warmed the cache of files.
    table(["", "wall, best", "wall, median", "CPU, best", "peak memory"], [row(name, all[1:]) for name, all in costs.items()])
    print(f"\nload when it ended: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
