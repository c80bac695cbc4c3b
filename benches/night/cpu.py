#!/usr/bin/env python3
"""What a call costs `rebut` and the naive program: python3 benches/night/cpu.py [--size small]

CPU time of the whole process by its calls, against a mock server that answers at once with replies of 125 chunks. The naive program
asks PyPI's `ollama` for the same calls, without streaming, from eight threads, and writes nothing. Runs of both alternate; the median counts.

With `--client target/release/examples/client` (cargo build --release --example client), also what these calls cost on `rebut`'s HTTP stack
alone, and with one synced line per call."""

import json
import pathlib
import statistics
import sys

import naive
import trial

sys.path.insert(0, str(trial.ROOT / "benches"))
import cost  # noqa: E402

NAIVE = cost.NAIVE.replace(
    '"".join(part.message.content or "" for part in client.chat(stream=True, **wanted))', "client.chat(**wanted).message.content")


def main():
    parser = trial.arguments(__doc__)
    parser.add_argument("--client", type=pathlib.Path, help="the binary of client.rs, to be measured, too")
    options = trial.begin("cpu", parser)
    settings = trial.SETTINGS["cpu"]
    cost.REBUT, cost.MOCK, cost.SCRATCH, cost.NAIVE = options.rebut, options.mock, trial.scratch("cpu"), NAIVE
    assert "stream" not in NAIVE, "benches/cost.py asks in another way"
    chunks, calls = settings["chunks"], settings["calls"][options.size]
    requests, python = cost.requests_of_a_debate(), naive.python()
    programs = {
        "rebut": lambda: cost.run_rebut(chunks, calls),
        "naive": lambda: cost.run_naive(python, requests, chunks, calls),
    }
    if options.client:
        programs["HTTP client alone"] = lambda: run_client(options.client, requests, chunks, calls)
        programs["with a synced line per call"] = lambda: run_client(options.client, requests, chunks, calls, [cost.fresh("lines")])
    runs = []
    for _ in range(settings["runs"]):
        runs.append({name: each(program()) for name, program in programs.items()})
        print(", ".join(f"{name} {ms:.2f}" for name, ms in runs[-1].items()) + " ms of CPU per call", flush=True)
    medians = {name: statistics.median(run[name] for run in runs) for name in programs}
    ratio = medians["rebut"] / medians["naive"]
    rows = [[name, f"{ms:.2f} ms"] for name, ms in medians.items()]
    trial.table(["", "CPU per call, median"], [*rows, ["rebut ÷ naive", trial.ratio(ratio)]])
    trial.finish(options, {"calls": calls, "chunks": chunks, "runs": runs, "medians_ms": medians, "to_naive": ratio})
    trial.clean(pathlib.Path(cost.SCRATCH))


def run_client(client, requests, chunks, calls, more=()):
    requests_file = cost.fresh("client") / "requests.jsonl"
    requests_file.write_text("\n".join(map(json.dumps, requests)))
    with cost.mock_ollama(chunks) as (url, _):
        found = cost.measure([client.resolve(), url, str(calls), requests_file, *more])
    found.calls = calls
    return found


def each(one):
    """Milliseconds of CPU per call."""
    return 1000 * one.cpu / one.calls


if __name__ == "__main__":
    main()
