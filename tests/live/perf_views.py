#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What perf's views and softlbr's report say of the same recording, number by number.

usage: perf_views.py branches|blocks|history|totals ..., see each function; SOFTLBR and PERF name the programs.

Where the two are different by what they are, the difference is worked out exactly; docs/report.md has the list.
"""
import collections, json, os, re, statistics, subprocess, sys

OUTSIDE = "(outside)"
TRACES = 1000  # so many of a recording are read instruction by instruction


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def perf(*arguments):
    return output(os.environ["PERF"], *arguments)


def perf_lines(*arguments):
    """The same, line by line, for as long as somebody reads."""
    process = subprocess.Popen([os.environ["PERF"], *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               text=True)
    try:
        yield from process.stdout
    finally:
        process.kill()
        process.wait()


def report(*arguments):
    return json.loads(output(os.environ["SOFTLBR"], "report", "--json", "--top", "0", *arguments))


def equal(what, ours, perfs):
    if ours != perfs:
        keys = [k for k in sorted(set(ours) | set(perfs), key=str) if ours.get(k) != perfs.get(k)]
        raise SystemExit(f"{what}: {len(keys)} of {len(perfs)} are other than perf's, as "
                         + "; ".join(f"{k}: {ours.get(k)}, not {perfs.get(k)}" for k in keys[:5]))
    assert perfs, what
    print(f"{what}: {len(perfs)} equal")


def place(text):
    """A place as function+offset; one that perf has no symbol of is outside."""
    text = re.sub(r"^\[.\] ", "", text.strip()).replace("@plt", "@PLT")
    if text.startswith("0x") or text == OUTSIDE:
        return OUTSIDE
    return text if "+0x" in text else text + "+0x0"


# ---- perf report -b --sort addr_from,addr_to,mispredict -----------------------------------------


def repeated(data):
    """The branches that the parts of long traces repeat: the oldest of each part but a trace's first."""
    again, last = collections.Counter(), None
    for line in perf("script", "-i", data, "--ns", "-F", "tid,time,brstacksym").splitlines():
        tid, time, *stack = line.split()
        if stack and (tid, time) == last:
            again[tuple(place(p) for p in stack[-1].split("/")[:2])] += 1
        last = tid, time
    return again


def branches(data, *binary):
    """branches RECORDING [SYMFS BINARY]: how often each branch was taken, and mispredicted."""
    symfs = ["--symfs", binary[0]] if binary else []
    taken, mispredicted = collections.Counter(), collections.Counter()
    for line in perf("report", "-i", data, *symfs, "-b", "--sort", "addr_from,addr_to,mispredict", "-n", "--stdio",
                     "-t", ";", "-w", "0,0,80,80").splitlines():
        if line.startswith("#") or ";" not in line:  # behind the rows perf tells how many there are of each type
            continue
        _, count, source, target, missed = line.split(";")
        edge = place(source), place(target)
        taken[edge] += int(count)
        mispredicted[edge[0]] += int(count) if missed.strip() == "Y" else 0
    # perf has branches of all that ran, the report those of the binary
    inside = {edge: n for edge, n in taken.items() if edge[0] != OUTSIDE}
    if not binary:
        again = repeated(data)
        print(f"{again.total()} are repeated by parts")
        inside = {edge: n - again[edge] for edge, n in inside.items()}
    rows = report("--view=branches,misprediction", "--frequencies=raw", *(["--binary", binary[1]] if binary else []), data)
    ours = collections.Counter()
    for r in rows["branches"]["rows"]:
        ours[place(r["from"]), place(r["to"])] += r["count"]
    equal("branches", ours, inside)
    perfs = {branch: n for branch, n in mispredicted.items() if n and branch != OUTSIDE}
    if perfs:
        equal("mispredicted", {place(r["branch"]): r["mispredicted"] for r in rows["mispredictions"]["rows"]
                               if r["mispredicted"]}, perfs)
    else:
        assert rows["mispredicted"] is None, rows["mispredicted"]


# ---- perf script -F brstackinsn -----------------------------------------------------------------


def read_stacks(data, *symfs):
    """For each stack who and when it was, and its blocks, oldest first: (begin, end, instructions, flag of the branch
    that led in, cycles)."""
    stack = who = led = block = None
    for line in perf_lines("script", "-i", data, *symfs, "--ns", "-F", "tid,time,ip,brstackinsn"):
        head = re.match(r" *(\d+ +[\d.]+): ", line)
        insn = re.match(r"\t([0-9a-f]{16})\tinsn: [^#]*(#.*)?$", line)
        if head:
            if stack is not None:
                yield who, stack
            who, stack, led, block = head[1], [], None, None
        elif insn:
            at = int(insn[1], 16)
            block = [block[0] if block else at, at, block[2] + 1 if block else 1]
            if insn[2]:
                flag, cycles = re.match(r"#(?: (MISPRED|PRED))?(?: (\d+) cycles)?", insn[2]).groups()
                if led:  # the oldest branch ends a block that nobody knows the beginning of
                    stack.append((*block, led, int(cycles) if cycles else None))
                led, block = flag or "-", None
    yield who, stack


def symbols_of(binary):
    return {name: int(value, 16) for value, _, name in
            (line.split() for line in output("nm", "--defined-only", binary).splitlines())}


def address(symbols, text):
    function, _, offset = text.partition("+")
    return symbols[function] + int(offset or "0", 16)


def read_traces(data, *symfs):
    """The blocks of the first traces, whole: parts of one have its time."""
    traces, last = [], None
    for who, stack in read_stacks(data, *symfs):
        if who != last:
            if len(traces) == TRACES:
                break
            traces.append([])
        traces[-1] += stack
        last = who
    return traces


def compare_instructions(data, traces, symbols, every, *binary):
    compared = 0
    for n in range(1, len(traces) + 1, every):
        rows = report(f"--trace={n}", *binary, data)["trace"]["rows"]
        # neither has the code of what is not in the binary
        if any(r[end] in (None, OUTSIDE) or "@PLT" in r[end] for r in rows for end in ("from", "to")):
            continue
        ours = [(address(symbols, a["to"]), address(symbols, b["from"]), a["instructions"])
                for a, b in zip(rows, rows[1:])]
        perfs = [block[:3] for block in traces[n - 1]]
        if ours != perfs:
            raise SystemExit(f"trace {n}: {len(ours)} blocks, perf has {len(perfs)}, others are "
                             f"{[pair for pair in zip(ours, perfs) if pair[0] != pair[1]][:3]}")
        compared += len(ours)
    assert compared > 100, compared
    print(f"instructions of blocks in traces: {compared} equal")


def compare_cycles(data, traces, symbols):
    seen = collections.defaultdict(list)
    for begin, end, instructions, flag, cycles in (block for trace in traces for block in trace):
        seen[begin, end].append((cycles, flag, instructions))
    perfs = {}
    for block, times in seen.items():
        cycles = [c for c, _, _ in times]
        row = [len(cycles), sum(cycles), statistics.median_low(cycles),
               float(f"{len(cycles) * times[0][2] / sum(cycles):.6g}")]  # as many digits as our JSON has
        for flag in ("PRED", "MISPRED"):
            some = [c for c, f, _ in times if f == flag]
            row += [len(some), statistics.median_low(some) if some else None]
        perfs[block] = row
    ours = {(address(symbols, r["begin"]), address(symbols, r["end"])):
            [r["count"], r["cycles"], r["median"], r["ipc"], r["predicted"], r["predicted_median"], r["mispredicted"],
             r["mispredicted_median"]]
            for r in report("--view=latency", data)["latencies"]["rows"]}
    equal("cycles of blocks", ours, perfs)


def blocks(data, binary, every, *symfs):
    """blocks RECORDING BINARY N [SYMFS]: the instructions of the blocks of each N-th trace, and the cycles of all
    blocks where there are any. BINARY is not position-independent."""
    symbols = symbols_of(binary)
    traces = read_traces(data, *(["--symfs", *symfs] if symfs else []))
    compare_instructions(data, traces, symbols, int(every), *(["--binary", binary] if symfs else []))
    if any(block[4] is not None for block in traces[-1]):
        compare_cycles(data, traces, symbols)


# ---- perf report -b --total-cycles --------------------------------------------------------------


def shown(number):
    """As perf shows cycles."""
    return f"{number / 1000:.1f}K" if number >= 1000 else str(number)


def oldest_entries(data):
    """Of each stack its oldest entry: where it is from, and its cycles."""
    for line in perf("script", "-i", data, "-F", "brstack").splitlines():
        if line.strip():
            entry = line.split()[-1].split("/")
            yield int(entry[0], 16), int(entry[5])


def totals(data, binary):
    """totals RECORDING BINARY: the cycles of all blocks that end at one place, which are a row of perf's."""
    perfs, symbols = collections.Counter(), symbols_of(binary)
    for line in perf("report", "-i", data, "-b", "--total-cycles", "--stdio").splitlines():
        row = re.match(r" +([\d.]+)% +(\S+) +[\d.]+% +(\d+) ", line)
        if row:
            perfs[row.groups()] += 1
    ends = collections.defaultdict(lambda: [0, 0])
    for r in report("--view=latency", data)["latencies"]["rows"]:
        ends[address(symbols, r["end"])][0] += r["cycles"]
        ends[address(symbols, r["end"])][1] += r["count"]
    # the oldest entry ends a block that nobody knows the beginning of: perf counts it, the report does not
    for end, cycles in oldest_entries(data):
        ends[end][0] += cycles
        ends[end][1] += 1
    whole = sum(cycles for cycles, _ in ends.values())
    ours = collections.Counter((f"{100 * cycles / whole:.2f}", shown(cycles), str(cycles // count))
                               for cycles, count in ends.values())
    equal("total cycles", ours, perfs)


# ---- perf report --branch-history ---------------------------------------------------------------


def without_loops(stack):
    """What perf leaves of a stack, newest first: where a branch comes again and all since then came before, too, that
    turn is taken out. It looks for branches by a hash of 127, and the first in a place stays there."""
    seen, i = {}, 0
    while i < len(stack):
        slot = (stack[i][0] * 0x61C8864680B583EB >> 57) % 128 % 127
        if slot not in seen:
            seen[slot] = i
        elif stack[seen[slot]][0] == stack[i][0]:
            turn, again = stack[seen[slot]:i], stack[i:2 * i - seen[slot]]
            if all(a[0] == b[0] for a, b in zip(turn, again)):
                del stack[i:i + len(again)]
        i += 1
    return stack


def history(data, binary):
    """history RECORDING BINARY: the branches that led to each sample, newest first. BINARY is not position-
    independent, and traces are short enough to be whole."""
    symbols = symbols_of(binary)
    perfs, samples = collections.Counter(), collections.Counter()
    for line in perf("report", "-i", data, "--branch-history", "--no-children", "-n", "--stdio", "-g",
                     "folded,count,address,0").splitlines():
        chain, row = re.match(r"(\d+) (.*;.*)$", line), re.match(r" +[\d.]+% +(\d+) +(\S+:\d+) ", line)
        if chain:
            perfs[chain[2]] += int(chain[1])
        elif row:
            samples[row[2]] += int(row[1])
    count = samples.total()
    ours, lines = collections.Counter(), {}
    for n in range(1, count + 1):
        rows = report(f"--trace={n}", data)["trace"]["rows"]
        stack = [(address(symbols, r["from"]), address(symbols, r["to"])) for r in reversed(rows)]
        ours[tuple(place for branch in without_loops(stack) for place in branch[::-1])] += 1
    every = sorted({place for chain in ours for place in chain})
    named = output("addr2line", "-s", "-f", "-e", binary, *(f"{a:x}" for a in every)).splitlines()
    for where, function, line in zip(every, named[::2], named[1::2]):
        lines[where] = function + " " + line.split(" ")[0]
    equal("histories", collections.Counter({";".join(lines[p] for p in chain): n for chain, n in ours.items()}), perfs)
    rows = report("--view=events", "--group=line", data)["event_samples"]["rows"]
    equal("samples of lines", {r["place"]: r["samples"] for r in rows}, samples)


{"branches": branches, "blocks": blocks, "history": history, "totals": totals}[sys.argv[1]](*sys.argv[2:])
