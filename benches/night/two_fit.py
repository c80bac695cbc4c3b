#!/usr/bin/env python3
"""Two models that fit together on three servers of different speed: python3 benches/night/two_fit.py [--size small] [--seed 2]

Says how long it took and what each server did: `rebut`, the naive program, and the lower bound. Each model has slots of its own."""

import bound
import measure
import naive
import record
import trial


def main():
    parser = trial.night("two_fit", __doc__)
    settings = trial.SETTINGS["two_fit"]
    parser.set_defaults(options=f"--concurrency {2 * trial.MACHINE['slots']}")
    options = trial.begin("two_fit", parser)
    directory = trial.scratch("two-fit")
    run = trial.run_rebut(options, settings, settings["formats"][0], settings["debates"][options.size], directory)
    debates = record.debates(run.output)
    strange = record.join(debates, run.served)
    figures = {"rebut": measure.summary(run, debates, strange), "bound": bound.of_run(debates, run.servers, at_once=2)}
    figures["rebut"]["reuse"] = measure.reuse(debates)
    figures["rebut"]["servers"] = shares(run)
    if options.naive == "yes":
        figures["naive"] = naive.play(options, settings, debates, directory, "debates")
    tell(figures, options)
    trial.finish(options, figures)
    trial.clean(directory, run.code)


def shares(run):
    """Of each server: its speed, its calls, and how busy its slots, those of both models, were."""
    began, ended = measure.span(run.served)
    def share(server):
        mine = [line for line in run.served if line["server"] == server.url]
        return {"speed": server.speed, "calls": len(mine), "loads": sum(line["loaded"] for line in mine),
                "busy": measure.busy(mine, 2 * server.slots, began, ended)}
    return [share(server) for server in run.servers]


def tell(figures, options):
    ours, least = figures["rebut"], figures["bound"]
    rows = [["rebut", f"{ours['calls']:,}", f"{ours['seconds']:,.0f} s", ours["loads"], "1.00"]]
    if other := figures.get("naive"):
        rows.append(["naive", f"{other['calls']:,}", f"{other['seconds']:,.0f} s", other["loads"], trial.ratio(ours["seconds"] / other["seconds"])])
    rows.append(["lower bound", "–", f"{least['seconds']:,.0f} s", "–", trial.ratio(ours["seconds"] / least["seconds"])])
    least_work = least["seconds_without_changes"]
    rows.append(["the same if changing models cost nothing", "–", f"{least_work:,.0f} s", "–", trial.ratio(ours["seconds"] / least_work)])
    trial.table(["", "calls", "time", "loads", "ours ÷ this"], rows)
    rows = [[f"{it['speed']:g}", f"{it['calls']:,}", it["loads"], trial.percent(it["busy"])] for it in ours["servers"]]
    trial.table(["server's speed", "calls", "loads", "slots busy, from the first call to the end of all"], rows)
    print(f"\nThe longest debate alone takes {least['longest_debate']:,.0f} s on the fastest server. {trial.how(options)}")


if __name__ == "__main__":
    main()
