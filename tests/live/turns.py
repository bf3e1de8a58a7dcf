#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""turns.py PID: how many perf events the tracer of PID has open, in the mean of looks over 3 s."""
import os
import sys
import time


def tracer_of(pid):
    with open("/proc/%s/status" % pid, encoding="utf-8") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("TracerPid:"))


def count_events(folder):
    count = 0
    for name in os.listdir(folder):
        try:
            count += os.readlink(folder + name) == "anon_inode:[perf_event]"
        except FileNotFoundError:
            pass  # closed meanwhile
    return count


def main():
    while not tracer_of(sys.argv[1]):
        time.sleep(0.01)
    folder = "/proc/%d/fd/" % tracer_of(sys.argv[1])
    counts = []
    for _ in range(120):
        counts.append(count_events(folder))
        time.sleep(0.025)
    print(sum(counts) / len(counts))


if __name__ == "__main__":
    main()
