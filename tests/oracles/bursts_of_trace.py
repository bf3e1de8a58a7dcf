#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bursts_of_trace.py PERIOD DEPTH: of valgrind's trace of instructions (lackey's lines `I  ADDRESS,SIZE`), the DEPTH
taken branches from each PERIOD-th on, as text of perf script -F ip,brstack: newest first. Started by a count
of branches, they are biased towards nothing; the count differs by up to a half, at random, so that it keeps
step with no loop."""
import random
import sys


def main():
    period, depth = map(int, sys.argv[1:])
    random.seed(1)
    expected, source, countdown, burst = None, None, period, None
    for line in sys.stdin:
        text, _, size = line[3:].partition(",")
        address = int(text, 16)
        # an instruction that repeats itself is no branch
        if expected is not None and address != expected and address != source:
            if burst is not None:
                burst.append("0x%x/0x%x/P/-/-/0" % (source, address))
                if len(burst) == depth:
                    print("%x" % address, *reversed(burst))
                    burst = None
            countdown -= 1
            if not countdown:
                countdown, burst = random.randrange(period // 2, period * 3 // 2), []
        expected, source = address + int(size), address


main()
