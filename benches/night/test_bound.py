"""The lower bound against brute force: python3 -m unittest discover -s benches/night"""

import itertools
import random
import unittest
from types import SimpleNamespace

import bound
import held
import record


def brute_force(patterns, models):
    """The fewest loads, by trying all orders of loads, shortest first; calls are counted one by one."""
    if not any(patterns):
        return 0
    for length in itertools.count(1):
        for order in itertools.product(models, repeat=length):
            if all(ends(one, order) for one in patterns):
                return length


def ends(pattern, order):
    """Whether a debate can end under these loads in turn: all ways to make or put off its calls are tried."""
    states = {(0, tuple(0 for _ in pattern[0]))} if pattern else {None}
    for model in order:
        while True:
            more = {after for state in states if state for after in steps(pattern, state, model)} - states
            if not more:
                break
            states |= more
    return None in states


def steps(pattern, state, model):
    stage, done = state
    lanes = pattern[stage]
    for i, lane in enumerate(lanes):
        if done[i] < len(lane) and lane[done[i]] == model:
            after = (*done[:i], done[i] + 1, *done[i + 1 :])
            if all(far == len(lane) for far, lane in zip(after, lanes)):
                yield (stage + 1, tuple(0 for _ in pattern[stage + 1])) if stage + 1 < len(pattern) else None
            else:
                yield stage, after


def drawn(dice):
    models = "abc"[: dice.randint(1, 3)]
    lane = lambda: tuple(dice.choice(models) for _ in range(dice.randint(1, 2)))
    stages = lambda: [tuple(lane() for _ in range(dice.randint(1, 2))) for _ in range(dice.randint(1, 3))]
    return [stages() for _ in range(dice.randint(1, 3))], models


class Loads(unittest.TestCase):
    def test_the_search_finds_what_brute_force_finds(self):
        dice = random.Random(14)
        for _ in range(100):
            stages, models = drawn(dice)
            short = [bound.shortened([tuple(bound.collapsed(lane) for lane in lanes) for lanes in one]) for one in stages]
            expected = brute_force([tuple(one) for one in stages], models)
            self.assertEqual(bound.loads_of(short, models), expected, stages)
            self.assertGreaterEqual(bound.enough_loads(short, models), expected)

    def test_a_search_cut_short_finds_no_more_than_there_are(self):
        dice = random.Random(15)
        cut = 0
        for _ in range(100):
            stages, models = drawn(dice)
            short = [bound.shortened([tuple(bound.collapsed(lane) for lane in lanes) for lanes in one]) for one in stages]
            exact = bound.loads_of(short, models)
            found = bound.mandatory_loads(short, models, most_states=4)
            self.assertLessEqual(found["loads"], exact)
            self.assertGreaterEqual(found["loads"], max(bound.loads_alone(one, (0, ()), models) for one in short))
            if found["exact"]:
                self.assertEqual(found["loads"], exact)
            cut += not found["exact"]
        self.assertGreater(cut, 10)

    def test_a_search_over_some_patterns_finds_what_these_need(self):
        # All orders of three models, each twice.
        orders = [tuple(((model,),) for model in order * 2) for order in itertools.permutations("abc")]
        self.assertEqual(bound.mandatory_loads(orders, "abc"), {"loads": 11, "exact": True, "patterns": 6})
        cut = bound.mandatory_loads(orders, "abc", most_states=50)
        self.assertEqual(cut, {"loads": brute_force([orders[0], orders[3]], "abc"), "exact": False, "patterns": 6, "searched": 2})


class Work(unittest.TestCase):
    def test_work_is_shared_by_speed_and_a_slow_server_may_be_left_out(self):
        server = lambda speed, load: SimpleNamespace(slots=1, speed=speed, load_seconds=load)
        self.assertAlmostEqual(bound.shared(300, [server(2, 0), server(1, 0)]), 100)
        self.assertAlmostEqual(bound.shared(300, [server(2, 10), server(1, 10)]), 110)
        self.assertAlmostEqual(bound.shared(10, [server(2, 0), server(1, 1000)]), 5)

    def test_a_second_model_brings_slots_of_its_own_after_its_load(self):
        server = SimpleNamespace(slots=4, speed=1, load_seconds=10)
        self.assertAlmostEqual(bound.shared(120, [server], at_once=2), 30)

    def test_what_an_earlier_prompt_and_its_reply_begin_with_is_read_once(self):
        debates = {"d": [call("abcdefgh", "ij"), call("abcdefghijkl", "mn"), call("abcdxxxx", "y")]}
        # 8 of the first; "kl" of the second; "xxxx" of the third.
        self.assertEqual(bound.reading(debates), (8 + 2 + 4, 15))

    def test_the_order_of_calls_does_not_matter_to_what_must_be_read(self):
        dice = random.Random(16)
        calls = [call("".join(dice.choice("ab") for _ in range(dice.randint(1, 9))), "") for _ in range(12)]
        # Where a whole prompt was read before, one token of it is read again.
        different = {one.prompt: one for one in calls}.values()
        different = [one for one in different if not any(it is not one and it.prompt.startswith(one.prompt) for it in different)]
        read = {bound.reading({"d": list(order)}) for order in itertools.islice(itertools.permutations(different), 200)}
        self.assertEqual(len(read), 1)


def call(prompt, reply):
    served = {"started": 1.0, "prompt_reused": 0, "prompt_new": len(prompt), "reply_tokens": 5, "reply": reply}
    return record.Call("d", "opening/statement/a", 1, "m", 1, {}, prompt, served)


class Stages(unittest.TestCase):
    def test_ballots_go_at_once_repairs_after_what_they_repair_and_answers_after_questions(self):
        names = ["round-1/turn/a", "round-1/turn/b", "round-1/ballot/c", "round-1/ballot/d", "round-1/ballot/d", "round-1/clerk"]
        calls = [record.Call("d", name, 1, name[-1], 1, {}, f"{name} {number}", {"reply": "assistant: "}) for number, name in enumerate(names)]
        calls[0].served = {"reply": "assistant: Trams are quiet.\n"}
        calls[1].prompt += " Trams are quiet."
        shape = [[len(lane) for lane in lanes] for lanes in record.stages(calls)]
        self.assertEqual(shape, [[1], [1], [1, 2], [1]])


def one_call(model, work, again):
    return held.Stage({model: held.Part(work, 1, again)}, work)


def cheapest_by_trial(stages, speeds):
    """The least work of stages of one call each, trying every server for each of them."""
    return min(work_at(stages, places, speeds) for places in itertools.product(range(len(speeds)), repeat=len(stages)))


def work_at(stages, places, speeds):
    whole = 0.0
    for i, one in enumerate(stages):
        [(model, part)] = one.parts.items()
        before = [j for j in range(i) if model in stages[j].parts and places[j] == places[i]]
        between = lambda j: [k for k in range(j + 1, i) if model not in stages[k].parts]
        kept = [sum(speeds[places[i]] * stages[k].length / speeds[places[k]] for k in between(j)) for j in before]
        whole += part.work + min([part.again, *kept])
    return whole


class Held(unittest.TestCase):
    def test_the_cheapest_way_is_what_trial_finds(self):
        dice = random.Random(17)
        for _ in range(100):
            speeds = [dice.choice([0.5, 1.0, 2.0]) for _ in range(dice.randint(1, 3))]
            models = [dice.choice("ab") for _ in range(dice.randint(1, 6))]
            stages = [one_call(model, dice.uniform(1, 5), dice.uniform(0, 5)) for model in models]
            self.assertAlmostEqual(held.cheapest(stages, speeds), cheapest_by_trial(stages, speeds))

    def test_a_slot_is_kept_or_a_prompt_read_again(self):
        for again, more in [(3.0, 2.0), (1.0, 1.0)]:
            stages = [one_call("a", 4.0, 0.0), one_call("b", 2.0, 0.0), one_call("a", 4.0, again)]
            self.assertEqual(held.cheapest(stages, [1.0]), 10.0 + more)

    def test_models_that_are_called_at_once_need_not_wait_for_each_other(self):
        both = held.Stage({"a": held.Part(2.0, 1, 5.0), "b": held.Part(2.0, 1, 5.0)}, 2.0)
        self.assertEqual(held.cheapest([one_call("a", 4.0, 0.0), both, one_call("a", 4.0, 5.0)], [1.0]), 12.0 + 5.0)

    def test_prompts_are_read_again_only_as_far_as_no_other_debate_begins_alike(self):
        calls = [call("xxabcd", ""), call("xxabef", ""), call("xxq", "")]
        debates = {"d": calls[:2], "e": calls[2:]}
        for n, one in enumerate(calls[:2]):
            one.name = f"round-{n}/turn/a"
        first, second = held.of_all(debates)[0]
        self.assertEqual([part.again for part in first.parts.values()], [0.0])
        self.assertEqual([part.again for part in second.parts.values()], [2 / 1000])


if __name__ == "__main__":
    unittest.main()
