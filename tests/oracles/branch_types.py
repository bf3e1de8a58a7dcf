#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""branch_types.py BINARY SCRIPT: are the types of branches those of the instructions that objdump shows?

SCRIPT is what perf script -F ip,brstack --show-mmap-events wrote of a recording. Branches from elsewhere than BINARY,
whose code has to be at addresses equal to offsets, are left out. Prints how many there are of each type.
"""
import collections
import os
import re
import subprocess
import sys

NAMES = (
    (r"(bnd |notrack )*jmp +\*", "IND"),
    (r"(bnd |notrack )*call +\*", "IND_CALL"),
    (r"(bnd )?jmp ", "UNCOND"),
    (r"(bnd |addr32 )*call ", "CALL"),
    (r"(bnd |repz )?ret", "RET"),
    (r"(j|loop)", "COND"),
)


def types_of(binary):
    """Address -> type of each branch."""
    types = {}
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", binary], capture_output=True, text=True, check=True)
    for line in text.stdout.splitlines():
        found = re.match(r" *([0-9a-f]+):\s+(.*)", line)
        kind = next((kind for pattern, kind in NAMES if found and re.match(pattern, found[2])), None)
        if kind:
            types[int(found[1], 16)] = kind
    return types


def main():
    types, bias, seen, wrong = types_of(sys.argv[1]), None, collections.Counter(), collections.Counter()
    path = os.path.realpath(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as script:
        for line in script:
            mapping = re.search(r"\[0x([0-9a-f]+)\(0x[0-9a-f]+\) @ (0x[0-9a-f]+|0) .* r-xp (.*)", line)
            if mapping and os.path.realpath(mapping[3]) == path:
                bias = int(mapping[1], 16) - int(mapping[2], 16)
            for source, kind in re.findall(r"0x(\w+)/0x\w+/-/-/-/0/(\w*)", line):
                expected = types.get(int(source, 16) - bias)
                seen[expected] += expected is not None
                wrong[kind, expected] += expected not in (None, kind)
    print("branch types: " + ", ".join("%s %d" % row for row in sorted(seen.items(), key=str) if row[1]))
    wrong = +wrong
    if wrong or len(+seen) < 4 or sum(seen.values()) < 1000:
        sys.exit("FAIL: wrong types: %s" % (dict(wrong) or "too few were seen"))


if __name__ == "__main__":
    main()
