#!/usr/bin/env python3
"""A perf.data of loop.c, made by hand: what hardware would have recorded, without the hardware.

usage: recording.py PROGRAM OUTPUT [--samples N] [--no-stacks] [--no-build-id | --old-build-id]
                    [--name PATH] [--branch-type BITS] [--trace KIND] [--running SECONDS] [--stacks TEXT] [--types]
                    [--tasks PID:TID:NAME:SAMPLES,...]

--old-build-id: in the header's table, padded to 20 bytes, as perf before 5.12 writes it.
--trace: the record that announces a hardware trace of that kind, without samples.
--running: the event was counted for so long of 1 s, with a period of 100.
--tasks: threads with their names, each with so many samples of task-clock behind each other, 1 ms apart and of 1 ms.
--types: branches have their types (PERF_SAMPLE_BRANCH_TYPE_SAVE).
--stacks: the branch stacks of that text of perf script, with their flags and cycles, and as many samples.

Without it, the stacks are 15 turns of the loop in work() behind the call that entered it. Layout: linux/
perf_event.h and perf.data-file-format.txt; written independently of the product's writer.
"""
import argparse, os, re, struct, subprocess

TYPE_SAVE, COND, CALL = 1 << 16, 1 << 20, 4 << 20
IP, TID, TIME, READ, PERIOD, BRANCH_STACK = 1, 2, 4, 1 << 4, 1 << 8, 1 << 11
BIAS = 0x555555554000


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def branches_of(program):
    """(call, work, loop's jump, loop's head) as virtual addresses."""
    call = work = jump = head = None
    for line in run("objdump", "-d", "--no-show-raw-insn", program).splitlines():
        name = re.match(r"([0-9a-f]+) <(\w+)>:", line)
        if name:
            function = name[2]
            if function == "work":
                work = int(name[1], 16)
            continue
        insn = re.match(r" *([0-9a-f]+):\s+(\S+)\s+([0-9a-f]+) <", line)
        if not insn:
            continue
        at, what, to = int(insn[1], 16), insn[2], int(insn[3], 16)
        if function == "main" and what == "call" and "<work>" in line:
            call = at
        if function == "work" and what.startswith("j") and to < at:
            jump, head = at, to
    assert None not in (call, work, jump, head), "loop.c was compiled in an unexpected way"
    return call, work, jump, head


def code_segment(program):
    for line in run("readelf", "-lW", program).splitlines():
        f = line.split()
        if f and f[0] == "LOAD" and "E" in "".join(f[6:-1]):
            return int(f[1], 16), int(f[2], 16), int(f[4], 16)
    raise SystemExit("no code segment")


def build_id_of(program):
    found = re.search(r"Build ID: ([0-9a-f]+)", run("readelf", "-n", program))
    return bytes.fromhex(found[1]) if found else b""


def bias_of(program):
    return BIAS if "DYN" in run("readelf", "-h", program) else 0


def stacks_of(file):
    """The stacks of a text of perf script: lists of (from, to, flags), newest first."""
    flags = {"M": 1, "P": 2, "-": 0}
    for line in open(file):
        stack = [(int(f, 16), int(t, 16), flags[p] | int(cycles) << 4)
                 for f, t, p, cycles in re.findall(r"0x(\w+)/0x(\w+)/([MP-])/-/-/(\d+)", line)]
        if stack:
            yield stack


def record(kind, misc, body):
    return struct.pack("<IHH", kind, misc, 8 + len(body)) + body


def text(s):
    raw = s.encode() + b"\0"
    return raw + bytes(-len(raw) % 8)


def lengthen(source, target, times):
    """The same records so many times, without what is behind them."""
    with open(source, "rb") as file:
        data = bytearray(file.read())
    offset, size = struct.unpack_from("<QQ", data, 40)
    struct.pack_into("<Q", data, 48, size * times)
    with open(target, "wb") as file:
        file.write(data[:offset])
        for _ in range(times):
            file.write(data[offset:offset + size])


def main():
    args = argparse.ArgumentParser()
    args.add_argument("program")
    args.add_argument("output")
    args.add_argument("--samples", type=int, default=100)
    args.add_argument("--no-stacks", action="store_true")
    args.add_argument("--no-build-id", action="store_true")
    args.add_argument("--old-build-id", action="store_true")
    args.add_argument("--name")
    args.add_argument("--branch-type", type=lambda s: int(s, 0), default=1 << 3)
    args.add_argument("--trace", type=int)
    args.add_argument("--running", type=float)
    args.add_argument("--stacks")
    args.add_argument("--types", action="store_true")
    args.add_argument("--tasks", type=lambda s: [t.split(":") for t in s.split(",")])
    a = args.parse_args()
    bias = bias_of(a.program)
    if a.stacks:
        stacks = list(stacks_of(a.stacks))
    else:
        call, work, jump, head = (x + bias for x in branches_of(a.program))
        kinds = (COND, CALL) if a.types else (0, 0)
        stacks = [[(jump, head, kinds[0])] * 15 + [(call, work, kinds[1])]] * a.samples
    offset, va, size = code_segment(a.program)
    path = text(a.name or os.path.abspath(a.program))
    build_id = b"" if a.no_build_id or a.old_build_id else build_id_of(a.program)
    trailer = struct.pack("<IIQ", 1000, 1000, 0)
    identity = bytes([len(build_id), 0, 0, 0]) + build_id.ljust(20, b"\0")
    data = record(10, 2 | (1 << 14 if build_id else 0),
                  struct.pack("<IIQQQ", 1000, 1000, bias + va, size, offset) + identity
                  + struct.pack("<II", 5, 2) + path + trailer)
    identity_of_file, pids = data[16:], []
    threads = []
    for pid, tid, name, count in a.tasks or []:
        both = struct.pack("<II", int(pid), int(tid))
        if pid not in pids:
            data += struct.pack("<IHH", 10, data[4] | data[5] << 8, 8 + 8 + len(identity_of_file)) + both + identity_of_file
            pids.append(pid)
        data += record(3, 0, both + text(name) + trailer)
        threads += [both] * int(count)
    if a.tasks:
        stacks = stacks[:1] * len(threads)
    if a.trace:
        data += record(70, 0, struct.pack("<II", a.trace, 0))
    for i, stack in enumerate([] if a.trace else stacks):
        body = struct.pack("<QIIQ", stack[0][1], 1000, 1000, 100 + i)
        if a.tasks:
            body = struct.pack("<Q", stack[0][1]) + threads[i] + struct.pack("<QQ", 10**6 * (i + 1), 10**6)
        if a.running:
            whole = 10**9 * (i + 1) // len(stacks)
            body += struct.pack("<QQQQ", 100, 100 * (i + 1), whole, int(a.running * whole))
        if not a.no_stacks:
            body += struct.pack("<Q", len(stack))
            body += b"".join(struct.pack("<QQQ", *branch) for branch in stack)
        data += record(9, 2, body)
    sample_type = IP | TID | TIME | (0 if a.no_stacks else BRANCH_STACK) | (
        PERIOD | READ if a.running else PERIOD if a.tasks else 0)
    attr = struct.pack("<IIQQQQQIIQQQ", 1 if a.tasks else 0, 112, 1 if a.tasks else 4, 1000, sample_type, 3 if a.running else 0, 1 << 18, 0, 0, 0, 0,
                       a.branch_type | (TYPE_SAVE if a.types else 0))
    attr = attr.ljust(112, b"\0") + struct.pack("<QQ", 104, 0)
    features, table = 0, b""
    if a.old_build_id:
        features = 1 << 2
        row = record(0, 2, struct.pack("<i", -1) + build_id_of(a.program).ljust(24, b"\0") + path)
        table = struct.pack("<QQ", 232 + len(data) + 16, len(row)) + row
    header = b"PERFILE2" + struct.pack("<QQQQQQQQQ", 104, 128, 104, 128, 232, len(data), 0, 0,
                                       features)
    with open(a.output, "wb") as f:
        f.write(header.ljust(104, b"\0") + attr + data + table)


if __name__ == "__main__":
    main()
