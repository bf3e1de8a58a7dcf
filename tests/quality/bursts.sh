#!/bin/bash
# SPDX-License-Identifier: MIT
# bursts.sh SOFTLBR own|shared: taken-edge overlap of convert's --frequencies with exact counts, in percent, on
# recorded traces of four programs (traces.sh); the table has to be the one in bursts.txt or shared/bursts.txt.
# time: started by a timer; branches: started by each P-th taken branch, so not biased.
set -eu
softlbr=$1
traces=$2
. "$(dirname "$0")/../prelude.sh"
. "$here/traces.sh"
needs valgrind xz
table=$here/bursts.txt
[ $traces = own ] || table=$here/shared/bursts.txt
cd "$work"

# score PROGRAM KIND DEPTH WAY
score() {
  "$softlbr" convert --force --binary $1 --profile $1.$2.$3 --frequencies=$4 --to preagg=out 2>err ||
    [ $? = 5 ] || {
    cat err >&2
    exit 1
  }
  python3 "$oracles/overlap.py" out $1.exact
}

kinds="time:16 time:64 branches:16"
for program in $programs; do
  traces_program $program
  traces_exact $program
  for kind in $kinds; do
    traces_bursts $program ${kind%:*} ${kind#*:} >$program.${kind%:*}.${kind#*:}
  done
done
for kind in $kinds; do
  for way in raw reweight chain; do
    for program in $programs; do
      echo "${kind%:*} ${kind#*:} $way $program $(score $program ${kind%:*} ${kind#*:} $way)"
    done
  done
done >scores
python3 - $traces <<'END' >table
import collections
import sys

# the least mean of chain, by depth
FLOORS = {"shared": {"16": 75, "64": 78}, "own": {"16": 84, "64": 86}}[sys.argv[1]]
scores = collections.OrderedDict()
for line in open("scores"):
    start, depth, way, program, score = line.split()
    scores.setdefault((start, depth, way), {})[program] = float(score)
programs = list(next(iter(scores.values())))
print("starts   depth way     ", *("%8s" % name for name in programs + ["mean"]))
for (start, depth, way), row in scores.items():
    mean = sum(row.values()) / len(row)
    print("%-8s %5s %-8s" % (start, depth, way), *("%8.1f" % s for s in row.values()), "%8.1f" % mean)
    raw = scores[start, depth, "raw"]
    if start == "branches":
        assert all(row[p] >= raw[p] - 0.3 for p in row), "unbiased traces were changed"
    elif way == "chain":
        assert mean >= FLOORS[depth], "the mean is below its floor"
END
cat table
diff -u "$table" table
# the same bytes on each run; auto is chain here
program=${programs%% *}
score $program time 16 chain >/dev/null
mv out first
score $program time 16 auto >/dev/null
cmp first out
echo "ok"
