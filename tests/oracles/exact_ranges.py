#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""exact_ranges.py EXACT BINARY [OUTPUT]: exact counts (exact_edges.py) as pre-aggregated records.

  B FROM TO COUNT 0    a taken branch
  F FIRST LAST COUNT   code that ran straight, from where something arrived to the branch by which it was left

Counts do not tell which arrival left where; what came first is taken to leave first.
"""
import collections
import sys

from disassembly import Code


def read(path):
    counts, taken, branches = collections.Counter(), collections.Counter(), collections.Counter()
    for line in open(path):
        fields = line.split()
        if fields[0] == "I":
            counts[int(fields[1], 16)] = int(fields[2])
        elif fields[4] not in ("fall", "xcall"):
            taken[int(fields[1], 16)] += int(fields[3])
            branches[int(fields[1], 16), int(fields[2], 16)] += int(fields[3])
    return counts, taken, branches


def ranges(code, counts, taken):
    """(first, last, count): what arrives at an instruction and not straight from the one before begins one."""
    straight, open_ranges = 0, collections.deque()
    for address in code.addresses:
        instruction, count = code.at[address], counts[address]
        if count > straight:
            open_ranges.append([address, count - straight])
        on = instruction.kind not in ("call", "jump", "return", "halt")
        straight = count - taken[address] if on else 0
        leaving = count - straight
        while leaving:
            first = open_ranges[0]
            some = min(leaving, first[1])
            yield first[0], address, some
            leaving -= some
            first[1] -= some
            if not first[1]:
                open_ranges.popleft()


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    counts, taken, branches = read(sys.argv[1])
    with open(sys.argv[3], "w") if len(sys.argv) == 4 else sys.stdout as out:
        for (source, target), count in sorted(branches.items()):
            print("B %x %x %d 0" % (source, target, count), file=out)
        for first, last, count in sorted(ranges(Code(sys.argv[2]), counts, taken)):
            print("F %x %x %d" % (first, last, count), file=out)


main()
