"""Runs the naive program with the calls that `rebut` made, against servers that are alike."""

import copy
import json
import subprocess
import sys
import time

import measure
import record
import trial


def python():
    """A Python with PyPI's `ollama`, kept below target/."""
    place = trial.ROOT / "target" / "cost-venv"
    python = place / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
    if subprocess.run([python, "-c", "import ollama"], capture_output=True, check=False).returncode:
        subprocess.run([python, "-m", "pip", "install", "--quiet", "ollama"], check=True)
    return python


def by_model(debates):
    """The debates sorted by the models they use, in the order in which they use them first."""
    def models(calls):
        return list(dict.fromkeys(one.model for one in calls))
    return dict(sorted(debates.items(), key=lambda it: models(it[1])))


def play(options, settings, debates, directory, order):
    """Makes the same calls, and says of them what is said of rebut's. The clock leaps where one server has all the work: nothing in
    the program has a clock of its own, and a night of thousands of loads would last a night."""
    trial_servers = len(settings.get("servers", [1]))
    scale = options.scale if trial_servers > 1 else None
    place = directory / f"naive-{order}"
    place.mkdir()
    again = by_model({key: [copy.copy(one) for one in calls] for key, calls in debates.items()})
    with trial.serving(options.mock, settings, place, trial.MACHINE["pool"], scale) as servers:
        work = {"urls": [it.url for it in servers], "pool": trial.MACHINE["pool"], "order": order,
                "debates": [[one.request for one in calls] for calls in again.values()]}
        (place / "work.json").write_text(json.dumps(work))
        began = time.perf_counter()
        with open(place / "work.json") as stdin:
            subprocess.run([python(), trial.NIGHT / "naive_program.py"], stdin=stdin, check=True)
        run = trial.Run(place, [line for it in servers for line in it.served()], servers, time.perf_counter() - began, 0)
    for calls in again.values():
        for one in calls:
            one.served = {}
    strange = record.join(again, run.served)
    figures = measure.summary(run, again, strange)
    figures["reuse"] = measure.reuse(again)
    return figures
