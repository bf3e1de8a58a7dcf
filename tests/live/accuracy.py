#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""accuracy.py EXACT PREAGG BINARY: a recording against the truth.

EXACT   exact counts of BINARY on the same input: lines `I ADDR COUNT` and `E FROM TO COUNT KIND`
PREAGG  the recording, as `softlbr convert --to preagg` writes it
Prints: recorded branches that are no real edge (a return, or an indirect branch that EXACT does not
list, counts as real), the mean error of the taken ratio of conditional branches weighted by exact
counts, in points, and the share of exact weight that this covers.
--max-error POINTS and --max-false N make a failure of more.
"""
import argparse
import bisect
import collections
import re
import subprocess
import sys


def read_exact(path):
    edges, conditional = set(), collections.defaultdict(lambda: [0, 0])
    for line in open(path):
        fields = line.split()
        if fields[0] != "E":
            continue
        source, target, count, kind = int(fields[1], 16), int(fields[2], 16), int(fields[3]), fields[4]
        if count > 0:
            edges.add((source, target))
        if kind in ("cond", "fall"):
            conditional[source][kind == "fall"] += count
    return edges, conditional


def read_preagg(path):
    branches, ranges = collections.Counter(), collections.Counter()
    for line in open(path):
        fields = line.split()
        if fields[1].startswith("X:") or fields[2].startswith("X:"):
            continue
        key = int(fields[1], 16), int(fields[2], 16)
        (branches if fields[0] == "B" else ranges)[key] += int(fields[3])
    return branches, ranges


def transfers(binary):
    """Addresses of returns and of indirect branches."""
    returns, indirect = set(), set()
    pattern = re.compile(r"^\s*([0-9a-f]+):\s+(?:(?:notrack|bnd|repz|rep|data16|cs)\s+)*(\S+)\s*(.*)$")
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "-w", binary],
                          capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        match = pattern.match(line)
        if not match:
            continue
        address, name, operands = int(match[1], 16), match[2], match[3]
        if name.startswith("ret"):
            returns.add(address)
        elif name in ("call", "jmp") and operands.startswith("*"):
            indirect.add(address)
    return returns, indirect


def false_edges(branches, edges, binary):
    returns, indirect = transfers(binary)
    listed = {source for source, _ in edges}
    wrong = []
    for (source, target), count in sorted(branches.items()):
        if (source, target) in edges or source in returns:
            continue
        if source in indirect and source not in listed:
            continue
        wrong.append((source, target, count))
    return wrong


def ratio_error(branches, ranges, conditional):
    taken = collections.Counter()
    for (source, _), count in branches.items():
        taken[source] += count
    # how many ranges run over an address: begins up to it, less ends up to it
    events = collections.Counter()
    for (begin, end), count in ranges.items():
        events[begin] += count
        events[end] -= count
    addresses, running, total = sorted(events), [], 0
    for address in addresses:
        total += events[address]
        running.append(total)
    error = weight = covered = 0
    for source, (exact_taken, exact_fall) in conditional.items():
        exact = exact_taken + exact_fall
        weight += exact
        at = bisect.bisect_right(addresses, source) - 1
        fall = running[at] if at >= 0 else 0
        seen = taken[source] + fall
        if not seen:
            continue
        covered += exact
        error += exact * abs(exact_taken / exact - taken[source] / seen)
    return 100 * error / covered if covered else 100.0, covered / weight if weight else 0.0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("exact")
    parser.add_argument("preagg")
    parser.add_argument("binary")
    parser.add_argument("--max-error", type=float)
    parser.add_argument("--max-false", type=int)
    arguments = parser.parse_args()
    edges, conditional = read_exact(arguments.exact)
    branches, ranges = read_preagg(arguments.preagg)
    wrong = false_edges(branches, edges, arguments.binary)
    error, covered = ratio_error(branches, ranges, conditional)
    print(f"{sum(branches.values())} branches on {len(branches)} edges, {len(wrong)} edges are not real, "
          f"taken-ratio error {error:.2f} points over {100 * covered:.1f} % of the exact weight")
    for source, target, count in wrong[:10]:
        print(f"  not real: {source:x} -> {target:x}, {count} times")
    failed = arguments.max_error is not None and error > arguments.max_error
    failed = failed or (arguments.max_false is not None and len(wrong) > arguments.max_false)
    sys.exit(1 if failed or not branches else 0)


main()
