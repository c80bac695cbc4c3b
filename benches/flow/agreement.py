#!/usr/bin/env python3
"""How well the clerk's notes agree with careful readers: python3 benches/flow/agreement.py

`statuses.csv` holds the statuses of 55 points in three debates (a duel of six turns, a moderated debate of two rounds, a
roundtable that agreed at once). An assistant played each part from its prompts alone, the clerk included; two others then read the
whole debates with the list of points and judged what became of each, without seeing the notes. `unreached` is a standing
point that no turn of another side followed. Prints Markdown: shares of equal statuses, Cohen's kappa, and counts by status.
"""

import collections
import csv
import pathlib

STATUSES = ["withdrawn", "conceded", "answered", "partly_answered", "dropped", "standing", "unreached"]


def kappa(pairs):
    """Cohen's kappa (Cohen 1960) of pairs of statuses."""
    observed = sum(a == b for a, b in pairs) / len(pairs)
    left, right = (collections.Counter(side) for side in zip(*pairs))
    chance = sum(left[status] * right[status] for status in left) / len(pairs) ** 2
    return (observed - chance) / (1 - chance)


def main():
    with open(pathlib.Path(__file__).with_name("statuses.csv"), newline="") as file:
        rows = list(csv.DictReader(file))
    debates = list(dict.fromkeys(row["debate"] for row in rows))
    print("| equal statuses |", " | ".join([*debates, "all", "Cohen's kappa"]), "|")
    print("|---|" + "---:|" * (len(debates) + 2))
    for a, b in [("clerk", "reader_one"), ("clerk", "reader_two"), ("reader_one", "reader_two")]:
        groups = [[row for row in rows if row["debate"] == debate] for debate in debates] + [rows]
        equal = [f"{sum(row[a] == row[b] for row in group)} of {len(group)}" for group in groups]
        print("|", " | ".join([f"{a} and {b}".replace("_", " "), *equal]), f"| {kappa([(row[a], row[b]) for row in rows]):.2f} |")
    print("\n| status | clerk | reader one | reader two | clerk and one | clerk and two | one and two |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for status in STATUSES:
        has = [[row[who] == status for row in rows] for who in ("clerk", "reader_one", "reader_two")]
        both = [sum(x and y for x, y in zip(has[i], has[j])) for i, j in ((0, 1), (0, 2), (1, 2))]
        print("|", " | ".join(map(str, [status.replace("_", " "), *map(sum, has), *both])), "|")


if __name__ == "__main__":
    main()
