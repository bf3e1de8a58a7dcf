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
"$softlbr" record -c 2000000 --timer-correction=off --depth 2048 -o decide.data ./decide 2>err || fail "cannot record"

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

# What leads to the division: the line that decides has always run, the other way out of the function never last.
follows=$((1 + $(grep -n '/\* follows \*/' "$source" | cut -d: -f1)))
"$softlbr" report --before="decide.c:$follows" --json decide.data >json 2>err || fail "no report of what led there"
python3 - "$source" <<'END'
import json, sys
text = open(sys.argv[1]).read().splitlines()
decides = 1 + next(n for n, line in enumerate(text) if "/* decides */" in line)
report = json.load(open("json"))
lines = {r["line"]: r["share"] for r in report["before_lines"]["rows"]}
assert report["before_arrivals"] >= 5000, report["before_arrivals"]
assert lines[f"decide.c:{decides}"] > 0.99, lines
assert lines.get(f"decide.c:{decides + 1}", 0) < 0.6, lines
(last,) = [r for r in report["before"]["rows"] if r["depth"] == 1]
assert last["kind"] == "return" and last["source"] == f"decide.c:{decides}", last
END
"$softlbr" report --after="decide.c:$follows" --json decide.data 2>err | grep -q '"after_arrivals"' || fail "nothing followed"
"$softlbr" report --before=decide.c:99999 decide.data | grep -q 'no trace has that line' || fail "silent about a line"
"$softlbr" report --trace=3 --json decide.data >json 2>err || fail "no trace"
python3 -c '
import json
rows = json.load(open("json"))["trace"]["rows"]
assert len(rows) == 2048 and {r["kind"] for r in rows} >= {"call", "return", "conditional"}, rows[:9]
assert all(r["source"].startswith("decide.c:") for r in rows[:-1]), rows[:9]' || fail "not a trace of the program"

# Turns of loops that are known.
$CC -O1 -g -o nest "$here/nest.c"
"$softlbr" record -c 2000000 --timer-correction=off --depth 2048 -o nest.data ./nest 2>err || fail "cannot record"
"$softlbr" report --view=paths --top 0 --json nest.data >json 2>err || fail "no loops"
python3 - "$here/nest.c" <<'END'
import json, sys
report, loops = json.load(open("json")), {}
for row in report["loops"]["rows"]:
    loops.setdefault(row["head"].split("+")[0], []).append(row)
inner, outer = sorted(loops["nest"], key=lambda r: -r["depth"])
assert (inner["depth"], outer["depth"]) == (2, 1), loops
assert (inner["median"], inner["p90"], inner["most"], inner["peaks"]) == (40, 40, 40, "40"), inner
assert (outer["median"], outer["p90"], outer["most"]) == (7, 7, 7), outer
assert inner["entries"] > 100 and outer["entries"] > 20, loops
(few,) = loops["few"]
assert few["most"] == 4 and few["median"] in (2, 3) and few["p90"] == 4, few
# not known if a trace's end cut the longest of them off
assert abs(few["mean"] - 2.5) < 0.5 if few["mean"] is not None else few["cut"], few
assert inner["share"] < outer["share"] <= 1, loops

# What is likely goes on: a path's steps are what it says of itself, and shares are of all branches.
paths, steps = report["paths"]["rows"], report["path_steps"]["rows"]
assert [p["path"] for p in paths] == list(range(1, len(paths) + 1))
for p in paths:
    own = [s for s in steps if s["path"] == p["path"]]
    assert len(own) == p["branches"] and own[0]["reached"] == 1 and own[-1]["reached"] == p["to_end"], p
    assert sum(s["instructions"] or 0 for s in own) == p["instructions"], p
    assert all(s["next"] >= 0.6 for s in own[:-1]), own
    assert all(abs(b["reached"] - a["reached"] * a["next"]) < 1e-9 for a, b in zip(own, own[1:])), own
assert 0.9 < sum(p["share"] for p in paths) < 1.1, paths
assert paths[0]["end"] == "closes" and paths[0]["source"].startswith("nest.c:"), paths[0]
END
