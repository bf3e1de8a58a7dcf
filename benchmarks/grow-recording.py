#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A long recording out of a short one: its samples again and again.

usage: grow-recording.py INPUT OUTPUT MIB

INPUT is a little-endian perf.data file. Records other than samples are kept once; the features
behind the records are kept, with their places corrected.
"""
import struct
import sys

SAMPLE = 9


def main():
    source, target, mib = sys.argv[1], sys.argv[2], float(sys.argv[3])
    with open(source, "rb") as f:
        data = f.read()
    assert data[:8] == b"PERFILE2", "not a little-endian perf.data"
    begin, size = struct.unpack_from("<QQ", data, 40)
    features = bin(int.from_bytes(data[72:104], "little")).count("1")
    at, samples = begin, []
    other = bytearray()
    while at < begin + size:
        kind, _, length = struct.unpack_from("<IHH", data, at)
        if kind == SAMPLE:
            samples.append(data[at:at + length])
        else:
            other += data[at:at + length]
        at += length
    block = b"".join(samples)
    times = max(1, round(mib * 2**20 / len(block)))
    grown = len(other) + times * len(block)
    tail = bytearray(data[begin + size:])
    for i in range(features):
        place, = struct.unpack_from("<Q", tail, 16 * i)
        struct.pack_into("<Q", tail, 16 * i, place + grown - size)
    head = bytearray(data[:begin])
    struct.pack_into("<Q", head, 48, grown)
    with open(target, "wb") as f:
        f.write(head)
        f.write(other)
        for _ in range(times):
            f.write(block)
        f.write(tail)


main()
