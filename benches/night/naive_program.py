"""A naive program: the calls of debates with PyPI's `ollama` from a pool of threads, writing nothing.

Reads {"urls": […], "pool": N, "order": "debates" or "steps", "debates": [[request, …], …]} from stdin. In order of debates, each worker
takes a debate and makes its calls one after another. In order of steps, all debates' first calls are made, sorted by model, then all
second ones, and so on. Each worker has a server for good."""

import itertools
import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from ollama import Client

work = json.load(sys.stdin)
clients = itertools.cycle([Client(url) for url in work["urls"]])
mine = threading.local()


def begin():
    mine.client = next(clients)


def call(request):
    assert mine.client.chat(**request).done


def debate(requests):
    for request in requests:
        call(request)


with ThreadPoolExecutor(work["pool"], initializer=begin) as pool:
    if work["order"] == "debates":
        list(pool.map(debate, work["debates"]))
    else:
        for step in itertools.zip_longest(*work["debates"]):
            step = sorted((request for request in step if request), key=lambda it: it["model"])
            list(pool.map(call, step))
