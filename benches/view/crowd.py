#!/usr/bin/env python3
"""Spectators of the viewer, all in one process around one epoll: python3 benches/view/crowd.py PORT OUTPUT [--spectators 500]

Each follows whatever debate of OUTPUT is live, as a browser's EventSource would: it notes the place it has read to, comes back with
it when a stream ends, and goes on to another debate when one is over. It ends when its input does, and prints JSON: how many streams
there were, events lost and doubled (every logged event of a debate must come once, in order), and the latencies in milliseconds of the
words like w1795291200123 in the text that comes, which say when they were written. With --cuts SEED, each cuts its connection now and
then, or reads nothing for a while. `logs` has, for each debate that ended, the checksums of the logs that were read: one, if all
read the same."""

import argparse
import array
import errno
import json
import pathlib
import random
import re
import select
import socket
import sys
import time
import zlib

STAMP = re.compile(rb"w(\d{13})\b")
CURSOR = re.compile(rb"\nid: ((\d+)-[0-9a-f]{8})\n")
LIVE = re.compile(r"^[0-9a-f]{12}\.jsonl$")
DATA = re.compile(rb"\ndata: (.*)$", re.DOTALL)
LOOK = 0.25
# Mean seconds between two cuts of one spectator.
CUT = 4.0


class Spectator:
    __slots__ = ("back", "cursor", "cut", "debate", "joined", "rest", "seq", "sock", "sum")

    def __init__(self):
        self.sock, self.rest, self.back, self.cut, self.joined = None, b"", 0.0, 0.0, 0
        self.follow(None)

    def follow(self, debate):
        self.debate, self.cursor, self.seq, self.sum = debate, None, 0, 0


class Crowd:
    def __init__(self, port, output, size, seed):
        self.port, self.live = port, pathlib.Path(output) / ".rebut" / "live"
        self.epoll, self.by_fd = select.epoll(), {}
        self.all = [Spectator() for _ in range(size)]
        self.latencies = array.array("I")
        self.count = dict.fromkeys(("streams", "events", "chunks", "lost", "doubled", "resets", "debates", "most_at_once", "bytes", "cuts", "lags", "ends"), 0)
        self.over, self.open, self.logs = set(), [], {}
        self.dice = None if seed is None else random.Random(seed)
        self.ends = False

    def run(self):
        self.epoll.register(sys.stdin.fileno(), select.EPOLLIN)
        looked = 0.0
        while not self.ends:
            now = time.monotonic()
            if now - looked > LOOK:
                looked = now
                self.look(now)
            for fd, event in self.epoll.poll(0.05):
                if fd == sys.stdin.fileno():
                    self.ends = not sys.stdin.buffer.read1(1)
                elif fd in self.by_fd:
                    self.read(self.by_fd[fd], event)
        self.print()

    def look(self, now):
        """Sends those who have no stream to a debate that is live."""
        names = sorted(path.name[:12] for path in self.live.glob("*.jsonl") if LIVE.match(path.name)) if self.live.exists() else []
        self.open = [name for name in names if name not in self.over]
        for n, one in enumerate(self.all):
            if one.sock is None and one.back <= now and (one.debate or self.open):
                self.connect(one, n)
            elif self.dice and one.sock:
                if one.back and one.back <= now:
                    one.back = 0.0
                    self.epoll.modify(one.sock.fileno(), select.EPOLLIN)
                elif one.cut <= now:
                    self.cut(one, now)
        self.count["most_at_once"] = max(self.count["most_at_once"], len(self.by_fd))

    def cut(self, one, now):
        """A connection that breaks, or a reader that is too slow: it is not read until the next look after some seconds."""
        one.cut = now + self.dice.expovariate(1 / CUT)
        if self.dice.random() < 0.5:
            self.count["cuts"] += 1
            self.close(one, 0.0)
        else:
            self.count["lags"] += 1
            self.epoll.modify(one.sock.fileno(), 0)
            one.back = now + self.dice.uniform(0, 3)

    def connect(self, one, n):
        if one.debate is None:
            one.follow(self.open[n % len(self.open)])
        sock = socket.socket()
        sock.setblocking(True)
        sock.settimeout(2)
        try:
            sock.connect(("127.0.0.1", self.port))
            after = f"Last-Event-ID: {one.cursor}\r\n" if one.cursor else ""
            sock.sendall(f"GET /d/{one.debate}/events HTTP/1.1\r\nHost: localhost\r\n{after}\r\n".encode())
        except OSError:
            sock.close()
            one.back = time.monotonic() + 1
            return
        sock.setblocking(False)
        # What was written before somebody looked has waited for that.
        one.sock, one.rest, one.joined = sock, b"", round(time.time() * 1000)
        one.cut = time.monotonic() + (self.dice.expovariate(1 / CUT) if self.dice else 0)
        self.by_fd[sock.fileno()] = one
        self.epoll.register(sock.fileno(), select.EPOLLIN)
        self.count["streams"] += 1

    def read(self, one, event):
        try:
            data = one.sock.recv(1 << 18)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EINTR):
                return
            data = b""
        now = time.time() * 1000
        if not data:
            self.close(one, 1.0)
            return
        self.count["bytes"] += len(data)
        if not one.rest and data.startswith(b"HTTP/1.1 "):
            status = data[9:12]
            if status != b"200":
                # All is told (204), or it is not there yet.
                if status == b"204":
                    self.leave(one)
                self.close(one, 1.0)
                return
        blocks = (one.rest + data).split(b"\n\n")
        one.rest = blocks.pop()
        for block in blocks:
            self.take(one, block, now)

    def take(self, one, block, now):
        at = block.find(b"event: ")
        if at < 0:
            return
        name = block[at + 7 : block.find(b"\n", at)]
        self.count["events"] += 1
        if name == b"statement_chunk":
            self.count["chunks"] += 1
            written = (int(stamp) for stamp in STAMP.findall(block, at))
            self.latencies.extend(max(0, round(now - at)) for at in written if at > one.joined)
            return
        if found := CURSOR.search(block):
            seq = int(found[2])
            if seq <= one.seq:
                self.count["doubled"] += 1
            elif seq > one.seq + 1:
                self.count["lost"] += seq - one.seq - 1
            one.seq, one.cursor = seq, found[1].decode()
            one.sum = zlib.crc32(DATA.search(block)[1] + b"\n", one.sum)
        if name == b"complete":
            self.count["ends"] += 1
            self.logs.setdefault(one.debate, set()).add(one.sum)
            self.leave(one)
        elif name == b"reset":
            self.count["resets"] += 1
            one.follow(one.debate)

    def leave(self, one):
        if one.debate not in self.over:
            self.over.add(one.debate)
            self.count["debates"] += 1
        one.debate = None

    def close(self, one, wait):
        del self.by_fd[one.sock.fileno()]
        one.sock.close()
        one.sock, one.back = None, time.monotonic() + (wait if one.debate else 0)

    def print(self):
        known = sorted(self.latencies)
        part = lambda share: known[min(len(known) - 1, int(share * len(known)))] if known else None
        logs = {debate: sorted(sums) for debate, sums in self.logs.items()}
        print(json.dumps(self.count | {"logs": logs, "stamps": len(known), "p50": part(0.5), "p95": part(0.95), "p99": part(0.99), "max": part(1)}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("port", type=int)
    parser.add_argument("output")
    parser.add_argument("--spectators", type=int, default=500)
    parser.add_argument("--cuts", type=int, metavar="SEED")
    asked = parser.parse_args()
    Crowd(asked.port, asked.output, asked.spectators, asked.cuts).run()


if __name__ == "__main__":
    main()
