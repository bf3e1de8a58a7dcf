#!/usr/bin/env python3
"""How much memory and time softlbr takes for recordings that say much and sample little.

usage: memory.py SOFTLBR LOOP.C FOLDER SCALE

SCALE is how many processes there are; the recordings are made by hand (tests/cases/recording.py has the layout), and
each sample is of the same loop. What is measured is the peak of resident memory of each command (getrusage), less that
for a recording of one process: it may not be more than BYTES for each process or mapping; and at the scale of a package
build, 100,000 processes, not more than 300 MB and 10 s of processor time in all, for nested mappings 100 MB.
"""
import os, resource, struct, subprocess, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cases"))
from recording import bias_of, branches_of, code_segment, record, text

PARENT, FIRST, LIBRARIES = 1000, 200000, 4
WHOLE = 100000
BYTES = 2750  # an exec'ed process of LIBRARIES + 1 mappings, with a stack of 16 branches


def task(kind, pid, parent, time):
    return record(kind, 0, struct.pack("<IIIIQ", pid, parent, pid, parent, time) + struct.pack("<IIQ", pid, pid, time))


def execed(pid, time):
    return record(3, 1 << 13, struct.pack("<II", pid, pid) + text("prog") + struct.pack("<IIQ", pid, pid, time))


def mapped(pid, start, size, offset, path, time):
    body = struct.pack("<IIQQQ", pid, pid, start, size, offset) + bytes(24) + struct.pack("<II", 5, 2) + text(path)
    return record(10, 2, body + struct.pack("<IIQ", pid, pid, time))


class Maker:
    def __init__(self, program):
        self.program = os.path.abspath(program)
        self.bias = bias_of(program)
        call, work, jump, head = (x + self.bias for x in branches_of(program))
        self.stack = [(jump, head, 0)] * 15 + [(call, work, 0)]
        self.offset, self.va, self.size = code_segment(program)

    def own_map(self, pid, time):
        return mapped(pid, self.bias + self.va, self.size, self.offset, self.program, time)

    def sample(self, pid, time):
        body = struct.pack("<QIIQQ", self.stack[0][1], pid, pid, time, len(self.stack))
        return record(9, 2, body + b"".join(struct.pack("<QQQ", *branch) for branch in self.stack))

    def processes(self, n):
        """Short ones, each with its own program and libraries, as in a build."""
        for i in range(n):
            pid, time = FIRST + i, 1000 * i
            yield task(7, pid, PARENT, time)
            yield execed(pid, time + 1)
            yield self.own_map(pid, time + 2)
            for j in range(LIBRARIES):
                yield mapped(pid, 0x7E0000000000 + (i % 7 * 1000 + j) * 0x100000, 0x1000, 0, "/lib/l%d.so" % j, time + 3)
            yield self.sample(pid, time + 10)
            yield task(4, pid, PARENT, time + 20)

    def nested(self, n):
        """Each mapping covers all before."""
        yield self.own_map(PARENT, 0)
        for i in range(n):
            yield mapped(PARENT, 0x7E0000000000 - i * 0x1000, 0x1000 + 2 * i * 0x1000, 0, "/x/%d" % i, i + 1)
            yield self.sample(PARENT, i + 1)

    def reopened(self, n):
        """A program that opens other libraries at one address, with many others around."""
        yield self.own_map(PARENT, 0)
        for j in range(150):
            yield mapped(PARENT, 0x7E0000000000 + j * 0x100000, 0x1000, 0, "/lib/l%d.so" % j, 1)
        for i in range(n):
            yield mapped(PARENT, 0x7D0000000000, 0x2000, 0, "/lib/plugin%d.so" % (i % 20), 10 + i)
            if not i % 10:
                yield self.sample(PARENT, 10 + i)

    def write(self, records, path):
        attr = struct.pack("<IIQQQQQIIQQQ", 0, 112, 4, 1000, 1 | 2 | 4 | 1 << 11, 0, 1 << 18, 0, 0, 0, 0, 8)
        attr = attr.ljust(112, b"\0") + struct.pack("<QQ", 104, 0)
        with open(path, "wb") as file:  # one by one: a child's peak is its parent's at least
            file.write(bytes(104) + attr)
            for one in records:
                file.write(one)
            size = file.tell() - 232
            file.seek(0)
            file.write(b"PERFILE2" + struct.pack("<QQQQQQQQQ", 104, 128, 104, 128, 232, size, 0, 0, 0))
        return path


def measure(command):
    """(peak of resident memory in bytes, processor seconds, status)"""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    status = os.waitstatus_to_exitcode(status)
    assert status in (0, 5), f"{' '.join(command)}: {status} {said}"
    return usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime


def commands(softlbr, program, data, out):
    return {
        "convert": [softlbr, "convert", "-b", program, "-p", data, "--to", f"gcov={out}.gcov", "--force"],
        "show": [softlbr, "show", data],
        "report": [softlbr, "report", data],
        "check": [softlbr, "check", "-b", program, data],
        "diff": [softlbr, "diff", "-b", program, data, data],
        "merge": [softlbr, "merge", "-b", program, "-o", f"{out}.preagg", "--force", data],
    }


def main():
    softlbr, source, folder, scale = *sys.argv[1:4], int(sys.argv[4])
    program, out = f"{folder}/loop", f"{folder}/out"
    subprocess.run(["gcc", "-O1", "-g", "-o", program, source], check=True)
    maker = Maker(program)
    failed = []
    for kind, n in ("processes", scale), ("nested", min(scale, 12000)), ("reopened", scale * 2 // 5):
        make = getattr(maker, kind)
        few = maker.write(make(1), f"{folder}/few.data")
        many = maker.write(make(n), f"{folder}/many.data")
        least = commands(softlbr, program, few, out)
        for name, command in commands(softlbr, program, many, out).items():
            (before, _), (peak, seconds) = measure(least[name]), measure(command)
            each = (peak - before) / n
            print(f"{kind:10} {n:7} {name:8} {peak / 1e6:7.1f} MB, {each:6.0f} bytes each, {seconds:5.2f} s", flush=True)
            limit = 100e6 if kind == "nested" else 300e6
            if each > BYTES or scale >= WHOLE and (peak > limit or seconds > 10):
                failed.append(f"{kind} {name}")
    assert not failed, failed


main()
