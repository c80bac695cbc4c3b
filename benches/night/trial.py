"""What the trials of the scheduler share: their settings, the mock servers, a run of `rebut`, what is printed."""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass

NIGHT = pathlib.Path(__file__).resolve().parent
ROOT = NIGHT.parent.parent
SCRATCH = ROOT / "target" / "night"
# Exit codes of `rebut run`: all done, or some debates degraded, as a mock's replies may leave them.
FINE = (0, 1)
# No proxy stands between a client and a server of this machine.
os.environ["NO_PROXY"] = "*"
SETTINGS = tomllib.loads((NIGHT / "trials.toml").read_text())
MACHINE = SETTINGS["machine"]
# About what a call takes on the machine.
SECONDS_OF_A_CALL = 4


def arguments(description):
    """The options that all trials have."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=["tiny", "small", "middle", "full"], default="full",
                        help="how many debates, by trials.toml (default full; tiny takes seconds)")
    parser.add_argument("--rebut", type=pathlib.Path, help="the binary to try; by default the release binary, built first")
    parser.add_argument("--mock", type=pathlib.Path, help="the mock server's binary; likewise")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="where to write all figures as JSON (default target/night/NAME-SIZE-SEED.json)")
    return parser


def night(name, description):
    """And those of the trials that play a night."""
    parser = arguments(description)
    parser.add_argument("--seed", type=int, default=1, help="the jobs' seed, 1 to 20 (default 1)")
    parser.add_argument("--clock", choices=["runs", "leaps"], default="runs",
                        help="runs: servers play their times, scaled; leaps: no time passes while rebut works, right only for a scheduler "
                        "that has no clock of its own (default runs)")
    parser.add_argument("--scale", type=float, default=SETTINGS["scale"].get(name),
                        help="real seconds for each of the machine's, if the clock runs (default %(default)s)")
    parser.add_argument("--options", default=f"--concurrency {MACHINE['slots']}",
                        help="more options of `rebut run` (default %(default)r)")
    parser.add_argument("--naive", choices=["yes", "no"], default="yes", help="whether to run the naive program, too (default yes)")
    return parser


def begin(name, parser):
    """Reads the options and builds what is missing."""
    options = parser.parse_args()
    options.name = name
    if not (options.rebut and options.mock):
        build()
    options.rebut = (options.rebut or ROOT / "target" / "release" / "rebut").resolve()
    options.mock = (options.mock or ROOT / "target" / "release" / "mock-ollama").resolve()
    options.output = options.output or SCRATCH / f"{name}-{options.size}-{getattr(options, 'seed', 0)}.json"
    SCRATCH.mkdir(parents=True, exist_ok=True)
    return options


def build():
    command = ["cargo", "build", "--release", "--locked", "-p", "rebut", "-p", "mock-ollama"]
    subprocess.run(command, cwd=ROOT, check=True)


def scratch(name):
    """An empty directory below target/."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    return pathlib.Path(tempfile.mkdtemp(prefix=f"{name}-", dir=SCRATCH))


# --- Jobs


def topics():
    """As many topics as there are pairs, neighbours differing in both halves."""
    who, what = SETTINGS["topics"]["who"], SETTINGS["topics"]["what"]
    return [f"Should {who[i % len(who)]} {what[(i + i // len(who)) % len(what)]}?" for i in range(len(who) * len(what))]


def job(trial, form, debates, seed):
    """A job of so many debates, one a topic, that take the trial's mixes in turn. JSON is YAML."""
    subject = "query" if form in ("roundtable", "dialectic") else "topic"
    cases = [{subject: topic, **mix(trial, i)} for i, topic in enumerate(topics()[:debates])]
    assert len(cases) == debates, "there are not so many topics"
    whole = {"format": form, subject: cases[0][subject], "allow_explicit": True, "seed": seed, "matrix": {"case": cases}}
    return json.dumps(whole, indent=1)


def mix(trial, i):
    return trial["mixes"][i % len(trial["mixes"])]


# --- Servers


@dataclass
class Server:
    """A mock server that runs, and how it does."""

    url: str
    log: pathlib.Path
    speed: float
    slots: int
    load_seconds: float

    def served(self):
        """Its log, in the order in which requests got their slots."""
        lines = [{**json.loads(line), "server": self.url} for line in self.log.read_text().splitlines()]
        return sorted(lines, key=lambda it: (it["started"] is None, it["started"] or 0.0))


@contextlib.contextmanager
def serving(mock, trial, directory, in_flight, scale=None):
    """The trial's servers. With a scale their clocks run; without one they leap as soon as so many requests are in flight."""
    with contextlib.ExitStack() as stack:
        yield [
            stack.enter_context(server(mock, trial, directory / f"server-{i}.jsonl", speed, in_flight, scale))
            for i, speed in enumerate(trial.get("servers", [1.0]))
        ]


@contextlib.contextmanager
def server(mock, trial, log, speed, in_flight, scale, more=()):
    load = trial["load_seconds"]
    command = [
        mock, "--log", log, "--parallel", MACHINE["slots"], "--keep-alive", MACHINE["keep_alive"], "--memory", trial["memory"],
        "--prompt-cache", MACHINE["prompt_cache"], "--prompt-speed", MACHINE["prompt_speed"] * speed,
        "--reply-speed", MACHINE["reply_speed"] * speed, "--sentences", MACHINE["sentences"], "--chunks", MACHINE["chunks"],
        "--by-request",
    ]
    command += [word for model in trial["models"] for word in ("--model", f"{model}:{trial['size']}@{load}")]
    # What it says of its times must agree with a client's clock.
    command += ["--scale", scale, "--real-durations"] if scale else ["--leaps", in_flight]
    command += more
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True) as process:
        try:
            url = process.stdout.readline().strip()
            yield Server(url, log, speed, MACHINE["slots"], load)
        finally:
            process.kill()


# --- rebut


@dataclass
class Run:
    """A run of `rebut`: where it wrote, and what the servers saw."""

    output: pathlib.Path
    served: list
    servers: list
    real_seconds: float
    code: int


def run_rebut(options, trial, form, debates, directory):
    """Plays so many debates of a format; with the clock that `options` ask for."""
    (directory / "job.yaml").write_text(job(trial, form, debates, options.seed))
    scale = options.scale if options.clock == "runs" else None
    slots = MACHINE["slots"] * len(trial.get("servers", [1]))
    assert scale or len(trial.get("servers", [1])) == 1, "clocks of several servers leap apart"
    with serving(options.mock, trial, directory, slots, scale) as servers:
        hosts = [word for server in servers for word in ("--host", server.url)]
        # A mock's replies may leave the first ten debates degraded for one cause, after which no more would begin.
        command = [options.rebut, "run", "job.yaml", "-o", "output", "--max-failures", "never", *hosts, *options.options.split()]
        with open(directory / "rebut.log", "w") as log:
            began = time.perf_counter()
            code = subprocess.run(command, cwd=directory, stdout=log, stderr=log, check=False).returncode
            real = time.perf_counter() - began
        served = [line for server in servers for line in server.served()]
    if code not in FINE:
        print(f"rebut ended with {code}: see {directory / 'rebut.log'}", file=sys.stderr)
    return Run(directory / "output", served, servers, real, code)


# --- What is printed


def table(head, rows):
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    print("\n" + "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines))


def percent(share):
    return "–" if share is None else f"{100 * share:.1f}%"


def ratio(value):
    return "–" if value is None else f"{value:.2f}"


def how(options):
    """How times were taken, to be told with them."""
    if options.clock == "leaps":
        return "Times are the mock server's, whose clock stood while rebut worked."
    busy = os.getloadavg()[0] / (os.cpu_count() or 1)
    return (f"A second of the machine's took {options.scale} s. {overhead(options.scale)} "
            f"At the end {busy:.1f} processes wanted each core here: above 1, times are longer than they need be.")


def overhead(scale):
    """What a millisecond of the trial's own machine does to the figures."""
    share = 0.001 / (SECONDS_OF_A_CALL * scale)
    return f"Each millisecond that a client takes between two calls of a slot costs {100 * share:.1f}% of a call."


def finish(options, figures):
    """Writes all figures as JSON and says where."""
    asked = {key: str(value) for key, value in vars(options).items() if key != "output"}
    whole = {**asked, "load_of_the_machine": os.getloadavg(), **figures}
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(whole, indent=1) + "\n")
    print(f"\nall figures: {options.output}")


def clean(directory, code=0):
    """Deletes what a trial left, if all ended well."""
    if code in FINE:
        shutil.rmtree(directory, ignore_errors=True)
