#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stack_counts.py SCRIPT BINARY [OUTPUT]: branch stacks summed up, as records I and E of exact_edges.py.

SCRIPT is what perf script -F pid,ip,brstack --show-mmap-events wrote of a recording of one process. A stack has its
newest branch first; from the target of one to the source of the next newer one the code ran straight, which is
what I counts; what leads backwards, or leaves the binary in between, is none. KIND is that of the instruction,
and "in" for a branch out of another module (FROM is 0).
"""
import collections
import re
import sys

from disassembly import Code, Functions, output_of

MAPPING = re.compile(r"MMAP2? .*\[(0x[0-9a-f]+)\((0x[0-9a-f]+)\) @ (0x[0-9a-f]+|0) .*\]: (\S+) (.*)$")


def segments(binary):
    """(file offset, address) of the loadable segments."""
    loads = re.findall(r"^ *LOAD +(0x\S+) (0x\S+)", output_of("readelf", "-lW", binary), re.M)
    return [(int(offset, 16), int(address, 16)) for offset, address in loads]


class Stacks:
    def __init__(self, script, binary):
        self.code, self.functions = Code(binary), Functions(binary)
        self.name, self.segments = binary.rsplit("/", 1)[-1], segments(binary)
        self.maps = []
        self.ranges, self.branches = collections.Counter(), collections.Counter()
        for line in script:
            mapping = MAPPING.search(line)
            if mapping:
                self.add_mapping(mapping)
            else:
                self.add_stack(re.findall(r"(0x[0-9a-f]+)/(0x[0-9a-f]+)/", line))

    def add_mapping(self, found):
        begin, size, offset = (int(text, 0) for text in found.groups()[:3])
        if "x" not in found[4] or found[5].rsplit("/", 1)[-1] != self.name:
            return
        for segment, address in self.segments:
            if offset <= segment < offset + size:
                self.maps.append((begin, begin + size, address - (begin + segment - offset)))

    def own(self, address):
        for begin, end, bias in self.maps:
            if begin <= address < end:
                return address + bias
        return None

    def add_stack(self, entries):
        newer = None
        for source, target in entries:
            source, target = self.own(int(source, 16)), self.own(int(target, 16))
            if source is not None or target is not None:
                self.branches[source, target] += 1
            if newer is not None and target is not None and target <= newer:
                self.ranges[target, newer] += 1
            newer = source

    def counts(self):
        counts = collections.Counter()
        for (first, last), count in self.ranges.items():
            for address in self.code.between(first, last):
                counts[address] += count
        return counts

    def kind(self, source, target):
        if source is None:
            return "in"
        if target is None:
            return "xcall"
        instruction = self.code.at[source]
        name = {"conditional": "cond", "return": "return", "call": "call"}.get(instruction.kind, "jump")
        return "i" * (instruction.is_indirect and name in ("call", "jump")) + name

    def write(self, out):
        for address, count in sorted(self.counts().items()):
            print("I %x %d" % (address, count), file=out)
        for (source, target), count in sorted(self.branches.items(), key=str):
            print("E %x %x %d %s" % (source or 0, target or 0, count, self.kind(source, target)), file=out)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    stacks = Stacks(open(sys.argv[1]), sys.argv[2])
    with open(sys.argv[3], "w") if len(sys.argv) == 4 else sys.stdout as out:
        stacks.write(out)


if __name__ == "__main__":
    main()
