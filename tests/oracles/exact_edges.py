#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""exact_edges.py CALLGRIND_OUT BINARY [OUTPUT]: exact counts of BINARY's instructions and branches.

CALLGRIND_OUT is what valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no wrote
(valgrind's manual, "Callgrind Format Specification"); BINARY is disassembled by objdump. The records, at
ELF virtual addresses in hexadecimal:

  I ADDRESS COUNT          how often an instruction ran
  E FROM TO COUNT KIND     how often control went so: cond (a conditional branch that was taken), fall (one
                           that was not), jump, ijump, call, icall, tail, itail (a jump that callgrind takes
                           for a call; i: indirect) or xcall (to another module, at its address there)
"""
import collections
import os
import re
import sys

from disassembly import Code, output_of

# Where valgrind loads a position-independent program. Code that it finds in no section that it knows (of
# object "???") has addresses of the process.
PIE_BASE = 0x108000


class Callgrind:
    """counts[object, address], calls and jumps[object, from, object, to], conditional[object, from, to] =
    [taken, executed]; a line that tells of a branch comes before the cost line of its instruction."""

    def __init__(self, path):
        self.counts = collections.Counter()
        self.calls = collections.Counter()
        self.jumps = collections.Counter()
        self.conditional = {}
        self.objects = {}
        self.object = self.other = "???"
        self.address = 0
        self.branch = None
        for line in open(path):
            self.read(line.rstrip("\n"))

    def read(self, line):
        if re.match(r"[0-9+*-]", line):
            return self.read_cost(line.split())
        key, equals, value = line.partition("=")
        if not equals:
            return
        if key == "ob":
            self.object = self.other = self.object_name(value)
        elif key == "cob":
            self.other = self.object_name(value)
        elif key in ("calls", "jump", "jcnd"):
            count, target = value.split()[:2]
            self.branch = key, count, self.number(target)

    def object_name(self, text):
        """`(3) /bin/true` names object 3, which is `(3)` from then on."""
        number, name = re.match(r"(?:\((\d+)\))? ?(.*)$", text).groups()
        if name and number:
            self.objects[number] = name
        return name or self.objects[number]

    def number(self, text):
        """Positions may be relative to the last one."""
        if text == "*":
            return self.address
        return int(text, 0) + (self.address if text[0] in "+-" else 0)

    def read_cost(self, fields):
        self.address = self.number(fields[0])
        branch, self.branch = self.branch, None
        if not branch:
            if len(fields) > 2:
                self.counts[self.object, self.address] += int(fields[2])
            return
        what, count, target = branch
        if what == "calls":
            self.calls[self.object, self.address, self.other, target] += int(count)
            self.other = self.object
        elif what == "jump":
            self.jumps[self.object, self.address, self.object, target] += int(count)
        else:
            sums = self.conditional.setdefault((self.object, self.address, target), [0, 0])
            for i, part in enumerate(count.split("/")):
                sums[i] += int(part)


class Edges:
    """What callgrind counted, for one binary: counts[address], edges[from, to, kind]."""

    def __init__(self, callgrind, binary):
        self.code = Code(binary)
        self.name = os.path.basename(binary)
        self.is_pie = "DYN (" in output_of("readelf", "-hW", binary)
        self.counts = collections.Counter()
        self.edges = collections.Counter()
        for (place, address), count in callgrind.counts.items():
            self.add_count(self.own(place, address), count)
        for (place, source, other, target), count in callgrind.calls.items():
            self.add_call(self.own(place, source), self.own(other, target), target, count)
        for (place, source, _, target), count in callgrind.jumps.items():
            self.add_jump(self.own(place, source), self.own(place, target), count)
        for (place, source, target), (taken, _) in callgrind.conditional.items():
            self.add_conditional(self.own(place, source), self.own(place, target), taken)
        self.count_repeats_once()

    def own(self, place, address):
        """The address in the binary, or None in another one."""
        if place == "???" and self.is_pie:
            address -= PIE_BASE
        elif os.path.basename(place) != self.name:
            return None
        return address if address in self.code.at else None

    def add_count(self, address, count):
        if address is not None:
            self.counts[address] += count

    def add_call(self, source, target, outside, count):
        if source is None:
            return
        instruction = self.code.at[source]
        if target is None:
            self.edges[source, outside, "xcall"] += count
        elif instruction.kind in ("call", "jump", "conditional"):
            kind = "call" if instruction.kind == "call" else "tail"
            self.edges[source, target, "i" * instruction.is_indirect + kind] += count

    def add_jump(self, source, target, count):
        # else a string instruction, whose iterations callgrind shows as jumps
        if source is not None and target is not None and self.code.at[source].is_transfer():
            self.edges[source, target, "i" * self.code.at[source].is_indirect + "jump"] += count

    def add_conditional(self, source, target, taken):
        if source is None or self.code.at[source].kind != "conditional":
            return
        if taken:
            self.edges[source, target, "cond"] += taken
        if self.counts[source] > taken and source in self.code.next:
            self.edges[source, self.code.next[source], "fall"] += self.counts[source] - taken

    def count_repeats_once(self):
        """valgrind counts the iterations of `rep movs`; it ran as often as something led to it."""
        arrivals, departures = collections.Counter(), collections.Counter()
        for (source, target, kind), count in self.edges.items():
            if kind in ("cond", "jump", "ijump", "tail", "itail"):
                arrivals[target] += count
                departures[source] += count
        for before, address in self.code.next.items():
            if self.counts[address] and self.code.at[address].repeats:
                through = self.counts[before] - departures[before] if self.code.at[before].goes_on() else 0
                self.counts[address] = arrivals[address] + through

    def write(self, out):
        for address, count in sorted(self.counts.items()):
            if count:
                print("I %x %d" % (address, count), file=out)
        for (source, target, kind), count in sorted(self.edges.items()):
            print("E %x %x %d %s" % (source, target, count, kind), file=out)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    edges = Edges(Callgrind(sys.argv[1]), sys.argv[2])
    with open(sys.argv[3], "w") if len(sys.argv) == 4 else sys.stdout as out:
        edges.write(out)


if __name__ == "__main__":
    main()
