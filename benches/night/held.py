"""What a debate that changes between loaded models costs at least: prompts read again, or slots kept idle for them.

A stage of a debate begins when the one before it has ended. If stages of other models lie between two stages of one model, the first
call of the later stage either reads again what the debate had told that model before, or finds it in a slot. No call ran in that slot
since then, so it was idle for as long as the stages between took. Such idle times do not overlap: those of one debate lie between
different stages or belong to slots of different models, and a slot holds the prompts of one debate. So a debate takes at least as much of
its servers' slots as on its cheapest way through its stages: for each stage a server, for each change reading again or keeping a slot.

All work is in seconds of a slot of speed 1: an idle second of a slot of speed 0.5 is half a second of work that it could have done."""

import itertools
from collections import defaultdict
from dataclasses import dataclass

import record
import trial

NOWHERE = -1


@dataclass
class Part:
    """The calls of one model in a stage."""

    # Their work.
    work: float
    calls: int
    # The work of reading again what was told before, of the call for which that is least.
    again: float


@dataclass
class Stage:
    """Calls that may go at once, by model, and the work that they are at least one after another."""

    parts: dict
    length: float

    @property
    def is_one_call(self):
        return [part.calls for part in self.parts.values()] == [1]


# --- What a debate does


def of_all(debates):
    """Each debate as its stages."""
    shared = shared_by_debates(debates)
    return [stages(calls, shared) for calls in debates.values()]


def shared_by_debates(debates):
    """The longest beginning that prompts of two debates share, by model: a slot may hold that much whatever it served last."""
    prompts = defaultdict(list)
    for debate, calls in debates.items():
        for one in calls:
            prompts[one.model].append((one.prompt.encode(), debate))
    def longest(texts):
        pairs = itertools.pairwise(sorted(texts))
        return max((record.common(a, b) for (a, one), (b, other) in pairs if one != other), default=0)
    return {model: longest(texts) for model, texts in prompts.items()}


def stages(calls, shared):
    earlier, found = record.beginnings(), []
    for lanes in record.stages(calls):
        lanes = [[one for one in lane if one.served.get("started") is not None] for lane in lanes]
        if lanes := [lane for lane in lanes if lane]:
            found.append(stage(lanes, earlier, shared))
    return found


def stage(lanes, earlier, shared):
    calls = [one for lane in lanes for one in lane]
    again = [tokens(one, max(0, earlier[one.model].longest(one.prompt.encode()) - shared[one.model])) for one in calls]
    parts = {}
    for one, before in zip(calls, again):
        part = parts.setdefault(one.model, Part(0.0, 0, float("inf")))
        part.work += work_of(one, earlier, shared)
        part.calls += 1
        part.again = min(part.again, before / trial.MACHINE["prompt_speed"])
    if len(calls) == 1:
        return Stage(parts, part.work)
    # What one of several calls reads, another one of them may have read for it. Replies are nobody else's.
    return Stage(parts, max(sum(map(writing, lane)) for lane in lanes))


def work_of(one, earlier, shared):
    """The work of a call if a slot holds all that was asked before; asks it."""
    prompt, before = one.prompt.encode(), earlier[one.model]
    new = one.prompt_tokens - tokens(one, max(before.longest(prompt), shared[one.model]))
    before.add(prompt + one.served["reply"].encode())
    return max(1, new) / trial.MACHINE["prompt_speed"] + writing(one)


def writing(one):
    return one.served["reply_tokens"] / trial.MACHINE["reply_speed"]


def tokens(one, size):
    """The tokens of so many bytes of a prompt."""
    return int(one.prompt_tokens * size / len(one.prompt.encode()))


# --- Its cheapest way


def cheapest(stages, speeds):
    """The least work that a debate can be to servers of these speeds."""
    models = sorted({model for one in stages for model in one.parts})
    costs = {(NOWHERE,) * len(models): 0.0}
    for one in stages:
        after = {}
        for held, cost in costs.items():
            for state, more in ways(one, models, held, speeds):
                after[state] = min(after.get(state, float("inf")), cost + more)
        costs = after
    return min(costs.values())


def ways(stage, models, held, speeds):
    """The states after a stage, and the work to come there. A state says for each model on which server a slot is kept."""
    places = range(len(speeds))
    if not stage.is_one_call:
        yield from combined([choices(stage, model, at, places, stage.length / max(speeds), speeds) for model, at in zip(models, held)])
        return
    for place in places:
        yield from combined([choices(stage, model, at, [place], stage.length / speeds[place], speeds) for model, at in zip(models, held)])


def choices(stage, model, at, places, seconds, speeds):
    """Where a slot may be kept for a model after a stage, if it was kept `at`, and the work of that model's part."""
    part = stage.parts.get(model)
    if part is None:
        kept = [(at, speeds[at] * seconds)] if at != NOWHERE else []
        return [(NOWHERE, 0.0), *kept]
    found = [(here, part.work + (0.0 if here == at else part.again)) for here in places]
    if at != NOWHERE:
        # One of several calls may use what was kept, and another one leave its prompt elsewhere; or none of them uses it.
        found += [(here, part.work) for here in places if part.calls > 1]
        found.append((at, part.work + part.again))
    return found


def combined(choices):
    for ways in itertools.product(*choices):
        yield tuple(at for at, _ in ways), sum(work for _, work in ways)


def work(debates, speeds):
    """The work of all debates at least."""
    return sum(cheapest(one, speeds) for one in of_all(debates))
