#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""versions.py OLD NEW [ROUNDS]: what a trace costs with one build of softlbr and with another.

OLD and NEW are softlbr programs beside their collectors; the same twice tells how much is chance. Short programs run
plain, with either and plain again, order reversed every other round (default 10), so that a machine whose speed changes
does so for all of them. Prints the CPU time per trace above the plain runs', and the geometric mean of the rounds'
ratios with its standard error, for traces of 1 branch (a sample's cost), of 16 and of 2,048, none of them timed.
Look-ahead alone: lookahead.py, which counts instructions.
"""
import math
import os
import statistics
import sys
import tempfile

import collector

PERIODS = {1: "50us", 16: "50us", 2048: "1ms"}  # of traces of so many branches


def programs(directory):
    """Those of collector.py, for a third to two thirds of a second each."""
    python, lua = (collector.programs(directory)[name] for name in ("python3", "lua"))
    with open(os.path.join(directory, "blob"), "r+b") as blob:
        blob.truncate(6000000)
    with open(os.path.join(directory, "work.pl"), "w") as file:
        file.write(collector.PERL.replace("1 .. 4)", "1 .. 1)").replace("8000000", "1500000"))
    with open(os.path.join(directory, "work.lua"), "w") as file:
        file.write(collector.LUA.replace("rep(300000)", "rep(20000)").replace("f(32)", "f(24)"))
    return {"bzip2": ["bzip2", "-9", "-k", "-c", os.path.join(directory, "blob")], "lua": [*lua, "6000000"],
            "python3": [*python, "4"], "perl": ["perl", os.path.join(directory, "work.pl")]}


def record(softlbr, depth, command, data):
    """CPU seconds and traces."""
    return collector.run([softlbr, "record", "-e", "task-clock", "-o", data, "--audit", "64", "-n", str(depth), "-c",
                          PERIODS[depth], "--timer-correction=off", "--", *command])[:2]


def compare(builds, depth, command, rounds, data):
    """Each build's us per trace, median, and the logarithms of the rounds' ratios."""
    us = [], []
    for turn in range(rounds):
        before = collector.run(command)[0]
        recorded = {side: record(builds[side], depth, command, data) for side in ((0, 1) if turn % 2 else (1, 0))}
        plain = (before + collector.run(command)[0]) / 2
        for side, (seconds, traces) in recorded.items():
            us[side].append(1e6 * (seconds - plain) / traces)
    return [statistics.median(v) for v in us], [math.log(new / old) for old, new in zip(*us) if old > 0 and new > 0]


def standard_error(values):
    return statistics.stdev(values) / math.sqrt(len(values))


def main():
    if not 3 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    builds, rounds = sys.argv[1:3], int((sys.argv + [10])[3])
    means, errors = [], []
    with tempfile.TemporaryDirectory() as directory:
        for name, command in programs(directory).items():
            for depth in PERIODS:
                (old, new), ratios = compare(builds, depth, command, rounds, os.path.join(directory, "data"))
                means.append(statistics.mean(ratios))
                errors.append(standard_error(ratios))
                print(f"{name:8} {depth:4} branches: {old:6.1f} -> {new:6.1f} us per trace, ratio "
                      f"{math.exp(means[-1]):.3f} +- {math.exp(means[-1]) * errors[-1]:.3f}", flush=True)
    mean = math.exp(statistics.mean(means))
    print(f"geometric mean {mean:.3f} +- {mean * math.hypot(*errors) / len(errors):.3f}")


main()
