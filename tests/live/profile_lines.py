#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How two LLVM text profiles differ, line by line: counts, call targets and heads; not totals.
usage: profile_lines.py THEIRS OURS [LEAST [PERIOD]]: the fewest lines that are a profile, and by
what our counts are multiplied"""
import re
import sys


def load(path, period=1):
    lines, stack = {}, []
    for text in open(path, encoding="utf-8"):
        text = text.rstrip("\n")
        if not text.strip() or text.startswith("#"):
            continue
        depth = len(text) - len(text.lstrip(" "))
        text = text.strip()
        if not depth:
            name, _, head = text.rsplit(":", 2)
            stack = [name]
            lines[name + " head"] = str(int(head) * period)
            continue
        del stack[depth:]
        inlined = re.match(r"(\d+(?:\.\d+)?): ([^ ]*[^ 0-9][^ ]*):(\d+)$", text)
        if inlined:
            stack.append(f"{stack[-1]} {inlined[1]}:{inlined[2]}")
            continue
        position, rest = text.split(": ", 1)
        count, *targets = rest.split()
        if count.isdigit():
            count = str(int(count) * period)
        lines[f"{stack[-1]} {position}"] = " ".join([count] + sorted(targets))
    return lines


def main():
    least, period = (list(map(int, sys.argv[3:])) + [100, 1][len(sys.argv) - 3 :])[:2]
    theirs, ours = load(sys.argv[1]), load(sys.argv[2], period)
    assert len(ours) >= least, "too few lines to be a profile"
    for key in sorted(set(theirs) | set(ours)):
        if theirs.get(key) != ours.get(key):
            print(f"{key}: {theirs.get(key, 'nothing')} -> {ours.get(key, 'nothing')}")
    print(f"{len(theirs)} lines there, {len(ours)} here", file=sys.stderr)


if __name__ == "__main__":
    main()
