#!/usr/bin/env python3
"""A debate that begins on one machine and ends on another: python3 benches/two_machines.py URL URL --model NAME

Two directories play two machines, each with its own Ollama server (the two URLs), its own worker of one slot and nothing in common
but a NATS server on loopback. The first machine enqueues a short duel, and its worker, the only one there, begins it. When the worker
of the second waits as well, the first is killed with `kill -9` amid a call. The second goes on and collects the debate.

Prints what was finished before the kill, what was asked twice, and how long the debate lay idle; exits with 1 where more was asked
twice than the call in flight, or where the journal has not each call once. Needs nats-server as benches/fleet.py does."""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import time

import cost
import fleet

JOB = """\
format: duel
topic: Should cities ban private cars from their centres?
rounds: 4
max_tokens_per_response: 80
defaults: {{model: "{model}"}}
"""
SLOTS = 1


class Recorder(cost.Recorder):
    """Knows of each chat also when it came and whether its reply was given in full."""

    def __init__(self, url):
        super().__init__(url, Hand)
        self.times, self.finished = [], []


class Hand(cost.Hand):
    def hand_on(self, body):
        is_chat = self.path == "/api/chat"
        if is_chat:
            self.server.times.append(time.perf_counter())
        super().hand_on(body)
        if is_chat:
            self.server.finished.append(json.loads(body))


class Machine:
    """A directory with its Ollama server and its worker."""

    def __init__(self, name, binary, nats, ollama):
        self.directory, self.nats, self.binary, self.worker = cost.fresh(name), nats, binary, None
        self.recorder = Recorder(ollama)
        self.log = (self.directory / "worker.log").open("w")

    def rebut(self, *args):
        command = [self.binary, *args, "--nats", self.nats.url]
        return subprocess.run(command, cwd=self.directory, check=False, capture_output=True, text=True)

    def begin(self):
        command = [self.binary, "worker", "--nats", self.nats.url, "--host", self.recorder.url(), "-j", str(SLOTS),
                   "--max-debates", "1", "--work-dir", "work"]
        self.worker = subprocess.Popen(command, cwd=self.directory, stderr=self.log)


def wait(until, process):
    """Waits for something that a process is to bring about."""
    while not until():
        if process.poll() is not None:
            sys.exit(f"it ended early, with {process.returncode}: {process.args}")
        time.sleep(0.01)


def workers(machine):
    return json.loads(machine.rebut("status", "--json").stdout)["workers"]


def played(one, other, asked):
    """Has the debate begun on one machine and ended on the other. Returns how many seconds lay between, and what the kill cut off."""
    (one.directory / "job.yaml").write_text(JOB.format(model=asked.model))
    one.rebut("enqueue", "job.yaml", "--ack-wait", asked.ack_wait).check_returncode()
    one.begin()
    wait(lambda: one.recorder.chats, one.worker)
    other.begin()
    wait(lambda: len(workers(one)) == 2, other.worker)
    # Amid a call: the next has come, and its reply has not been given.
    wait(lambda: len(one.recorder.chats) > asked.calls, one.worker)
    time.sleep(0.1)
    one.worker.kill()
    killed = time.perf_counter()
    one.worker.wait()
    finished = list(one.recorder.finished)
    wait(lambda: other.recorder.chats, other.worker)
    return other.recorder.times[0] - killed, finished


def text(chat):
    return json.dumps(chat, sort_keys=True)


def report(one, other, seconds, finished):
    output = other.directory / "output"
    before, after, done = (collections.Counter(map(text, of)) for of in (one.recorder.chats, other.recorder.chats, finished))
    twice, journal = before & after, list(fleet.entries(output))
    rows = [
        ["calls finished before the kill", len(finished), None],
        ["calls of the second machine", after.total(), None],
        ["finished calls asked again", (twice & done).total(), 0],
        ["calls in flight asked again", (twice - done).total(), SLOTS],
        ["calls missing from the journal", len(before + after) - len(set(journal)), 0],
        ["calls doubled in the journal", len(journal) - len(set(journal)), 0],
        ["debates in the output", len(list(output.glob("????-??-??/*_*"))), 1],
    ]
    print(cost.machine())
    cost.table(["", "seen", "at most"], [[name, str(seen), "" if most is None else str(most)] for name, seen, most in rows])
    print(f"\nfrom the kill to the first call at the second machine: {seconds:.1f} s")
    return all(most is None or 0 <= seen <= most for _, seen, most in rows) and rows[-1][1] == 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("servers", nargs=2, metavar="URL", help="the Ollama servers of the two machines")
    parser.add_argument("--model", required=True, help="a model that both have pulled")
    parser.add_argument("--binary", type=pathlib.Path, default=cost.REBUT)
    parser.add_argument("--ack-wait", default="10s", help="see `rebut enqueue`")
    parser.add_argument("--calls", type=int, default=4, help="calls that are finished before the kill")
    asked = parser.parse_args()
    nats = fleet.Nats(cost.fresh("nats"))
    try:
        one, other = (Machine(name, asked.binary.resolve(), nats, url) for name, url in zip(("one", "other"), asked.servers))
        try:
            seconds, finished = played(one, other, asked)
            other.rebut("collect").check_returncode()
        finally:
            for machine in (one, other):
                if machine.worker:
                    machine.worker.kill()
                    machine.worker.wait()
        return 0 if report(one, other, seconds, finished) else 1
    finally:
        nats.kill()


if __name__ == "__main__":
    sys.exit(main())
