#!/usr/bin/env python3
"""A bad night: python3 benches/night/bad.py [--size small] [--seed 2]

Three servers refuse, fall silent, break off and die by chance, and `rebut` is killed with SIGKILL now and then and started again. Says
whether every debate was finished once, which calls were answered twice, and in what the debates differ from those of a calm night.
Replies follow from the requests, so a debate may differ only where a call had another attempt with another seed."""

import collections
import contextlib
import json
import random
import signal
import subprocess
import sys
import time

import trial

# Of a trace: what follows from the replies alone.
TELLING = ("format", "outcome", "statements", "ballots", "judgments", "verdicts", "flow")
# Within it: what an incident or the clock changes.
OF_THE_NIGHT = {"ms", "wall_ms", "started_at", "ended_at", "at", "time", "call_attempt", "attempt", "attempts", "prompt_tokens"}
# Real seconds after which a silent stream is given up.
IDLE = 1


def main():
    parser = trial.night("bad", __doc__)
    # A debate is told by its topic's place and its seed: the bad night's debates must be the calm one's.
    parser.set_defaults(options=f"--idle-timeout {IDLE}s --retry-delay 10ms")
    options = trial.begin("bad", parser)
    settings = trial.SETTINGS["bad"]
    calm = night(options, settings, "calm", kills=0)
    bad = night(options, settings, "bad", kills=settings["kills"])
    figures = compare(options, settings, calm, bad)
    tell(figures, options)
    trial.finish(options, figures)
    fine = not (figures["missing"] or figures["twice"] or figures["differ"] or figures["code"] or not figures["finished"])
    for one in (calm, bad):
        trial.clean(one.directory, 0 if fine else 2)
    sys.exit(0 if fine else 1)


class Night:
    """What a night left."""

    def __init__(self, directory, code, kills, served):
        self.directory, self.code, self.kills, self.served = directory, code, kills, served
        self.traces = [json.loads(path.read_text()) for path in sorted(directory.glob("output/20*/*/trace.json"))]


def night(options, settings, name, kills):
    directory = trial.scratch(f"bad-{name}")
    debates = settings["debates"][options.size]
    (directory / "job.yaml").write_text(job(settings, debates, options.seed))
    with contextlib.ExitStack() as stack:
        servers = []
        for i, speed in enumerate(settings["servers"]):
            faults = fault_options(settings, options.seed * 10 + i) if name == "bad" else []
            log = directory / f"server-{i}.jsonl"
            servers.append(stack.enter_context(trial.server(options.mock, settings, log, speed, 0, options.scale, faults)))
        hosts = [word for server in servers for word in ("--host", server.url)]
        command = [options.rebut, "run", "job.yaml", "-o", "output", *hosts, *options.options.split()]
        code, killed = run(command, directory, kills, debates, random.Random(options.seed))
        served = [line for server in servers for line in server.served()]
    return Night(directory, code, killed, served)


def job(settings, debates, seed):
    """So many debates: the trials' hundred topics, each with as many seeds as that takes."""
    topics = min(debates, len(trial.topics()))
    whole = json.loads(trial.job(settings, settings["formats"][0], topics, seed))
    whole["repeat"] = -(-debates // topics)
    return json.dumps(whole)


def fault_options(settings, seed):
    words = {"--fault-seed": seed}
    words |= {f"--{key.replace('_', '-')}": settings[key] for key in ("busy", "stalls", "crashes", "dies_after", "dead_for")}
    return [word for pair in words.items() for word in pair]


def run(command, directory, kills, debates, dice):
    """Runs it to its end, killed at so many moments between its first debate and its last."""
    moments = sorted(dice.randint(1, max(1, debates - 2)) for _ in range(kills))
    killed = 0
    with open(directory / "rebut.log", "w") as log:
        while True:
            process = subprocess.Popen(command, cwd=directory, stdout=log, stderr=log)
            if killed < len(moments) and reaches(process, directory, moments[killed]):
                process.send_signal(signal.SIGKILL)
                process.wait()
                killed += 1
                continue
            return process.wait(), killed


def reaches(process, directory, debates):
    """Whether so many debates are finished before the process ends."""
    while process.poll() is None:
        if len(list(directory.glob("output/20*/*/trace.json"))) >= debates:
            return True
        time.sleep(0.01)
    return False


# --- Comparison


def compare(options, settings, calm, bad):
    wanted = {trace["id"]: trace for trace in calm.traces}
    ids = collections.Counter(trace["id"] for trace in bad.traces)
    same, other_attempts, differ = 0, 0, []
    for trace in bad.traces:
        if telling(trace) == telling(wanted.get(trace["id"], {})):
            same += 1
        elif had_other_attempts(trace):
            other_attempts += 1
        else:
            differ.append(trace["id"])
    return {
        "debates": settings["debates"][options.size], "finished": len(bad.traces), "code": bad.code if bad.code not in trial.FINE else 0,
        "missing": sorted(set(wanted) - set(ids)), "twice": [one for one, n in ids.items() if n > 1],
        "same": same, "with_other_attempts": other_attempts, "differ": differ, "kills": bad.kills,
        "status": dict(collections.Counter(trace["status"] for trace in bad.traces)),
        "chats": len(bad.served), "answered_twice": answered_twice(bad),
    }


def telling(trace):
    return {key: without_the_night(trace.get(key)) for key in TELLING}


def without_the_night(value):
    if isinstance(value, dict):
        return {key: without_the_night(one) for key, one in value.items() if key not in OF_THE_NIGHT}
    if isinstance(value, list):
        return [without_the_night(one) for one in value]
    return value


def had_other_attempts(trace):
    return any(call.get("attempt", 1) > 1 for call in trace["calls"]) or bool(trace["incidents"])


def answered_twice(night):
    """Requests to which servers gave more than one whole reply: those under way when `rebut` was killed, or when a server died."""
    whole = collections.Counter((line["model"], line["seed"], line["prompt"]) for line in night.served if line["completed"])
    return sum(n - 1 for n in whole.values() if n > 1)


def tell(figures, options):
    rows = [
        ["debates", figures["debates"]], ["finished", figures["finished"]], ["of them twice", len(figures["twice"])],
        ["as on the calm night", figures["same"]], ["with other attempts", figures["with_other_attempts"]],
        ["otherwise different", len(figures["differ"])], ["kills of rebut", figures["kills"]], ["chats", figures["chats"]],
        ["of them answered twice", figures["answered_twice"]],
    ]
    trial.table(["a bad night", ""], rows)
    print(f"\nStatuses: {figures['status']}. {trial.how(options)}")


if __name__ == "__main__":
    main()
