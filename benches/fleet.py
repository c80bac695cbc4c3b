#!/usr/bin/env python3
"""What a fleet withstands and what it costs: python3 benches/fleet.py [chaos|pace|takeover|scale] [--binary target/release/rebut]

chaos: workers of one slot each play the debates of one run against the mock server. At random places of the run, drawn from a seed,
workers are killed, others are stopped until the end (zombies), and the NATS server is killed. Prints how many debates, artifacts and
journal entries were lost or doubled, and how many calls were repeated beside the bound for that; exits with 1 where one of them is not
as it should be.
pace: as many debates per worker with one worker and with all, each call taking 200 ms: seconds from the first call to the last.
takeover: workers are killed amid their debates, with the default --ack-wait: seconds until idle workers go on with them.
scale: 100,000 debates are enqueued, and enqueued again; status is asked for.
Needs nats-server (NATS_SERVER, tests/fleet/nats.sh or PATH)."""

import argparse
import collections
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import time

import cost
import scale as large

JOB = """\
format: knockout
topic: Should cities ban private cars from their centres?
rounds: 2
repeat: {repeat}
"""
CONFIG = """\
listen: "127.0.0.1:{port}"
max_payload: 8MB
jetstream {{ store_dir: "{store}", sync_interval: always }}
"""


def nats_binary():
    installed = cost.ROOT / "target" / "nats" / "nats-server"
    found = os.environ.get("NATS_SERVER") or (installed if installed.exists() else shutil.which("nats-server"))
    if not found or not pathlib.Path(found).exists():
        sys.exit(f"no nats-server{f' at {found}' if found else ''}: run tests/fleet/nats.sh")
    return found


class Nats:
    """A NATS server that can be killed and started again."""

    def __init__(self, directory):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.config = directory / "nats.conf"
        self.config.write_text(CONFIG.format(port=self.port, store=directory / "nats"))
        self.url = f"nats://127.0.0.1:{self.port}"
        self.start()

    def start(self):
        self.process = subprocess.Popen([nats_binary(), "-c", self.config], stderr=subprocess.DEVNULL)
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                return
            time.sleep(0.01)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Fleet:
    """The workers, and what is done to them."""

    def __init__(self, binary, directory, nats, host, dice):
        self.binary, self.directory, self.nats, self.host, self.dice = binary, directory, nats, host, dice
        self.workers, self.zombies = [], []

    def command(self, *args):
        return [self.binary, *args, "--nats", self.nats.url]

    def call(self, *args):
        return subprocess.run(self.command(*args), cwd=self.directory, check=True, capture_output=True, text=True)

    def hire(self):
        one_slot = ["--host", self.host, "-j", "1", "--max-debates", "1", "--work-dir", "workers"]
        log = (self.directory / "workers.log").open("a")
        self.workers.append(subprocess.Popen(self.command("worker", *one_slot), cwd=self.directory, stderr=log))

    def strike(self, event):
        if event == "server":
            self.nats.kill()
            return self.nats.start()
        victim = self.workers.pop(self.dice.randrange(len(self.workers)))
        if event == "kill":
            victim.kill()
            victim.wait()
        else:
            victim.send_signal(signal.SIGSTOP)
            self.zombies.append(victim)
        self.hire()

    def end(self):
        for zombie in self.zombies:
            zombie.send_signal(signal.SIGCONT)
        for worker in self.workers + self.zombies:
            worker.terminate()
        for worker in self.workers + self.zombies:
            worker.wait()


def entries(output):
    """Every attempt in every journal."""
    for path in output.glob(".rebut/journals/*.jsonl"):
        for line in path.open():
            entry = json.loads(line)
            if entry["kind"] in ("reply", "failure"):
                yield (path.name, entry["call"], entry["attempt"])


def chaos(asked, directory, recorder, nats):
    dice = random.Random(asked.seed)
    fleet = Fleet(asked.binary, directory, nats, recorder.url(), dice)
    for _ in range(asked.workers):
        fleet.hire()
    (directory / "job.yaml").write_text(JOB.format(repeat=asked.debates))
    fleet.call("enqueue", "job.yaml", "--ack-wait", "2s")
    events = ["kill"] * asked.kills + ["zombie"] * asked.zombies + ["server"] * asked.server_kills
    dice.shuffle(events)
    collecting = subprocess.Popen(fleet.command("collect"), cwd=directory, stdout=subprocess.DEVNULL)
    # Over the first nine tenths of the calls, of which a debate has at least six.
    step = max(1, asked.debates * 6 * 9 // 10 // max(1, len(events)))
    for number, event in enumerate(events, 1):
        while len(recorder.chats) < number * step and collecting.poll() is None:
            time.sleep(0.002)
        fleet.strike(event)
    collecting.wait()
    # Three kills in a row may hit one debate before its next call: it is given up, and tried once more by hand.
    again = fleet.call("enqueue", "job.yaml", "--ack-wait", "2s", "--again")
    subprocess.run(fleet.command("collect"), cwd=directory, stdout=subprocess.DEVNULL, check=False)
    fleet.end()
    left = subprocess.run(fleet.command("collect", "--now"), cwd=directory, stdout=subprocess.DEVNULL, check=False)
    return left.returncode, int(again.stdout.split()[1])


def report(asked, directory, recorder, code, again):
    output = directory / "output"
    debates = collections.Counter(path.name.rsplit("_", 1)[1] for path in output.glob("????-??-??/*_*"))
    made = list(entries(output))
    distinct = {json.dumps(chat, sort_keys=True) for chat in recorder.chats}
    repeated = len(recorder.chats) - len(distinct)
    bound = asked.kills + asked.zombies + asked.workers * asked.server_kills
    rows = [
        ["debates lost", asked.debates - len(debates), 0],
        ["artifacts doubled", sum(debates.values()) - len(debates), 0],
        ["journal entries doubled", len(made) - len(set(made)), 0],
        ["calls lost", len(distinct) - len(set(made)), 0],
        ["exit code of collect", code, 0],
        ["calls repeated", repeated, bound],
    ]
    print(cost.machine())
    print(f"\n{asked.debates} debates, {len(recorder.chats)} calls, {asked.workers} workers, {asked.kills} kills, "
          f"{asked.zombies} zombies, {asked.server_kills} kills of the server, seed {asked.seed}\n")
    cost.table(["", "seen", "at most"], [[name, str(seen), str(most)] for name, seen, most in rows])
    print(f"\n{again} debates were given up after three deaths in a row, and done when they were tried again")
    return all(0 <= seen <= most for _, seen, most in rows)


class Timed(list):
    """Notes when each chat came, and holds it for so many seconds."""

    def __init__(self, hold):
        super().__init__()
        self.hold, self.times = hold, []

    def append(self, chat):
        self.times.append(time.perf_counter())
        super().append(chat)
        time.sleep(self.hold)


def paced(asked, nats, url, workers):
    """Seconds from the first call to the last of a run, and its calls."""
    directory, recorder = cost.fresh(f"pace-{workers}"), cost.Recorder(url)
    recorder.chats = Timed(0.2)
    fleet = Fleet(asked.binary, directory, nats, recorder.url(), random.Random(asked.seed))
    for _ in range(workers):
        fleet.hire()
    (directory / "job.yaml").write_text(JOB.format(repeat=asked.per_worker * workers))
    fleet.call("enqueue", "job.yaml", "--run", f"pace-{workers}")
    fleet.call("collect", "--run", f"pace-{workers}")
    fleet.end()
    times = recorder.chats.times
    return times[-1] - times[0] + recorder.chats.hold, len(times)


def pace(asked, nats, url):
    rows = []
    for workers in (1, asked.workers):
        seconds, calls = paced(asked, nats, url, workers)
        rows.append((workers, asked.per_worker * workers, calls, seconds))
    alone = rows[0][2] / rows[0][3]
    cost.table(
        ["workers", "debates", "calls", "seconds", "calls per second and worker", "of one worker's"],
        [[str(workers), str(debates), str(calls), f"{seconds:.1f}", f"{calls / seconds / workers:.2f}",
          f"{100 * calls / seconds / workers / alone:.1f}%"] for workers, debates, calls, seconds in rows],
    )


def takeover(asked, nats, url):
    directory, recorder = cost.fresh("takeover"), cost.Recorder(url)
    recorder.chats = Timed(0.2)
    fleet = Fleet(asked.binary, directory, nats, recorder.url(), random.Random(asked.seed))
    for _ in range(asked.workers):
        fleet.hire()
    (directory / "job.yaml").write_text(JOB.format(repeat=asked.workers))
    fleet.call("enqueue", "job.yaml", "--run", "takeover")
    while len(recorder.chats) < 2 * asked.workers:
        time.sleep(0.01)
    # Held so long that each of the next calls belongs to another debate.
    recorder.chats.hold = 120
    time.sleep(1)
    victims, killed, before = list(fleet.workers), time.perf_counter(), len(recorder.chats)
    for victim in victims:
        victim.kill()
        victim.wait()
    fleet.workers = []
    for _ in victims:
        fleet.hire()
    while len(recorder.chats) < before + len(victims):
        time.sleep(0.05)
    waits = sorted(at - killed for at in recorder.chats.times[before:])
    recorder.chats.hold = 0
    for worker in fleet.workers:
        worker.kill()
    fleet.end()
    told = ", ".join(f"{wait:.1f}" for wait in waits)
    print(f"{len(victims)} workers killed at once, as many idle: their debates go on after {told} s")


def scale(asked, nats, _url):
    directory = cost.fresh("scale")
    large.job(directory, asked.many)
    url = ["--nats", nats.url]

    def taken(*command):
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        took = cost.measure([asked.binary, *command, *url], cwd=directory, **silent)
        return [f"`rebut {command[0]}`", f"{took.wall:.2f} s", f"{took.cpu:.2f} s", f"{took.peak_mb:.0f} MB"]

    rows = [taken("enqueue", "job.yaml", "--run", "scale"), taken("enqueue", "job.yaml", "--run", "scale")]
    rows[1][0] += ", again"
    rows += [taken("status"), taken("status", "--json")]
    cost.table([f"{asked.many:,} debates", "time", "CPU", "peak memory"], rows)
    print(f"\npeak memory of the NATS server: {cost.peak_kb(nats.process.pid) / 1024:.0f} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", default="chaos", choices=["chaos", "pace", "takeover", "scale"])
    parser.add_argument("--binary", type=pathlib.Path, default=cost.REBUT)
    parser.add_argument("--mock", type=pathlib.Path, default=cost.MOCK)
    for name, value in (("debates", 200), ("workers", 8), ("kills", 50), ("zombies", 10), ("server-kills", 3), ("seed", 1),
                        ("per-worker", 8), ("many", 100_000)):
        parser.add_argument(f"--{name}", type=int, default=value)
    asked = parser.parse_args()
    asked.binary, cost.MOCK = asked.binary.resolve(), asked.mock.resolve()
    directory = cost.fresh("fleet")
    nats = Nats(directory)
    try:
        with cost.mock_ollama(20) as (url, _):
            if asked.what != "chaos":
                print(cost.machine() + "\n")
                return {"pace": pace, "takeover": takeover, "scale": scale}[asked.what](asked, nats, url)
            recorder = cost.Recorder(url)
            code, again = chaos(asked, directory, recorder, nats)
            return 0 if report(asked, directory, recorder, code, again) else 1
    finally:
        nats.kill()


if __name__ == "__main__":
    sys.exit(main())
