#!/bin/bash
# SPDX-License-Identifier: MIT
# Call stacks that softlbr report rebuilds from traces: shares of functions with what they call against
# callgrind's, and the files for other tools, which say the same.
# usage: call_stacks.sh SOFTLBR [--ptrace]
set -eu
softlbr=$(realpath "$1")
how=${2:-}
. "$(dirname "$0")/../prelude.sh"
needs python3 valgrind callgrind_annotate "${CC:=gcc}"
needs_recording
cd "$work"
$CC -O2 -g -o calls "$here/calls.c"
"$softlbr" record -q -c 5ms -n 2048 --timer-correction=off $how -o calls.data ./calls 1500000 >out 2>err || fail "cannot record"
valgrind --tool=callgrind --callgrind-out-file=callgrind.out ./calls 2000 >out 2>err || fail "callgrind"
callgrind_annotate --inclusive=yes --threshold=100 callgrind.out >truth 2>err || fail "callgrind_annotate"
"$softlbr" report --view=stacks --top 0 --json --to folded=folded --to speedscope=speedscope.json --to pprof=calls.pb.gz \
  calls.data >json 2>err || fail "no report"

python3 - <<'END'
import collections, gzip, json, re
truth, sheet = {}, json.load(open("json"))
for line in open("truth"):
    match = re.match(r"\s*([\d,]+) \(\s*[\d.]+%\)\s+(?:PROGRAM TOTALS|.*:(\w+)(?: \[.*\])?)$", line)
    if match:
        truth.setdefault(match[2] or "all", int(match[1].replace(",", "")))
rows = {r["function"]: r for r in sheet["stack_functions"]["rows"]}
for name in ("main", "tree", "flat", "leaf"):
    known, found = truth[name] / truth["main"], rows[name]["total_share"]
    assert abs(known - found) < 0.03, (name, known, found) # +- 0.002: each trace has many rounds
assert sheet["stacks_rooted"] > 0.99, sheet["stacks_rooted"]
assert abs(sum(r["self_share"] for r in rows.values()) - 1) < 1e-3

# Folded stacks are the tree: the same totals, and inlined functions are frames of their own.
folded = {}
for line in open("folded"):
    stack, count = line.rsplit(" ", 1)
    folded[tuple(stack.split(";"))] = int(count)
totals = collections.Counter()
for stack, count in folded.items():
    totals.update({name: count for name in set(stack)})
assert totals == {name: r["total"] for name, r in rows.items()}, (totals, rows)
assert any(stack[-2:] == ("leaf", "mix") for stack in folded)
deepest = max(folded, key=lambda stack: stack.count("tree"))
assert deepest[0] == "main" and deepest.count("tree") == 3, deepest

# So are speedscope's.
scope = json.load(open("speedscope.json"))
names, profile = [f["name"] for f in scope["shared"]["frames"]], scope["profiles"][0]
seen = collections.Counter()
for stack, weight in zip(profile["samples"], profile["weights"]):
    seen[tuple(names[i] for i in stack)] += weight
assert seen == folded and profile["endValue"] == sum(folded.values())
open("raw", "wb").write(gzip.open("calls.pb.gz").read())
END
if command -v go >/dev/null; then
  HOME=$work PPROF_TMPDIR=$work go tool pprof -raw calls.pb.gz >raw.txt 2>err || fail "go tool pprof cannot read it"
  HOME=$work PPROF_TMPDIR=$work go tool pprof -top -cum -unit=count -nodefraction=0 -nodecount=1000 calls.pb.gz >top 2>err || fail "go tool pprof -top"
  python3 - <<'END'
import json
rows = {r["function"]: r for r in json.load(open("json"))["stack_functions"]["rows"]}
found = {fields[5]: fields for fields in (line.split() for line in open("top")) if len(fields) in (6, 7) and fields[0][0].isdigit()}
assert set(rows) <= set(found), (rows.keys(), found)
for name, row in rows.items():
    shares = [float(found[name][i].rstrip("%")) / 100 for i in (1, 4)]
    assert abs(shares[0] - row["self_share"]) < 1e-3 and abs(shares[1] - row["total_share"]) < 1e-3, (name, found[name], row)
END
else
  skip_part "go is not installed: its pprof did not read the profile"
fi

# Recorded call stacks are taken as they are: a report of them is that view, in samples.
"$softlbr" record -q -c 5ms -n 2048 --timer-correction=off --branches=stack $how -o stack.data ./calls 6000000 >out 2>err || fail "cannot record stacks"
"$softlbr" report --top 0 --json stack.data >json 2>err || fail "no report of call stacks"
python3 - <<'END'
import json
sheet = json.load(open("json"))
rows = {r["function"]: r for r in sheet["stack_functions"]["rows"]}
assert "branches" not in sheet and sheet["stack_samples"] == sheet["samples"] > 30, sheet # 970 +- 31, from outside 270 +- 16 at least
assert sum(r["self"] for r in rows.values()) == sheet["samples"]
assert sheet["stacks_rooted"] > 0.95, sheet["stacks_rooted"]
assert rows["tree"]["total"] + rows["flat"]["total"] > 0.9 * rows["main"]["total"], rows
# it takes 85 % of the time
chance = 4 * (0.85 * 0.15 / sheet["samples"]) ** 0.5
assert abs(rows["leaf"]["total_share"] - 0.85) < 0.04 + chance, rows
assert rows["leaf"]["total"] >= rows["mix"]["total"] > 0, rows
END

# Nothing is destroyed.
cp calls.data copy
status=0
"$softlbr" report --to folded=calls.data calls.data >out 2>err || status=$?
[ $status = 2 ] && cmp calls.data copy || fail "wrote over its input"
echo "int x;" >program.c
status=0
"$softlbr" report --to folded=program.c calls.data >out 2>err || status=$?
[ $status = 2 ] && grep -q "program.c" err || fail "replaced a file of another kind"
