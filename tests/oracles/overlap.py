#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""overlap.py ESTIMATE EXACT: how much of the taken branches' distribution two profiles share, in percent: the sum
over edges of the lesser one of the two shares.

ESTIMATE  pre-aggregated records, of which B FROM TO COUNT ... counts
EXACT     records of exact_edges.py, of which E FROM TO COUNT KIND counts unless KIND is fall
"""
import collections
import sys


def edges(path, kind):
    found = collections.Counter()
    for line in open(path):
        fields = line.split()
        if fields[0] == kind and fields[-1] != "fall":
            found[fields[1].lower(), fields[2].lower()] += float(fields[3])
    return found


def main():
    estimate, exact = edges(sys.argv[1], "B"), edges(sys.argv[2], "E")
    totals = sum(estimate.values()), sum(exact.values())
    shared = sum(min(estimate[edge] / totals[0], exact[edge] / totals[1]) for edge in estimate.keys() & exact.keys())
    print("%.2f" % (100 * shared))


main()
