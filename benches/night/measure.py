"""What the servers' logs say of a run: how busy slots were, what was read twice, what was loaded. Times are the machine's seconds."""

from collections import defaultdict

import record


def ran(served):
    """The requests that had a slot."""
    return [line for line in served if line["started"] is not None]


def span(served):
    """When the first request came and the last one ended."""
    return min(line["arrived"] for line in served), max(line["ended"] for line in served)


def loads(served):
    """How often each server loaded a model."""
    counts = defaultdict(int)
    for line in served:
        counts[line["server"]] += line["loaded"]
    return dict(counts)


def busy(served, slots, begin, end):
    """The share of the slots' time between two moments in which they worked."""
    worked = sum(max(0.0, min(line["ended"], end) - max(line["started"], begin)) for line in ran(served))
    return worked / (slots * (end - begin)) if end > begin else None


def lives(debates):
    """When each debate's first call came and its last one ended."""
    served = ([one.served for one in calls if one.served] for calls in debates.values())
    return [(min(it["arrived"] for it in lines), max(it["ended"] for it in lines)) for lines in served if lines]


def busy_slots(served, slots, debates):
    """How busy the slots of one server were: until the last debate began, and as long as enough debates went on to fill them."""
    first = min(line["started"] for line in ran(served))
    alive = lives(debates)
    ends = sorted(end for _, end in alive)
    return {
        "until_last_debate_begins": busy(served, slots, first, max(begin for begin, _ in alive)),
        "while_enough_debates": busy(served, slots, first, ends[max(0, len(ends) - slots)]),
        "whole_run": busy(served, slots, first, ends[-1]),
    }


def reuse(debates):
    """Prompt tokens: all, those that any earlier prompt of the debate and model began with, and those of them that were reused."""
    earlier = record.beginnings()
    total = {"calls": 0, "prompt_tokens": 0, "repeatable": 0.0, "reused": 0.0}
    calls = (one for calls in debates.values() for one in calls if one.served.get("started") is not None)
    for one in sorted(calls, key=lambda it: it.served["started"]):
        prompt = one.prompt.encode()
        before = earlier[one.debate, one.model]
        repeatable = one.prompt_tokens * before.longest(prompt) / len(prompt)
        before.add(prompt)
        total["calls"] += 1
        total["prompt_tokens"] += one.prompt_tokens
        total["repeatable"] += repeatable
        total["reused"] += min(one.served["prompt_reused"], repeatable)
    total["share_of_repeatable"] = total["reused"] / total["repeatable"] if total["repeatable"] else None
    total["prompt_tokens_per_debate"] = total["prompt_tokens"] / max(1, len(debates))
    return total


def summary(run, debates, strange):
    """What every trial tells of a run."""
    began, ended = span(run.served)
    chats = [line for line in run.served if line["kind"] == "chat"]
    return {
        "seconds": ended - began, "real_seconds": run.real_seconds, "debates": len(debates),
        "calls": len(chats), "calls_of_no_finished_debate": len(strange),
        "seconds_of_a_call": sum(it["ended"] - it["started"] for it in ran(chats)) / max(1, len(ran(chats))),
        "loads": sum(loads(run.served).values()), "loads_by_server": loads(run.served), "exit_code": run.code,
    }
