#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gcov_profile.py: GCC's AutoFDO profile, versions 1 to 3, as docs/formats/gcov.md states it.

  gcov_profile.py dump FILE              as text: names, heads, counts, calls
  gcov_profile.py copy FILE COPY         read it, forget the bytes, write it again

A copy that differs from the file shows that one of the two writers, or this reader, is wrong: what can be
worked out of the rest (lengths, the summary) is, not copied.
"""
import dataclasses
import struct
import sys

MAGIC, NAMES, FUNCTIONS, MODULES, WORKING_SET, SUMMARY = (
    0x67636461, 0xAA000000, 0xAC000000, 0xAE000000, 0xAF000000, 0xA8000000)
NO_FILE = 0xFFFFFFFF
INDIRECT_CALL = 7
CUTOFFS = [10000] + [100000 * i for i in range(1, 10)] + [950000, 990000, 999000, 999900, 999990, 999999]


@dataclasses.dataclass
class Line:
    position: int
    count: int
    targets: list  # (name, count)


@dataclasses.dataclass
class Function:
    """name: an index; callsites: (position, Function). head and timestamp are of those that were not inlined."""
    name: int
    lines: list
    callsites: list
    head: int = 0
    timestamp: int = 0

    def counts(self):
        own = [line.count for line in self.lines]
        return own + [count for _, callee in self.callsites for count in callee.counts()]

    def words(self):
        """Length in 4-byte words, as version 1 has it."""
        own = 3 + sum(4 + 5 * len(line.targets) for line in self.lines)
        return own + sum(1 + callee.words() for _, callee in self.callsites)


@dataclasses.dataclass
class Profile:
    version: int
    files: list
    names: list  # (text, index of its file)
    functions: list


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        self.at += size
        if self.at > len(self.data):
            raise ValueError("cut off")
        return self.data[self.at - size:self.at]

    def u32(self):
        return struct.unpack("<I", self.take(4))[0]

    def u64(self):
        return struct.unpack("<Q", self.take(8))[0]

    def expect(self, *words):
        for word in words:
            found = self.u32()
            if found != word:
                raise ValueError("%#x where %#x belongs, before byte %d" % (found, word, self.at))

    def profile(self):
        self.expect(MAGIC)
        self.version = self.u32()
        self.expect(0)
        if self.version >= 3:
            self.expect(SUMMARY)
            for _ in range(5):
                self.u64()
            for _ in range(self.u64()):
                self.take(20)
        self.expect(NAMES)
        self.u32()
        files = [self.string() for _ in range(self.u32())] if self.version >= 3 else []
        names = [(self.string(), self.u32() if self.version >= 3 else NO_FILE) for _ in range(self.u32())]
        self.expect(FUNCTIONS)
        self.u32()
        functions = [self.top_level() for _ in range(self.u32())]
        self.expect(MODULES, 0, 0, WORKING_SET, 384)
        if any(self.take(128 * 12)) or self.at != len(self.data):
            raise ValueError("something behind the functions")
        return Profile(self.version, files, names, functions)

    def string(self):
        size = self.u32() * (4 if self.version == 1 else 1)
        text = self.take(size)
        if not text.endswith(b"\0"):
            raise ValueError("a string without its end, before byte %d" % self.at)
        return text.rstrip(b"\0").decode()

    def top_level(self):
        head = self.u64()
        timestamp = self.u64() if self.version >= 3 else 0
        function = self.body()
        function.head, function.timestamp = head, timestamp
        return function

    def body(self):
        name, lines, callsites = self.u32(), self.u32(), self.u32()
        return Function(name, [self.line() for _ in range(lines)],
                        [(self.u32(), self.body()) for _ in range(callsites)])

    def line(self):
        position, targets, count = self.u32(), self.u32(), self.u64()
        return Line(position, count, [self.target() for _ in range(targets)])

    def target(self):
        self.expect(INDIRECT_CALL)
        return self.u64(), self.u64()


class Writer:
    def __init__(self, version):
        self.version, self.out = version, bytearray()

    def u32(self, *words):
        self.out += struct.pack("<%dI" % len(words), *words)

    def u64(self, *words):
        self.out += struct.pack("<%dQ" % len(words), *words)

    def string(self, text):
        data = text.encode()
        words = string_words(text)
        self.u32(words if self.version == 1 else len(data) + 1)
        self.out += data.ljust(4 * words, b"\0") if self.version == 1 else data + b"\0"

    def profile(self, profile):
        self.u32(MAGIC, self.version, 0)
        if self.version >= 3:
            self.summary(profile.functions)
        self.u32(NAMES, 1 + sum(1 + string_words(name) for name, _ in profile.names))
        if self.version >= 3:
            self.u32(len(profile.files))
            for name in profile.files:
                self.string(name)
        self.u32(len(profile.names))
        for name, file in profile.names:
            self.string(name)
            if self.version >= 3:
                self.u32(file)
        self.u32(FUNCTIONS, 1 + sum(2 + f.words() for f in profile.functions), len(profile.functions))
        for function in profile.functions:
            self.u64(function.head)
            if self.version >= 3:
                self.u64(function.timestamp)
            self.body(function)
        self.u32(MODULES, 0, 0, WORKING_SET, 384, *[0] * 384)
        return bytes(self.out)

    def summary(self, functions):
        counts = sorted((count for f in functions for count in f.counts()), reverse=True)
        self.u32(SUMMARY)
        self.u64(sum(counts), max(counts, default=0), max(f.head for f in functions), len(counts),
                 len(functions), len(CUTOFFS))
        for cutoff in CUTOFFS:
            self.u32(cutoff)
            self.u64(*hottest(counts, sum(counts) * cutoff // 1000000))

    def body(self, function):
        self.u32(function.name, len(function.lines), len(function.callsites))
        for line in function.lines:
            self.u32(line.position, len(line.targets))
            self.u64(line.count)
            for name, count in line.targets:
                self.u32(INDIRECT_CALL)
                self.u64(name, count)
        for position, callee in function.callsites:
            self.u32(position)
            self.body(callee)


def string_words(text):
    return (len(text.encode()) + 4) // 4


def hottest(counts, wanted):
    """The least of the greatest counts that make up so much, and how many there are of it or above."""
    total = taken = least = 0
    while total < wanted and taken < len(counts):
        least = counts[taken]
        same = counts.count(least)
        total += least * same
        taken += same
    return least, taken


def dump(profile):
    names = [name for name, _ in profile.names]

    def show(function, indent):
        for line in function.lines:
            targets = ["%s:%d" % (names[name], count) for name, count in line.targets]
            print(indent + " ".join(["%d.%d: %d" % (line.position >> 16, line.position & 0xFFFF, line.count)] + targets))
        for position, callee in function.callsites:
            print("%s%d.%d: %s" % (indent, position >> 16, position & 0xFFFF, names[callee.name]))
            show(callee, indent + " ")

    print("version", profile.version)
    for function in profile.functions:
        print("%s head %d" % (names[function.name], function.head)
              + (" first %d" % function.timestamp if profile.version >= 3 else ""))
        show(function, " ")


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[1] != ("dump", "copy")[len(sys.argv) - 3]:
        sys.exit(__doc__)
    with open(sys.argv[2], "rb") as file:
        profile = Reader(file.read()).profile()
    if sys.argv[1] == "dump":
        return dump(profile)
    with open(sys.argv[3], "wb") as file:
        file.write(Writer(profile.version).profile(profile))


if __name__ == "__main__":
    main()
