#!/bin/bash
# SPDX-License-Identifier: MIT
# sparse.sh SOFTLBR own|shared: taken-edge overlap with exact counts, in percent, of 300, 1,000 and 3,000 recorded traces,
# as they are, and what smoothing adds (traces.sh). The table has to be the one in sparse.txt or shared/sparse.txt,
# and smoothing may nowhere lower it by more than 0.3.
# time: started by a timer; branches: started by each P-th taken branch, so not biased. raw and chain
# are convert's --frequencies.
set -eu
softlbr=$1
traces=$2
. "$(dirname "$0")/../prelude.sh"
. "$here/traces.sh"
needs valgrind xz
table=$here/sparse.txt
[ $traces = own ] || table=$here/shared/sparse.txt
cd "$work"

# score PROGRAM WAY MODE
score() {
  "$softlbr" convert --force --binary $1 --profile $1.part --frequencies=$2 --smooth=$3 --to preagg=out 2>err ||
    [ $? = 5 ] || {
    cat err >&2
    exit 1
  }
  grep -v X: out >inside # to where nothing is known
  python3 "$oracles/overlap.py" inside $1.exact
}

for program in $programs; do
  traces_program $program
  traces_exact $program
  for kind in time:16 time:64 branches:16; do
    starts=${kind%:*} depth=${kind#*:}
    traces_bursts $program $starts $depth >all
    for count in 300 1000 3000; do
      # every so many-th trace
      awk -v every=$(($(wc -l <all) / count)) -v count=$count \
        'NR % every == int(every / 2) && n++ < count' all >$program.part
      for way in raw chain; do
        [ $starts$way != brancheschain ] || continue
        echo "$starts $depth $count $way $program $(score $program $way none) $(score $program $way mcf)"
      done
    done
  done
done >scores
python3 - <<'END' >table
import collections

sums = collections.OrderedDict()
for line in open("scores"):
    start, depth, count, way, program, none, mcf = line.split()
    row = sums.setdefault((start, int(depth), int(count), way), collections.OrderedDict())
    row[program] = float(none), float(mcf)
names = [*next(iter(sums.values())), "mean"]
print("starts   depth traces way     " + "".join(" %-12s" % name for name in names).rstrip())
worst = 0
for key in sorted(sums, key=lambda k: (k[0] == "branches", k[1], k[3] == "chain", k[2])):
    pairs = list(sums[key].values())
    worst = min(worst, min(b - a for a, b in pairs))
    pairs.append([sum(x) / len(pairs) for x in zip(*pairs)])
    print("%-8s %5d %6d %-6s" % key, "".join("  %4.1f %+5.1f " % (a, b - a) for a, b in pairs).rstrip())
print("lowest: %+.1f" % worst)
assert worst >= -0.3, "smoothing lowers overlap"  # no chance is in it: traces that are stored, each so many-th
END
cat table
diff -u "$table" table
echo "ok"
