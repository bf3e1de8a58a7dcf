#!/usr/bin/env python3
"""Compares branches and ranges that we wrote (pre-aggregated) with a peer's text, which is autofdo's
or llvm-profgen's: lines BEGIN-END:COUNT and FROM->TO:COUNT. usage: peers.py BINARY OURS PEER

llvm-profgen leaves out the PLT: it joins a call through it to the return into one branch from address
1 (elsewhere). So what touches the PLT or an address that is elsewhere is not compared with it.
"""
import collections, re, subprocess, sys


def read_ours(path):
    counts = collections.Counter()
    for line in open(path):
        f = line.split()
        a, b = (1 if x == "X:0" else int(x, 16) for x in f[1:3])
        counts["->" if f[0] == "B" else "-", a, b] += int(f[3])
    return counts


def read_peer(path):
    counts = collections.Counter()
    for line in open(path):
        m = re.match(r"([0-9a-f]+)(->|-)([0-9a-f]+):(\d+)$", line)
        if m:
            counts[m[2], int(m[1], 16), int(m[3], 16)] += int(m[4])
    return counts


def plt_of(binary):
    ranges = []
    for line in subprocess.run(["readelf", "-SW", binary], capture_output=True,
                               text=True).stdout.splitlines():
        m = re.match(r" *\[ *\d+\] (\.plt\S*) +\S+ +([0-9a-f]+) +[0-9a-f]+ +([0-9a-f]+)", line)
        if m:
            ranges.append((int(m[2], 16), int(m[2], 16) + int(m[3], 16)))
    return ranges


ours, peer = read_ours(sys.argv[2]), read_peer(sys.argv[3])
plt = plt_of(sys.argv[1])
profgen = "profgen" in sys.argv[3]


def compared(key):
    for at in key[1:]:
        if at == 1 or (profgen and any(b <= at < e for b, e in plt)):
            return False
    return True


keys = [k for k in sorted(set(ours) | set(peer)) if compared(k)]
bad = [k for k in keys if ours[k] != peer[k]]
for kind, a, b in bad[:10]:
    print(f"  {a:x}{kind}{b:x}: ours {ours[kind, a, b]}, theirs {peer[kind, a, b]}")
total = sum(ours[k] for k in keys)
print(f"{sys.argv[3]}: {len(keys)} branches and ranges, {total} counts, {len(bad)} differ")
sys.exit(1 if bad or total < 1000 else 0)
