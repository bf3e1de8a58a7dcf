#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""folded_shares.py TRUTH FOLDED ROOT [FUNCTION...]: shares of functions with what they call, of ROOT's, in folded
stacks are within 3 points of those of `callgrind_annotate --inclusive=yes`. Without names: of each function that has
0.2 % there, three at least."""
import collections
import re
import sys

LEAST, POINTS = 0.002, 0.03

truth_path, folded_path, root, *names = sys.argv[1:]
truth, found = {}, collections.Counter()
for line in open(truth_path):
    match = re.match(r"\s*([\d,]+) \(\s*[\d.]+%\)\s+.*:(\w+)(?:'2)?(?: \[.*\])?$", line)
    if match:
        truth.setdefault(match[2], int(match[1].replace(",", "")))
for line in open(folded_path):
    stack, count = line.rsplit(" ", 1)
    found.update({name: int(count) for name in set(stack.split(";"))})
if not names:
    names = [name for name, count in truth.items() if LEAST * truth[root] <= count <= truth[root]]
    assert len(names) >= 3, names
for name in names:
    known, here = truth[name] / truth[root], found[name] / found[root]
    print(f"{name} {100 * here:.2f} %, callgrind {100 * known:.2f} %")
    assert abs(known - here) < POINTS, name
