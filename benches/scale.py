#!/usr/bin/env python3
"""What a large batch takes before its first call: python3 benches/scale.py [--no-build] [--finished 20000]

A job of 1,000 topics and 100 seeds is planned by `rebut check` and begun by `rebut run`; then a smaller one is begun again of which
many debates are finished. Prints seconds from the start of the process to its first call, its peak memory by then, and what the
snapshots of inputs take."""

import argparse
import shutil
import subprocess
import time

import cost

JOB = """\
format: knockout
rounds: 1
x: {position: In favour}
y:
  - {name: One, position: Against}
  - {name: Two}
matrix:
"""
SEEDS = 100


def job(directory, debates):
    topics = (f"    - Should town number {n} ban private cars from its centre?\n" for n in range(debates // SEEDS))
    seeds = ", ".join(str(n) for n in range(1, SEEDS + 1))
    (directory / "job.yaml").write_text(f"{JOB}  topic:\n{''.join(topics)}  seed: [{seeds}]\n")


def options(directory, command, *more):
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return {"args": [cost.REBUT, command, "job.yaml", *more], "cwd": directory, **silent}


def until_first_call(directory):
    """Seconds to the first call, and the peak memory by then in MB."""
    with cost.mock_ollama(20) as (url, _):
        recorder, began = cost.Recorder(url), time.perf_counter()
        with subprocess.Popen(**options(directory, "run", "--host", recorder.url(), "--max-debates", "1")) as process:
            while not recorder.first:
                time.sleep(0.002)
            peak = cost.peak_kb(process.pid) / 1024
            process.kill()
        return recorder.first - began, peak


def row(name, seconds, peak):
    return [name, f"{seconds:.1f} s", f"{peak:.0f} MB"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-build", action="store_true", help="take the release binaries as they are")
    parser.add_argument("--debates", type=int, default=100_000, help="debates that are planned")
    parser.add_argument("--finished", type=int, default=20_000, help="debates that are finished before")
    asked = parser.parse_args()
    if not asked.no_build:
        cost.build()
    large, resumed = cost.fresh("large"), cost.fresh("resumed")
    job(large, asked.debates)
    checked = options(large, "check", "--limit", "1")
    planned = cost.measure(checked.pop("args"), **checked)
    rows = [row(f"`check --limit 1` of {asked.debates:,} debates", planned.wall, planned.peak_mb)]
    rows.append(row(f"`run` of {asked.debates:,} debates to its first call", *until_first_call(large)))
    job(resumed, asked.finished + SEEDS)
    with cost.mock_ollama(1) as (url, _):
        played = options(resumed, "run", "--host", url, "--limit", str(asked.finished), "--concurrency", "16")
        cost.measure(played.pop("args"), **played)
    rows.append(row(f"the same again over {asked.finished:,} finished ones", *until_first_call(resumed)))
    print(cost.machine())
    cost.table(["", "time", "peak memory"], rows)
    snapshots = sum(file.stat().st_size for file in resumed.glob("output/.rebut/inputs/*"))
    print(f"\nsnapshots of {asked.finished:,} debates: {snapshots / 1000:.0f} kB")


if __name__ == "__main__":
    try:
        main()
    finally:
        shutil.rmtree(cost.SCRATCH, ignore_errors=True)
