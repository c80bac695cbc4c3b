#!/usr/bin/env python3
"""One model on four slots, debates of each format: python3 benches/night/one_model.py [--size small] [--seed 2]

Says how busy the slots were, how much of what could be reused of prompts was reused, and what a debate's prompts came to; beside it
the naive program's figures for the same calls, and the lower bound."""

import bound
import measure
import naive
import record
import trial


def main():
    parser = trial.night("one_model", __doc__)
    parser.add_argument("--format", action="append", help="only this format; repeatable")
    options = trial.begin("one_model", parser)
    settings = trial.SETTINGS["one_model"]
    figures = {form: play(options, settings, form) for form in options.format or settings["formats"]}
    tell(figures, options)
    trial.finish(options, {"formats": figures})


def play(options, settings, form):
    directory = trial.scratch(f"one-model-{form}")
    run = trial.run_rebut(options, settings, form, settings["debates"][options.size], directory)
    debates = record.debates(run.output)
    strange = record.join(debates, run.served)
    figures = measure.summary(run, debates, strange)
    figures["busy"] = measure.busy_slots(run.served, trial.MACHINE["slots"], debates)
    figures["reuse"] = measure.reuse(debates)
    figures["bound"] = bound.of_run(debates, run.servers)
    figures["to_bound"] = figures["seconds"] / figures["bound"]["seconds"]
    if options.naive == "yes":
        figures["naive"] = naive.play(options, settings, debates, directory, "debates")
        figures["to_naive"] = figures["seconds"] / figures["naive"]["seconds"]
    trial.clean(directory, run.code)
    return figures


def tell(figures, options):
    rows = [row(form, it) for form, it in figures.items()]
    trial.table(
        ["format", "debates", "calls", "slots busy until the last debate began", "while enough debates went on", "reused of repeatable",
         "prompt tokens per debate", "ours ÷ bound", "ours ÷ naive", "naive: reused of repeatable"], rows)
    print(f"\n{trial.how(options)}")


def row(form, it):
    other = it.get("naive", {})
    return [
        form, it["debates"], it["calls"], trial.percent(it["busy"]["until_last_debate_begins"]), trial.percent(it["busy"]["while_enough_debates"]),
        trial.percent(it["reuse"]["share_of_repeatable"]), f"{it['reuse']['prompt_tokens_per_debate']:,.0f}", trial.ratio(it["to_bound"]),
        trial.ratio(it.get("to_naive")), trial.percent(other["reuse"]["share_of_repeatable"]) if other else "–",
    ]


if __name__ == "__main__":
    main()
