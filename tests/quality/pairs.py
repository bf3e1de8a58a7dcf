#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pairs.py OUT SECONDS COMMAND, to be run by `softlbr record`: runs the shell's COMMAND recorded and as it is, in turns
(the four of a quad as A B B A or B A A B, so that a machine that grows slower favours neither), until the recorded
ones took SECONDS of processor time. OUT becomes JSON: "added", per quad, what recording adds to the processor time in
percent, and "recorder", what `softlbr record` itself took meanwhile, in percent of the recorded runs' time."""
import json
import os
import random
import subprocess
import sys


def cpu_seconds(command, environment):
    process = subprocess.Popen(["sh", "-c", "exec " + command], env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        sys.exit("%s: status %d" % (command, status))
    return usage.ru_utime + usage.ru_stime


def recorder_seconds():
    """This process's parent is the recorder."""
    fields = open("/proc/%d/stat" % os.getppid()).read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    out, seconds, command = sys.argv[1], float(sys.argv[2]), sys.argv[3]
    recorded = dict(os.environ)
    plain = {k: v for k, v in recorded.items() if k not in ("LD_PRELOAD", "SOFTLBR_SESSION")}
    added, total, before = [], 0, recorder_seconds()
    while total < seconds:
        sums = {"plain": 0, "recorded": 0}
        first, second = random.sample(list(sums), 2)
        for which in (first, second, second, first):
            sums[which] += cpu_seconds(command, recorded if which == "recorded" else plain)
        added.append(100 * (sums["recorded"] / sums["plain"] - 1))
        total += sums["recorded"]
    recorder = 100 * (recorder_seconds() - before) / total
    with open(out, "w") as f:
        json.dump({"added": added, "recorder": recorder}, f)


if __name__ == "__main__":
    main()
