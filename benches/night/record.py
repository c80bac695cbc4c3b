"""What was asked in a run: the calls of each debate, from what `rebut` stored and what the mock server saw."""

import bisect
import gzip
import json
from collections import defaultdict
from dataclasses import dataclass, field


@dataclass
class Call:
    """An attempt at a call, as it was sent and served."""

    debate: str
    name: str
    attempt: int
    model: str
    seed: int
    # What the official client is given.
    request: dict
    prompt: str
    # The server's line about it, if it was served.
    served: dict = field(default_factory=dict)

    @property
    def key(self):
        return (self.model, self.seed, self.prompt)

    @property
    def prompt_tokens(self):
        return self.served["prompt_reused"] + self.served["prompt_new"]

    @property
    def group(self):
        """Calls of one group may be asked at once, if neither names what the other was answered: stage and kind."""
        return self.name.split("/")[:2]

    @property
    def lane(self):
        """Who is asked: what follows on a reply, such as a repair, is asked after it."""
        return self.name.split("/")[2:3]


def debates(output):
    """The calls of each finished debate in the order in which they were recorded, by the debate's id."""
    stored = sorted((output / ".rebut" / "prompts").glob("*.jsonl.gz"))
    return dict(calls_of(path) for path in stored)


def calls_of(path):
    with gzip.open(path, "rt") as file:
        lines = [json.loads(line) for line in file]
    texts = [line["text"] for line in lines if "text" in line]
    debate = lines[0]["debate"]["id"]
    sent = (line["request"] for line in lines if "request" in line)
    return debate, [call(debate, one, texts) for one in sent]


def call(debate, sent, texts):
    messages = [{"role": role, "content": "".join(texts[n] for n in numbers)} for role, numbers in sent["messages"]]
    options = {"temperature": sent["temperature"], "num_predict": sent["num_predict"], "seed": sent["seed"], "num_ctx": 8192}
    schema = None if sent["schema"] is None else json.loads(texts[sent["schema"]])
    request = {"model": sent["model"], "messages": messages, "options": {**options, **sent.get("options", {})},
               "format": schema, "think": sent["think"]}
    prompt = "".join(f"{message['role']}: {message['content']}\n" for message in messages)
    return Call(debate, sent["call"], sent["attempt"], sent["model"], sent["seed"], request, prompt)


def join(debates, served):
    """Gives each call what became of it, by model, seed and prompt: the first good answer. Returns what fits no call."""
    wanted = {one.key: one for calls in debates.values() for one in calls}
    strange = []
    for line in served:
        one = wanted.get((line["model"].removesuffix(":latest"), line["seed"], line["prompt"]))
        if one is None:
            strange.append(line)
        elif not one.served.get("completed"):
            one.served = line
    return [line for line in strange if line["kind"] == "chat"]


def stages(calls):
    """A debate's calls as stages, one after another; each a list of lanes that may go at once, of calls one after another."""
    found = []
    for one in calls:
        lanes = found[-1] if found and belongs(one, found[-1]) else None
        if lanes is None:
            found.append([[one]])
        elif lane := next((lane for lane in lanes if lane[0].lane == one.lane), None):
            lane.append(one)
        else:
            lanes.append([one])
    return found


def belongs(one, lanes):
    """Whether a call may go at once with those of the stage, or follows in a lane of it."""
    if one.group != lanes[0][0].group:
        return False
    others = [other for lane in lanes if lane[0].lane != one.lane for other in lane]
    return not any(quotes(one.prompt, other.served.get("reply", "")) for other in others)


def quotes(prompt, reply):
    """Whether a prompt shows what an earlier call was answered: its beginning, without the role before it."""
    begins = reply.removeprefix("assistant: ")[:40].strip()
    return bool(begins) and begins in prompt


# --- Common beginnings


class Beginnings:
    """Texts, and how much of another text one of them begins with."""

    def __init__(self):
        self.texts = []

    def longest(self, text):
        """The length of the longest beginning that `text` shares with any of them: with a neighbour in their order."""
        at = bisect.bisect_left(self.texts, text)
        return max((common(text, other) for other in self.texts[max(0, at - 1) : at + 1]), default=0)

    def add(self, text):
        bisect.insort(self.texts, text)


def common(a, b):
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def beginnings():
    """Beginnings by any key."""
    return defaultdict(Beginnings)
