#!/usr/bin/env python3
"""Counts lines of code, as of a revision: python3 benches/lines.py [REVISION…]

A line of code is neither blank nor only a comment. `product` is src and crates without their tests (files and directories
called tests, and modules under #[cfg(test)]); `unit tests` are those; `outside tests` is tests/it; `test crates` are the
others below tests/."""

import re
import subprocess
import sys


def files(revision):
    """The Rust files of a revision with their texts, by path."""
    names = subprocess.check_output(["git", "ls-tree", "-r", "--name-only", revision], text=True).split("\n")
    for name in names:
        if name.endswith(".rs"):
            yield name, subprocess.check_output(["git", "show", f"{revision}:{name}"], text=True)


def code_lines(text):
    return [line for line in text.splitlines() if line.strip() and not line.strip().startswith("//")]


def without_tests(lines):
    """The lines outside of modules under #[cfg(test)], as rustfmt lays them out: such a module ends with a brace in its column."""
    kept, end = [], None
    for number, line in enumerate(lines):
        if end is not None:
            end = None if line == end else end
            continue
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if line.strip() == "#[cfg(test)]" and re.match(r"\s*(pub(\(\w+\))? )?mod \w+ \{$", following):
            end = line[: line.index("#")] + "}"
        else:
            kept.append(line)
    return kept


def area(name):
    if name.startswith(("src/", "crates/")):
        return "unit tests" if re.search(r"/tests(/|\.rs)", name) else "product"
    if name.startswith("tests/it/"):
        return "outside tests"
    return "test crates" if name.startswith("tests/") else "other"


def count(revision):
    counts = dict.fromkeys(["product", "unit tests", "outside tests", "test crates", "other"], 0)
    for name, text in files(revision):
        lines = code_lines(text)
        kept = without_tests(lines) if area(name) == "product" else lines
        counts[area(name)] += len(kept)
        counts["unit tests"] += len(lines) - len(kept)
    return counts


for revision in sys.argv[1:] or ["HEAD"]:
    counts = count(revision)
    print(revision + ":", ", ".join(f"{lines:,} {what}" for what, lines in counts.items()))
