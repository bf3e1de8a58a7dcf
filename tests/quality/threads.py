#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""threads.py SOFTLBR DIRECTORY PROGRAM...: records what threads.sh has built, scores it and prints the table.

Two recordings by default of each program, of THREADS_SECONDS of processor time each (10), half of whose runs are plain,
in turns (pairs.py).
"""
import json
import os
import re
import statistics
import subprocess
import sys

import rates

ROUNDS = 2
SECONDS = os.environ.get("THREADS_SECONDS", "10")
LEVELS = ["branch", "function", "within"]


def record(softlbr, directory, number):
    """A recording as auto.NUMBER.data, and what is known of it."""
    command = "./program %s <input" % open(os.path.join(directory, "arguments")).read().strip()
    pairs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pairs.py")
    said = subprocess.run([softlbr, "record", "-v", "-e", "task-clock", "--stats=stats.json", "-o",
                           "auto.%d.data" % number, "--", "python3", pairs, "pairs.json", SECONDS, command],
                          cwd=directory, stderr=subprocess.PIPE, text=True)
    if said.returncode:
        sys.exit("%s: %s" % (directory, said.stderr))
    measured = json.load(open(os.path.join(directory, "pairs.json")))
    stats = json.load(open(os.path.join(directory, "stats.json")))
    return {"added": measured["added"], "recorder": measured["recorder"], "counters": stats["counters"],
            "branches": stats["figures"]["branches_per_cpu_second"]}


def measure(softlbr, directory):
    rounds = [record(softlbr, directory, number) for number in range(ROUNDS)]
    added = [a for r in rounds for a in r["added"]]
    return {"scores": rates.score(softlbr, directory, "auto", "auto"),
            "overhead": rates.overhead({"added": {"auto": added},
                                        "recorder": {"auto": statistics.mean(r["recorder"] for r in rounds)}}, "auto"),
            "branches": statistics.mean(r["branches"] for r in rounds),
            "traces": sum(r["counters"]["traces"] for r in rounds),
            "audits": sum(r["counters"]["audits"] for r in rounds),
            "wrong": sum(r["counters"]["audits_wrong"] for r in rounds)}


def print_table(results):
    print("%-10s %8s %8s %8s %8s %14s %8s %16s" % ("", *LEVELS, "traces", "branches per s", "audits", "overhead, %"))
    for program, r in results.items():
        print("%-10s %8.2f %8.2f %8.2f %8d %14.0f %3d wrong of %d  %5.1f +- %.1f" % (
            program, *(r["scores"][level] for level in LEVELS), r["traces"], r["branches"], r["wrong"], r["audits"],
            *r["overhead"]))
    means = [statistics.mean(r["scores"][level] for r in results.values()) for level in LEVELS]
    print("%-10s" % "mean", *("%8.2f" % mean for mean in means))


def check(results):
    """The floors: a little below what was measured on a busy machine (threads.txt), where traces cost more and are
    fewer. What is foreseen wrongly is seldom everywhere."""
    failed = []
    for program, r in results.items():
        if r["wrong"] > max(1, r["audits"] / 500):
            failed.append("%s: %d of %d audited traces were wrong" % (program, r["wrong"], r["audits"]))
        if r["branches"] < 5000:
            failed.append("%s: %.0f branches a second" % (program, r["branches"]))
        if r["scores"]["branch"] < 60:
            failed.append("%s: the overlap is %.1f" % (program, r["scores"]["branch"]))
    mean = statistics.mean(r["scores"]["branch"] for r in results.values())
    if mean < 80:
        failed.append("the mean overlap is %.1f" % mean)
    return failed


def main():
    rates.ROUNDS = ROUNDS
    softlbr, directory, programs = sys.argv[1], sys.argv[2], sys.argv[3:]
    results = {program: measure(softlbr, os.path.join(directory, program)) for program in programs}
    print_table(results)
    failed = check(results)
    for f in failed:
        print("FAIL:", f)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
