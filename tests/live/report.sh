#!/bin/bash
# SPDX-License-Identifier: MIT
# softlbr report of our own recordings, against what the programs are known to do.
# usage: report.sh SOFTLBR
set -eu
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
needs python3 "${CC:=gcc}"
needs_recording
source=$here/decide.c
cd "$work"
$CC -O1 -g -fno-if-conversion -fno-if-conversion2 -o decide "$source"
"$softlbr" record -c 5000000 --depth 2048 -o decide.data ./decide 2>err || fail "cannot record"

# Three of five rounds jump over the division, and as many fall through the comparison of the other function.
"$softlbr" report --view=branches,probability --top 0 --json decide.data >json 2>err || fail "no report"
"$softlbr" report --view=probability --group=line --top 0 --json decide.data >lines 2>err || fail "no lines"
"$softlbr" report --view=branches --group=symbol --top 0 --json decide.data >symbols 2>err || fail "no symbols"
python3 - "$source" <<'END'
import json, sys
text = open(sys.argv[1]).read().splitlines()
at = {what: 1 + next(n for n, line in enumerate(text) if f"/* {what} */" in line) for what in ("decides", "follows")}
report, lines, symbols = (json.load(open(name)) for name in ("json", "lines", "symbols"))

def likeliest(p):
    return max(p, 1 - p)

def near(p, known):
    return abs(p - known) < 0.01

both = {f"decide.c:{at['follows']}", f"decide.c:{at['decides'] - 1}"}
rows = [r for r in report["probabilities"]["rows"] if r["source"] in both]
assert {r["source"] for r in rows} == both, report["probabilities"]
for r in rows:
    assert r["executions"] >= 20000, r
    assert near(likeliest(r["probability"]), 0.6), r
    assert r["taken"] + r["not_taken"] == r["executions"]
    assert r["low"] < r["probability"] < r["high"], r
    assert likeliest(r["low"]) - 0.6 < 0.02 and likeliest(r["high"]) - 0.6 < 0.02, r
by_line = {r["place"]: r for r in lines["probabilities"]["rows"]}
assert all(near(likeliest(by_line[line]["probability"]), 0.6) for line in both), by_line

# Every round calls and returns once; nobody knows of mispredictions.
pairs = {(r["from"], r["to"]): r["count"] for r in symbols["branches"]["rows"]}
calls, returns = pairs["main", "chosen_number"], pairs["chosen_number", "main"]
assert abs(calls / returns - 1) < 0.01, pairs
assert report["mispredicted"] is None
assert all(r["mispredicted"] is None for r in report["branches"]["rows"])
assert abs(sum(r["share"] for r in report["branches"]["rows"]) - 1) < 1e-4
END
"$softlbr" report --view=branches decide.data | grep -q ' -  main+' || fail "an unknown rate is not -"
"$softlbr" report --view=latency decide.data | grep -q 'no cycles in this recording' || fail "silent about cycles"
