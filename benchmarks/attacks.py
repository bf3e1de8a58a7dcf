#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""attacks.py [-o OUT.json] FOLDER...: what attacks found, by the logs in the folders, of which a later one is the newer.

A log of libFuzzer's is fuzz-TARGET.log, as scripts/nightly.sh writes it, or TARGET.log, with -print_final_stats=1;
attacks.log has the lines of tests that attack whole commands (tests/live/figures.py). With OUT.json, a section of
docs/evaluation is written. The status is 1 if anything was found, but for aborts of failed allocations, libdw's.
"""
import argparse
import glob
import os
import re
import sys

import section

FUZZ = os.path.join(section.HERE, "..", "tests", "fuzz")
COLUMNS = ["what", "runs", "minutes", "crashes", "hangs", "half-written files", "wrong statuses or results"]
ALLOCATIONS = "single allocations that fail"
# tests/live/: figures.py has the order of the numbers
LINE = re.compile(r"attack: (.+): (\d+) runs, (\d+) crashes, (\d+) hangs, (\d+) half-written, (\d+) statuses$", re.M)


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def targets():
    return sorted(os.path.basename(path)[:-2] for path in glob.glob(os.path.join(FUZZ, "*.c"))
                  if os.path.basename(path) != "replay.c")


def fuzzed(target, folders):
    """The row of a target; without numbers if it has no log."""
    row = ["fuzz target `%s`" % target, None, None, None, None, None, None]
    for folder in folders:
        for path in (os.path.join(folder, name % target) for name in ("fuzz-%s.log", "%s.log")):
            if not os.path.exists(path):
                continue
            text = read(path)
            runs = re.findall(r"^stat::number_of_executed_units:\s*(\d+)", text, re.M)
            seconds = re.findall(r"^Done \d+ runs in (\d+) second", text, re.M)
            found = re.findall(r"^SUMMARY: (.*)", text, re.M)
            hangs = sum("timeout" in one for one in found)
            if runs or found:  # else it runs still
                row[1:5] = [int(runs[-1]) if runs else None, int(seconds[-1]) / 60 if seconds else None,
                            len(found) - hangs, hangs]
    return row


def attacked(folders):
    rows = {}
    for folder in folders:
        path = os.path.join(folder, "attacks.log")
        for kind, *numbers in LINE.findall(read(path)) if os.path.exists(path) else ():
            runs, *found = map(int, numbers)
            rows[kind] = [kind, runs, None, *found]
    return [rows[kind] for kind in sorted(rows)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", metavar="OUT.json", dest="out")
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    options = parser.parse_args()
    rows = attacked(options.folders) + [fuzzed(target, options.folders) for target in targets()]
    for row in rows:
        print("%-44s" % row[0], *("%9s" % ("-" if value is None else round(value)) for value in row[1:]))
    if options.out:
        section.write(
            options.out, "What attacks found",
            "Whole commands on damaged inputs and each fuzz target under ASan and UBSan; commands that signals end at any "
            "moment; programs that attack the session that records them. [Security](../SECURITY.md) says what each tries, "
            "and what is out of scope: the crashes of failed allocations are aborts of elfutils' libdw.",
            COLUMNS, rows, "scripts/nightly.sh fuzz long; benchmarks/attacks.py -o docs/evaluation/attacks.json build-nightly")
    return any(any(row[3:]) for row in rows if row[0] != ALLOCATIONS) or any(row[6] for row in rows if row[0] == ALLOCATIONS)


sys.exit(main())
