#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""collector_cycle.py BRANCHES LEAST LONGEST RECORDING...: is each trace of the recordings a piece of the path that
BRANCHES has, which begins again at its end? There have to be LEAST branches in each recording, and a trace of LONGEST.
Traces that go elsewhere are of the program's start and end: there may be four. A sample between an exclusive load and its
store makes that fail: a trace may begin with the branch that tries again.

The recordings are read as struct perfdata_sample_head of formats/perfdata_write.h says.
"""
import struct
import sys

RETRY_BYTES = 16
SAMPLE, HEAD = 9, struct.Struct("<IHHQIIQQQ")


def traces(path):
    """[[(from, to), ...] in the order of time]"""
    with open(path, "rb") as file:
        data = file.read()
    begin, size = struct.unpack_from("<QQ", data, 40)
    at, end = begin, begin + size
    while at < end:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        if kind == SAMPLE:
            count = HEAD.unpack_from(data, at)[-1]
            entries = struct.iter_unpack("<QQQ", data[at + HEAD.size:at + HEAD.size + 24 * count])
            yield [entry[:2] for entry in entries][::-1]
        at += length


def main():
    with open(sys.argv[1], encoding="ascii") as file:
        path = [tuple(int(word, 16) for word in line.split()) for line in file]
    places, code = {}, range(min(map(min, path)), max(map(max, path)) + 1)
    for i, branch in enumerate(path):
        places.setdefault(branch, []).append(i)
    failed = len(path) < 2000
    print(f"the path has {len(path)} taken branches")
    for recording in sys.argv[4:]:
        total, wrong, longest, elsewhere = 0, 0, 0, 0
        for trace in traces(recording):
            if any(address not in code for branch in trace for address in branch):
                elsewhere += 1
                continue
            if trace[0] not in places and 0 < trace[0][0] - trace[0][1] <= RETRY_BYTES:
                trace = trace[1:]
            if not trace:  # without look-ahead, its only place for a breakpoint was that load
                continue
            starts = places.get(trace[0], [])
            for n, branch in enumerate(trace):
                starts = [i for i in starts if path[(i + n) % len(path)] == branch]
            if not starts:
                print("not on the path:", *(f"{source:x}-{target:x}" for source, target in trace))
                wrong += 1
                continue
            total += len(trace)
            longest = max(longest, len(trace))
        print(f"{recording}: {total} branches, {wrong} traces wrong, {elsewhere} elsewhere, the longest has {longest}")
        failed |= wrong > 0 or elsewhere > 4 or total < int(sys.argv[2]) or longest < int(sys.argv[3])
    sys.exit(failed)


if __name__ == "__main__":
    main()
