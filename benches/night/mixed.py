#!/usr/bin/env python3
"""Knockouts that mix three models of which one fits: python3 benches/night/mixed.py [--size small] [--seed 2]

Says how often models were loaded and how long it took: `rebut`, the naive program in both its orders, and the lower bound."""

import bound
import measure
import naive
import record
import trial


def main():
    parser = trial.night("mixed", __doc__)
    options = trial.begin("mixed", parser)
    settings = trial.SETTINGS["mixed"]
    directory = trial.scratch("mixed")
    run = trial.run_rebut(options, settings, settings["formats"][0], settings["debates"][options.size], directory)
    debates = record.debates(run.output)
    strange = record.join(debates, run.served)
    figures = {"rebut": measure.summary(run, debates, strange), "bound": bound.of_run(debates, run.servers)}
    figures["rebut"]["reuse"] = measure.reuse(debates)
    for order in ("debates", "steps") if options.naive == "yes" else ():
        figures[f"naive_{order}"] = naive.play(options, settings, debates, directory, order)
    tell(figures, options)
    trial.finish(options, figures)
    trial.clean(directory, run.code)


def tell(figures, options):
    ours, least = figures["rebut"], figures["bound"]
    rows = [row("rebut", ours, ours, least)]
    names = {"naive_debates": "naive, debate by debate, sorted by model", "naive_steps": "naive, step by step, each sorted by model"}
    rows += [row(name, figures[key], ours, least) for key, name in names.items() if key in figures]
    loads = str(least["mandatory_loads"]) if least["mandatory_exact"] else f"at least {least['mandatory_loads']}"
    rows.append(["lower bound", "–", loads, f"{least['seconds']:,.0f} s", trial.ratio(ours["seconds"] / least["seconds"]),
                 trial.ratio(ours["loads"] / least["mandatory_loads"]), "1.00"])
    trial.table(["", "calls", "loads", "time", "ours ÷ this, time", "ours ÷ this, loads", "this ÷ bound, time"], rows)
    print(f"\n{ours['debates']} debates of {least['mandatory_patterns']} different patterns; {least['mandatory_enough']} loads are enough "
          f"(found greedily). {trial.how(options)}")


def row(name, it, ours, least):
    return [name, f"{it['calls']:,}", f"{it['loads']:,}", f"{it['seconds']:,.0f} s", trial.ratio(ours["seconds"] / it["seconds"]),
            trial.ratio(ours["loads"] / it["loads"]), trial.ratio(it["seconds"] / least["seconds"])]


if __name__ == "__main__":
    main()
