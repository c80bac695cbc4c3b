"""The lower bound of a run's time: on one server, mandatory loads × load time + work ÷ slots; on several, the time in which they do all
work together, if it is shared out at best, and changing between models that are loaded together costs what it must (`held.py`).

Work is replies and unavoidable reading: of each prompt what no other prompt of its debate and model, with the reply to it, begins with.
(In what order calls are made does not matter: the texts form a tree, and each of its branches is read once.) Mandatory loads are the
fewest after which all debates can have ended, were all of them open and as many calls made under each load as can be. They are found by
exact search over the debates' different patterns; where there are too many, over those that take most loads, which can only find fewer."""

import heapq
import itertools
from functools import lru_cache

import held
import record
import trial

# States that a search may look at.
MOST_STATES = 300_000


# --- Work


def reading(debates):
    """Prompt tokens that must be read, and reply tokens, of all calls."""
    earlier = record.beginnings()
    read = written = 0
    for calls in debates.values():
        for one in calls:
            if one.served.get("started") is None:
                continue
            prompt = one.prompt.encode()
            before = earlier[one.debate, one.model]
            known = before.longest(prompt)
            # At least one token is always read.
            read += max(1, one.prompt_tokens - int(one.prompt_tokens * known / len(prompt)))
            written += one.served["reply_tokens"]
            before.add(prompt + one.served["reply"].encode())
    return read, written


def work(debates):
    """The seconds of one slot of a server of speed 1 that all calls take at least."""
    read, written = reading(debates)
    return read / trial.MACHINE["prompt_speed"] + written / trial.MACHINE["reply_speed"]


# --- Mandatory loads


def pattern(calls):
    """A debate as the models of its calls: stages, in each the lanes that may go at once, in each lane models one after another."""
    stages = []
    for lanes in record.stages(calls):
        stages.append(tuple(sorted(collapsed(one.model for one in lane) for lane in lanes)))
    return shortened(stages)


def collapsed(models):
    return tuple(model for model, _ in itertools.groupby(models))


def shortened(stages):
    """The same without lanes that another one of their stage contains, and without stages that need nothing new."""
    kept = []
    for lanes in stages:
        lanes = tuple(sorted(set(lanes)))
        single = len(lanes) == 1 and len(lanes[0]) == 1
        if single and kept and kept[-1] == lanes:
            continue
        kept.append(lanes)
    return tuple(kept)


def advanced(pattern, state, model):
    """Where a debate stands after all calls of a model that can be made from `state` were made: stage and, of its lanes, how far."""
    stage, done = state
    while stage < len(pattern):
        lanes = pattern[stage]
        done = done or (0,) * len(lanes)
        done = tuple(far + (far < len(lane) and lane[far] == model) for far, lane in zip(done, lanes))
        if any(far < len(lane) for far, lane in zip(done, lanes)):
            return stage, done
        stage, done = stage + 1, ()
    return stage, ()


def loads_of(patterns, models, most_states=MOST_STATES):
    """The fewest loads after which debates of all patterns have ended, one model at a time; none if the search gives up. It is A*,
    guided by what each debate needs by itself."""
    patterns = sorted(set(patterns))
    alone = [lru_cache(None)(lambda state, one=one: loads_alone(one, state, models)) for one in patterns]
    start = tuple((0, ()) for _ in patterns)

    def left(states):
        return max((left_of(state) for left_of, state in zip(alone, states)), default=0)

    heap, best, looked = [(left(start), 0, start, None)], {}, 0
    while heap:
        _, loads, states, last = heapq.heappop(heap)
        if all(state[0] == len(one) for state, one in zip(states, patterns)):
            return loads
        if best.get(states, loads + 1) <= loads:
            continue
        best[states] = loads
        looked += 1
        if looked > most_states:
            return None
        for model in models:
            if model != last:
                following = tuple(advanced(one, state, model) for one, state in zip(patterns, states))
                if following != states:
                    heapq.heappush(heap, (loads + 1 + left(following), loads + 1, following, model))
    return 0


def loads_alone(pattern, state, models):
    """The fewest loads after which one debate has ended: breadth first."""
    states, loads = {state}, 0
    while not any(stage == len(pattern) for stage, _ in states):
        states = {advanced(pattern, one, model) for one in states for model in models}
        loads += 1
    return loads


def mandatory_loads(patterns, models, most_states=MOST_STATES):
    """A number of loads that cannot be avoided, and whether it is exact: by a search over all patterns, or else over as many as the
    search can do, those with most loads first."""
    def alone(one):
        return loads_alone(one, (0, ()), models)
    different = sorted(set(patterns), key=lambda one: (-alone(one), one))
    exact = loads_of(different, models, most_states)
    if exact is not None:
        return {"loads": exact, "exact": True, "patterns": len(different)}
    chosen = different[:1]
    best = alone(chosen[0])
    for one in different[1:]:
        found = loads_of([*chosen, one], models, most_states // 4)
        if found is not None and found > best:
            best, chosen = found, [*chosen, one]
    return {"loads": best, "exact": False, "patterns": len(different), "searched": len(chosen)}


def enough_loads(patterns, models):
    """Loads that are enough, found greedily: always the model that takes most debates furthest."""
    states = [(0, ()) for _ in patterns]
    loads = 0
    while any(state[0] < len(one) for one, state in zip(patterns, states)):
        def worth(model):
            after = [advanced(one, state, model) for one, state in zip(patterns, states)]
            return sum(loads_alone_cached(one, state, tuple(models)) for one, state in zip(patterns, after))
        model = min(models, key=worth)
        states = [advanced(one, state, model) for one, state in zip(patterns, states)]
        loads += 1
    return loads


@lru_cache(None)
def loads_alone_cached(pattern, state, models):
    return loads_alone(pattern, state, models)


# --- The bound


def of_run(debates, servers, at_once=1):
    """The bound of all calls of a run on its servers, if `at_once` models fit in each, however calls are shared out."""
    patterns = [pattern(calls) for calls in debates.values()]
    models = sorted({one.model for calls in debates.values() for one in calls})
    found = {"work": work(debates), "longest_debate": longest(debates) / max(it.speed for it in servers)}
    if len(servers) > 1 or at_once > 1:
        at_once = min(at_once, len(models))
        found["with_changes"] = held.work(debates, [it.speed for it in servers])
        return {"seconds": shared(max(found["work"], found["with_changes"]), servers, at_once), **found,
                "seconds_without_changes": shared(found["work"], servers, at_once)}
    needed, server = mandatory_loads(patterns, models), servers[0]
    needed["enough"] = enough_loads(patterns, models)
    seconds = needed["loads"] * server.load_seconds + found["work"] / (server.slots * server.speed)
    return {"seconds": seconds, **found, **{f"mandatory_{key}": value for key, value in needed.items()}}


def longest(debates):
    """The seconds that the longest debate takes by itself, its model loaded, if all that may go at once does."""
    def alone(calls):
        return sum(max(work({"": lane}) for lane in lanes) for lanes in record.stages(calls))
    return max((alone(calls) for calls in debates.values()), default=0)


def shared(all_work, servers, at_once=1):
    """The least time in which servers do all work. Each has slots for each model that it has loaded; it loads one after another."""
    def done(time):
        return sum(it.slots * it.speed * max(0, time - loads * it.load_seconds) for it in servers for loads in range(1, at_once + 1))
    low, high = 0.0, 1.0
    while done(high) < all_work:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if done(middle) >= all_work else (middle, high)
    return high
