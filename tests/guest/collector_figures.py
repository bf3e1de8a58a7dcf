#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""collector_figures.py [--audits LEAST] [--wrong MOST] [--free ALL EACH] STATS...: print figures of `softlbr record
--stats`, a line for each; status 1 if more audits are wrong (percent; by default none may be), if there are fewer audits
in one, or if fewer traces needed no breakpoint (percent).
With --free also if one has a hit in ten traces beside audits, or if 1 % of all traces was cut as crossed.
"""
import argparse
import json
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--audits", type=int, default=0)
    parser.add_argument("--wrong", type=float, default=0)
    parser.add_argument("--free", type=float, nargs=2, default=(0, 0))
    parser.add_argument("stats", nargs="+")
    a = parser.parse_args()
    failed, all_traces, all_free, all_crossed = False, 0, 0, 0
    for path in a.stats:
        with open(path, encoding="utf-8") as file:
            stats = json.load(file)
        c, aborts = stats["counters"], {name: n for name, n in stats["aborts"].items() if n}
        traces = c["traces"] + stats["aborts"]["mispredicted"]
        share = 100 * c["breakpoint_free"] / max(traces, 1)
        all_traces, all_free = all_traces + traces, all_free + c["breakpoint_free"]
        print(f"{path}: {c['traces']} traces, {c['branches']} branches, {c['hits']} hits, {c['audits']} audits, "
              f"{c['audits_wrong']} wrong, {share:.1f} % without a breakpoint; cut: {aborts}")
        if c["audits_wrong"] * 100 > a.wrong * c["audits"] or c["audits"] < a.audits or share < a.free[1]:
            print(f"FAIL: {path}: at least {a.audits} audits, {a.wrong} % wrong, {a.free[1]} %")
            failed = True
        if a.free[0] and (c["hits"] - c["audits"]) * 10 > traces:
            print(f"FAIL: {path}: more than a hit in ten traces")
            failed = True
        all_crossed += aborts.get("crossed", 0)
    if a.free[0]:
        share, crossed = 100 * all_free / max(all_traces, 1), 100 * all_crossed / max(all_traces, 1)
        print(f"all: {all_traces} traces, {share:.2f} % without a breakpoint, {crossed:.2f} % crossed")
        failed |= share < a.free[0] or crossed > 1
    sys.exit(failed)


if __name__ == "__main__":
    main()
