#!/usr/bin/env python3
"""What a call costs `rebut` and the naive program: python3 benches/night/cpu.py [--size small]

CPU time of the whole process by its calls, against a mock server that answers at once with replies of 125 chunks. The naive program
asks PyPI's `ollama` for the same calls, without streaming, from eight threads, and writes nothing. Runs of both alternate; the median counts."""

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
    options = trial.begin("cpu", parser)
    settings = trial.SETTINGS["cpu"]
    cost.REBUT, cost.MOCK, cost.SCRATCH, cost.NAIVE = options.rebut, options.mock, trial.scratch("cpu"), NAIVE
    assert "stream" not in NAIVE, "benches/cost.py asks in another way"
    chunks, calls = settings["chunks"], settings["calls"][options.size]
    requests, python = cost.requests_of_a_debate(), naive.python()
    pairs = []
    for _ in range(settings["runs"]):
        pairs.append([each(cost.run_rebut(chunks, calls)), each(cost.run_naive(python, requests, chunks, calls))])
        print(f"rebut {pairs[-1][0]:.2f} ms, naive {pairs[-1][1]:.2f} ms of CPU per call", flush=True)
    ours, other = (statistics.median(one) for one in zip(*pairs))
    trial.table(["", "CPU per call, median"], [["rebut", f"{ours:.2f} ms"], ["naive", f"{other:.2f} ms"], ["ours ÷ naive", trial.ratio(ours / other)]])
    trial.finish(options, {"calls": calls, "chunks": chunks, "runs": pairs, "rebut_ms": ours, "naive_ms": other, "to_naive": ours / other})
    trial.clean(pathlib.Path(cost.SCRATCH))


def each(one):
    """Milliseconds of CPU per call."""
    return 1000 * one.cpu / one.calls


if __name__ == "__main__":
    main()
