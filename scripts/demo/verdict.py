#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""verdict.py WORK_DIRECTORY [--embedded]: the demo's gains, each beside its floor.

Status 1 if one is missed. The floors hold for sqlite3; the bundled program has its own.
"""
import json
import os
import re
import sys

FLOORS = {  # percent: fewer instructions (gcc, clang), fewer taken branches (bolt)
    "sqlite": {"gcc": 3.0, "clang": 4.0, "bolt": 15.0},
    "embedded": {"gcc": 3.0, "clang": 0.0, "bolt": 15.0},
}


def instructions(path):
    with open(path) as file:
        return {row["name"]: row["instructions"] for row in json.load(file)["variants"]}


def fewer(counts, optimized, base):
    return 100.0 * (1 - counts[optimized] / counts[base])


def has_unnamed(fdata):
    """Whether branches come from where no symbol is: the dynamic loader calls _fini, if a sample fell there."""
    with open(fdata) as file:
        return any(line.startswith("0 ") for line in file)


def bolt_result(log, fdata):
    """Percent of taken branches saved, and what llvm-bolt complained of. It ignores what it finds no object for;
    all that comes from no symbol is one such, "[unknown]", in perf2bolt's files as in ours."""
    text = open(log).read()
    taken = re.findall(r"(\d+) : taken branches(?: \(([-+=\d.]+)%\))?", text)
    saved = -float(taken[-1][1]) if taken and taken[-1][1] not in ("", "=") else 0.0
    ignored = re.search(r"profile for (\d+) objects? (?:was|were) ignored", text)
    if ignored and int(ignored.group(1)) <= has_unnamed(fdata):
        ignored = None
    stale = re.search(r"\d+ \([\d.]+% of all profiled\) functions? ha(?:s|ve) invalid", text)
    return saved, [found.group(0) for found in (ignored, stale) if found]


def main():
    work = sys.argv[1]
    floors = FLOORS["embedded" if "--embedded" in sys.argv else "sqlite"]
    missed = 0

    def line(what, value, floor):
        nonlocal missed
        good = value >= floor
        missed += not good
        print("%-62s %6.1f %%  (floor %.0f %%: %s)" % (what, value, floor,
                                                      "met" if good else "MISSED"))

    counts = instructions(os.path.join(work, "gcc.json"))
    line("gcc -fauto-profile: fewer instructions than the control",
         fewer(counts, "gcc-O2-autofdo", "gcc-O2-control"), floors["gcc"])
    log = os.path.join(work, "bolt.log")
    if os.path.exists(log):
        saved, complaints = bolt_result(log, os.path.join(work, "bolt.fdata"))
        line("llvm-bolt -dyno-stats: fewer taken branches", saved, floors["bolt"])
        for complaint in complaints:
            print("  llvm-bolt says: " + complaint)
            missed += 1
    clang = os.path.join(work, "clang.json")
    if os.path.exists(clang):
        counts = instructions(clang)
        base, optimized = counts
        line("%s: fewer instructions" % optimized, fewer(counts, optimized, base), floors["clang"])
    return 1 if missed else 0


sys.exit(main())
