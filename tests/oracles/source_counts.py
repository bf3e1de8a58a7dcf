#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""source_counts.py [--plain-discriminators] COUNTS BINARY [OUTPUT]: counts of code as LLVM's text profile.

COUNTS are records as exact_edges.py or stack_counts.py write them. Where an instruction comes from is asked of
llvm-symbolizer (LLVM_SYMBOLIZER, or llvm-symbolizer-16); what becomes of the counts is stated in
docs/attribution.md, and again here:

  position   the greatest count of its instructions, within one symbol and its .cold part, times the duplication
             factor; if no instruction of it was seen, as often as it called
  record     each position of a symbol that ran, zeros too, and of its .cold part
  call       a branch to a function's first instruction by a call, or by a jump from another function
  head       calls of the function, or runs of its first instruction but for the function's own jumps there,
             whichever is more; at least 1
  total      the sum of all counts, nested ones too

--plain-discriminators: GCC's numbers; without, LLVM's three components.
"""
import collections
import json
import os
import subprocess
import sys

from disassembly import Code, Functions

CALLS = ("call", "icall", "tail", "itail")
WAYS = CALLS + ("cond", "jump", "ijump")


def component(bits):
    """The first component of LLVM's discriminator, and the bits behind it (DebugInfoMetadata.h)."""
    if bits & 1:
        return 0, bits >> 1
    bits >>= 1
    if bits & 0x20:
        return (bits >> 1 & 0xFE0) | (bits & 0x1F), bits >> 13
    return bits & 0x1F, bits >> 6


class Discriminators:
    def __init__(self, plain):
        self.plain = plain

    def base(self, bits):
        return bits if self.plain else component(bits)[0]

    def duplication(self, bits):
        return 1 if self.plain else component(component(bits)[1])[0] or 1


def stacks_of(binary, addresses):
    """Frames of each address, innermost first."""
    tool = os.environ.get("LLVM_SYMBOLIZER", "llvm-symbolizer-16")
    answers = subprocess.run([tool, "--obj=" + binary, "--inlines", "--functions=linkage", "--no-demangle",
                              "--output-style=JSON"], input="".join("0x%x\n" % a for a in addresses),
                             capture_output=True, text=True, check=True).stdout
    lines = [json.loads(line) for line in answers.splitlines() if line.strip()]
    return {int(line["Address"], 16): line.get("Symbol", []) for line in lines}


class Body:
    """What a function or an inlined copy of it has: counts, and calls[callee], by position; and inlined calls."""

    def __init__(self):
        self.counts = {}
        self.calls = collections.defaultdict(collections.Counter)
        self.inlined = collections.defaultdict(Body)

    def of_stack(self, stack, discriminators):
        """Where the innermost frame's counts go, and their position."""
        body = self
        places = [((frame["Line"] - frame["StartLine"]) & 0xFFFF, discriminators.base(frame["Discriminator"]))
                  for frame in stack]
        for i in range(len(stack) - 1, 0, -1):
            body = body.inlined[places[i], stack[i - 1]["FunctionName"]]
        return body, places[0]

    def add(self, other):
        for place, count in other.counts.items():
            self.counts[place] = self.counts.get(place, 0) + count
        for place, calls in other.calls.items():
            self.calls[place].update(calls)
        for key, inlined in other.inlined.items():
            self.inlined[key].add(inlined)

    def count_callers(self):
        for place, calls in self.calls.items():
            self.counts[place] = self.counts.get(place, 0) or sum(calls.values())
        for inlined in self.inlined.values():
            inlined.count_callers()

    def total(self):
        return sum(self.counts.values()) + sum(inlined.total() for inlined in self.inlined.values())

    def write(self, indent, out):
        for place, count in sorted(self.counts.items()):
            calls = sorted(self.calls[place].items(), key=lambda c: (-c[1], c[0]))
            print(indent + spelled(place) + ": " + " ".join([str(count)] + ["%s:%d" % c for c in calls]), file=out)
        for (place, name), inlined in sorted(self.inlined.items()):
            print("%s%s: %s:%d" % (indent, spelled(place), name, inlined.total()), file=out)
            inlined.write(indent + " ", out)


def spelled(place):
    return "%d.%d" % place if place[1] else str(place[0])


def whole_name(name):
    return name.split(".cold")[0]


class Profile:
    def __init__(self, counts, edges, binary, discriminators):
        self.counts, self.edges, self.discriminators = counts, edges, discriminators
        self.functions = Functions(binary)
        self.bodies = collections.defaultdict(Body)
        self.heads = collections.Counter()
        code = Code(binary)
        ran = {whole_name(self.functions.names[i]) for i in map(self.functions.index, counts) if i is not None}
        parts = [i for i, name in enumerate(self.functions.names)
                 if whole_name(name) in ran]
        addresses = {i: code.between(self.functions.begins[i], self.functions.ends[i] - 1) for i in parts}
        symbols = collections.Counter(name for name in self.functions.names if ".cold" not in name)
        self.in_parts = collections.defaultdict(Body)  # whose name tells the function that a part is of
        self.alone = {name for name, count in symbols.items() if count == 1}
        self.stacks = stacks_of(binary, [a for some in addresses.values() for a in some])
        self.calls = self.find_calls()
        for i in parts:
            self.add_part(i, addresses[i])
        for name, part in self.in_parts.items():
            self.add_body(name, part)

    def find_calls(self):
        """calls[from][name of the callee]; also counts what arrives at each function, into self.heads."""
        calls = collections.defaultdict(collections.Counter)
        self.looped = collections.Counter()
        for (source, target, kind), count in self.edges.items():
            callee = self.functions.index(target)
            if kind not in WAYS + ("in",) or callee is None or self.functions.begins[callee] != target:
                continue
            name, caller = self.functions.names[callee], self.functions.index(source)
            if caller is not None and kind not in ("call", "icall") and (
                    whole_name(self.functions.names[caller]) == whole_name(name)):
                self.looped[target] += count
            elif ".cold" not in name:
                self.heads[name] += count
                if kind != "in":
                    calls[source][name] += count
        return calls

    def add_part(self, index, addresses):
        """One symbol: greatest counts within it and its part, which are then added to those of its name."""
        begin, name = self.functions.begins[index], self.functions.names[index]
        whole = whole_name(name)
        part = self.in_parts[whole] if whole in self.alone else Body()
        for address in addresses:
            stack = self.stacks.get(address)
            if not stack or not all(frame["Line"] and frame["StartLine"] for frame in stack):
                continue
            body, place = part.of_stack(stack, self.discriminators)
            factor = self.discriminators.duplication(stack[0]["Discriminator"])
            body.counts[place] = max(body.counts.get(place, 0), self.counts.get(address, 0) * factor)
            if address in self.calls:
                body.calls[place].update(self.calls[address])
        if ".cold" not in name:
            entered = self.counts.get(begin, 0) - self.looped[begin]
            self.heads[name] = max(self.heads[name], entered, 1)
        if whole not in self.alone:
            self.add_body(whole, part)

    def add_body(self, name, part):
        part.count_callers()
        if part.counts or part.inlined:
            self.bodies[name].add(part)

    def write(self, out):
        for name, body in sorted(self.bodies.items(), key=lambda item: (-item[1].total(), item[0])):
            print("%s:%d:%d" % (name, body.total(), self.heads[name]), file=out)
            body.write(" ", out)


def read_counts(path):
    counts, edges = collections.Counter(), collections.Counter()
    for line in open(path):
        fields = line.split()
        if fields[0] == "I":
            counts[int(fields[1], 16)] += int(fields[2])
        else:
            edges[int(fields[1], 16), int(fields[2], 16), fields[4]] += int(fields[3])
    return counts, edges


def main():
    arguments = [a for a in sys.argv[1:] if a != "--plain-discriminators"]
    if len(arguments) not in (2, 3):
        sys.exit(__doc__)
    profile = Profile(*read_counts(arguments[0]), arguments[1], Discriminators(len(arguments) + 1 < len(sys.argv)))
    with open(arguments[2], "w") if len(arguments) == 3 else sys.stdout as out:
        profile.write(out)


if __name__ == "__main__":
    main()
