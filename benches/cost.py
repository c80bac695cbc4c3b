#!/usr/bin/env python3
"""What `rebut` itself costs: python3 benches/cost.py

Builds the release binaries, starts the mock server (an Ollama server that answers at once) and has `rebut run` play debates
against it: ten calls in flight, every reply synced to the disk below `target/`. Beside it runs the naive program: the same
requests from a pool of eight threads with PyPI's `ollama`, writing nothing. Prints Markdown tables; no figure is asserted.
"""

import argparse
import contextlib
import http.client
import http.server
import itertools
import json
import os
import pathlib
import platform
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
RELEASE = ROOT / "target" / "release"
SCRATCH = ROOT / "target" / "cost"
REBUT = RELEASE / "rebut"
MOCK = RELEASE / "mock-ollama"
AT_ONCE = 10
THREADS = 8

# Six rounds, each of two statements, three ballots and the clerk's notes: 36 calls a debate, if none is repaired.
CALLS_A_DEBATE = 36
JOB = """\
format: knockout
topic: Should cities ban private cars from their centres?
rounds: 6
repeat: {repeat}
x: {{position: In favour}}
y:
  - {{name: One, position: Against}}
  - {{name: Two}}
  - {{name: Three}}
  - {{name: Four}}
"""


@dataclass
class Cost:
    """What one process took. Memory is its own peak, as the kernel keeps it; times in seconds."""

    cpu: float
    wall: float
    peak_mb: float
    calls: int = 0
    server_cpu: float = 0.0

    def row(self, name):
        per_call = f"{1000 * self.cpu / self.calls:.2f} ms"
        server = f"{1000 * self.server_cpu / self.calls:.2f} ms"
        rate = f"{self.calls / self.wall:,.0f}"
        return [name, f"{self.calls:,}", per_call, rate, f"{self.peak_mb:.0f} MB", server]


# --- Processes


def measure(command, **options):
    """Runs a command to its end and says what it took."""
    began = time.perf_counter()
    process = subprocess.Popen(command, **options)
    peak = 0
    while True:
        # The kernel's own maximum (`ru_maxrss`) would begin with that of this Python, from which the process was forked.
        peak = max(peak, peak_kb(process.pid))
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        time.sleep(0.005)
    wall = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command[0]} ended with {process.returncode}")
    return Cost(used.ru_utime + used.ru_stime, wall, peak / 1024)


def peak_kb(pid):
    with contextlib.suppress(OSError):
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return 0


def cpu_of(pid):
    """Seconds of CPU that a running process has used."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def mock_ollama(chunks):
    """The mock server's address and process id."""
    command = [MOCK, "--chunks", str(chunks)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip(), process.pid
        finally:
            process.kill()


# --- rebut


def fresh(name):
    """An empty directory on the disk that holds `target/`. Nothing is deleted before the end: file systems are slow to
    create what was deleted just now."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    return pathlib.Path(tempfile.mkdtemp(prefix=f"{name}-", dir=SCRATCH))


def run_command(directory, url, debates):
    (directory / "job.yaml").write_text(JOB.format(repeat=debates))
    command = [REBUT, "run", "job.yaml", "--host", url, "--concurrency", str(AT_ONCE)]
    return {"args": command, "cwd": directory, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def run_rebut(chunks, calls):
    """Has `rebut` play about so many calls."""
    directory = fresh("run")
    with mock_ollama(chunks) as (url, server):
        options = run_command(directory, url, round(calls / CALLS_A_DEBATE))
        before = cpu_of(server)
        cost = measure(options.pop("args"), **options)
        cost.server_cpu = cpu_of(server) - before
    cost.calls = journaled(directory)
    return cost


def journaled(directory):
    """The calls that were made, by what the journals hold."""
    lines = (line for path in directory.glob("output/.rebut/journals/*.jsonl") for line in path.open())
    return sum(json.loads(line)["kind"] in ("reply", "failure") for line in lines)


# --- From start to the first call, and what the calls are


class Recorder(http.server.ThreadingHTTPServer):
    """Hands requests on to the mock server; keeps the chats, and when the first arrived."""

    daemon_threads = True

    def __init__(self, url, handler=None):
        super().__init__(("127.0.0.1", 0), handler or Hand)
        self.to = urllib.parse.urlsplit(url).netloc
        self.first, self.chats = None, []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *_):
        """A client that was killed breaks its connections; that is no error here."""


class Hand(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        self.hand_on(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def hand_on(self, body):
        if self.path == "/api/chat":
            self.server.first = self.server.first or time.perf_counter()
            self.server.chats.append(json.loads(body))
        server = http.client.HTTPConnection(self.server.to)
        server.request(self.command, self.path, body)
        answer = server.getresponse()
        content = answer.read()
        self.send_response(answer.status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST

    def log_message(self, *_):
        pass


def start_to_first_call(debates, times=9):
    """Milliseconds from the start of the process to its first chat, the median of so many starts."""
    taken = []
    with mock_ollama(20) as (url, _):
        for _ in range(times):
            recorder = Recorder(url)
            began = time.perf_counter()
            options = run_command(fresh("start"), recorder.url(), debates)
            # One debate begun: the recorder is slow, and ten would ask it for the model's card first.
            options["args"] += ["--max-debates", "1"]
            with subprocess.Popen(**options) as process:
                while not recorder.first:
                    time.sleep(0.001)
                process.kill()
            taken.append(1000 * (recorder.first - began))
    return statistics.median(taken)


def requests_of_a_debate():
    with mock_ollama(20) as (url, _):
        recorder = Recorder(url)
        options = run_command(fresh("record"), recorder.url(), 1)
        measure(options.pop("args"), **options)
    return recorder.chats


# --- The naive program


NAIVE = """
import itertools, json, sys
from concurrent.futures import ThreadPoolExecutor
from ollama import Client
url, calls, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
client = Client(url)
def call(request):
    wanted = {key: request.get(key) for key in ("model", "messages", "options", "format", "think", "keep_alive")}
    return "".join(part.message.content or "" for part in client.chat(stream=True, **wanted))
requests = itertools.islice(itertools.cycle(json.load(sys.stdin)), calls)
with ThreadPoolExecutor(threads) as pool:
    assert all(pool.map(call, requests))
"""


def naive_python():
    """A Python with PyPI's `ollama`, kept below target/; none where it cannot be had."""
    python = SCRATCH.parent / "cost-venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", python.parent.parent], check=True)
    installed = subprocess.run([python, "-m", "pip", "install", "--quiet", "ollama"], check=False)
    return python if installed.returncode == 0 else None


def run_naive(python, requests, chunks, calls):
    requests_file = fresh("naive") / "requests.json"
    requests_file.write_text(json.dumps(requests))
    with mock_ollama(chunks) as (url, server), requests_file.open() as stdin:
        before = cpu_of(server)
        cost = measure([python, "-c", NAIVE, url, str(calls), str(THREADS)], stdin=stdin)
        cost.server_cpu = cpu_of(server) - before
    cost.calls = calls
    return cost


# --- The limits around: disk and mock server


def syncs_a_second(files):
    """How many appends of 1 KB the disk takes a second, each synced, from so many threads with a file each."""
    directory, until = fresh("disk"), time.perf_counter() + 1

    def append(n):
        with open(directory / f"{n}", "ab", buffering=0) as file:
            for done in itertools.count():
                if time.perf_counter() > until:
                    return done
                file.write(b"x" * 1024)
                os.fdatasync(file.fileno())

    with ThreadPoolExecutor(files) as pool:
        return sum(pool.map(append, range(files)))


FLOOD = """
import itertools, json, socket, sys, time
host, port, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
bodies = [json.dumps(request).encode() for request in json.load(sys.stdin)]
posts = [b"POST /api/chat HTTP/1.1\\r\\nHost: x\\r\\nContent-Length: %d\\r\\n\\r\\n%s" % (len(b), b) for b in bodies]
sockets = [socket.create_connection((host, port)) for _ in range(5)]
turns, until, done = itertools.cycle(posts), time.perf_counter() + seconds, 0
while time.perf_counter() < until:
    for one in sockets:
        one.sendall(next(turns))
    for one in sockets:
        tail = b""
        while not tail.endswith(b"0\\r\\n\\r\\n"):
            tail = tail[-5:] + one.recv(65536)
        done += 1
print(done / seconds)
"""


def mock_alone(requests, chunks, seconds=3):
    """Calls a second that the mock server serves to two clients that hardly look at what they get."""
    requests_file = fresh("flood") / "requests.json"
    requests_file.write_text(json.dumps(requests))
    with mock_ollama(chunks) as (url, _):
        address = urllib.parse.urlsplit(url)
        command = [sys.executable, "-c", FLOOD, address.hostname, str(address.port), str(seconds)]
        clients = [
            subprocess.Popen(command, stdin=requests_file.open(), stdout=subprocess.PIPE, text=True)
            for _ in range(AT_ONCE // 5)
        ]
        return sum(float(client.communicate()[0]) for client in clients)


# --- What is printed


def table(head, rows):
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    print("\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines))


def machine():
    cpu = platform.processor() or platform.machine()
    with contextlib.suppress(OSError, StopIteration):
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    disk = subprocess.run(["df", "--output=source,fstype", SCRATCH], capture_output=True, text=True, check=True)
    load = os.getloadavg()[0]
    used = " ".join(disk.stdout.splitlines()[-1].split())
    return f"{os.cpu_count()} cores ({cpu}), disk {used}; load when it began: {load:.1f}"


def build():
    command = ["cargo", "build", "--release", "--locked", "-p", "rebut", "-p", "mock-ollama"]
    subprocess.run(command, cwd=ROOT, check=True)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--no-build", action="store_true", help="take the release binaries as they are")
    options.add_argument("--calls", type=int, default=2000, help="calls of a run (default 2000)")
    options = options.parse_args()
    if not options.no_build:
        build()
    SCRATCH.mkdir(parents=True, exist_ok=True)
    print(machine())

    calls, requests = options.calls, requests_of_a_debate()
    costs = [run_rebut(20, calls).row("rebut, 20 chunks"), run_rebut(200, calls).row("rebut, 200 chunks")]
    if python := naive_python():
        costs += [run_naive(python, requests, n, calls).row(f"naive, {n} chunks") for n in (20, 200)]
    else:
        print("NO NAIVE PROGRAM: PyPI's `ollama` cannot be installed here", file=sys.stderr)
    table(["", "calls", "CPU a call", "calls a second", "peak memory", "server's CPU a call"], costs)

    memory = [f"{run_rebut(20, n).peak_mb:.0f} MB" for n in (calls // 10, calls, calls * 5)]
    others = [
        ["start to first call, job of 1 debate", f"{start_to_first_call(1):.0f} ms"],
        ["start to first call, job of 56 debates", f"{start_to_first_call(56):.0f} ms"],
        [f"peak memory at {calls // 10:,}, {calls:,}, {calls * 5:,} calls", ", ".join(memory)],
        ["release binary", f"{REBUT.stat().st_size / 1e6:.1f} MB"],
        ["mock-ollama alone, 20 chunks", f"{mock_alone(requests, 20):,.0f} calls a second"],
        ["disk, 1 KB appended and synced, one file", f"{syncs_a_second(1):,} a second"],
        [f"disk, the same, {AT_ONCE} files at once", f"{syncs_a_second(AT_ONCE):,} a second"],
    ]
    table(["what", "figure"], others)


if __name__ == "__main__":
    try:
        main()
    finally:
        shutil.rmtree(SCRATCH, ignore_errors=True)
