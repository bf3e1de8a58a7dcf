#!/usr/bin/env python3
"""Two recordings of recording.py as one: the second one's samples are of another process.

usage: joined.py FIRST SECOND OUTPUT [SAMPLES]

SAMPLES: only so many of the second one's.
"""
import struct, sys

first, second = (bytearray(open(name, "rb").read()) for name in sys.argv[1:3])
begin, size = struct.unpack_from("<QQ", second, 40)  # the file header's section of data
other = bytearray(second[begin:begin + size])


def bytes_at(where):
    return struct.unpack_from("<H", other, where + 6)[0]


struct.pack_into("<II", other, 8, 2000, 2000)  # the mapping's pid and tid
end, samples = bytes_at(0), 0
while end < size and (len(sys.argv) < 5 or samples < int(sys.argv[4])):
    struct.pack_into("<II", other, end + 16, 2000, 2000)  # behind header and ip
    end += bytes_at(end)
    samples += 1
begin, size = struct.unpack_from("<QQ", first, 40)
struct.pack_into("<Q", first, 48, size + end)
open(sys.argv[3], "wb").write(first[:begin + size] + other[:end])
