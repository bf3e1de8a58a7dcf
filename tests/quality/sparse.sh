#!/bin/sh
# SPDX-License-Identifier: MIT
# sparse.sh SOFTLBR: taken-edge overlap with exact counts, in percent, of 300, 1,000 and 3,000 recorded traces,
# as they are, and what smoothing adds. The table has to be the one in sparse.txt, and smoothing may nowhere
# lower it by more than 0.3.
# time: started by a timer; branches: started by each P-th taken branch, so not biased. raw and chain
# are convert's --frequencies.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
data=$shared/data/bursts
[ -d "$data" ] || skip "the recorded traces are not there ($data)"
cd "$work"

# score PROGRAM TRACES WAY MODE
score() {
  "$softlbr" convert --force --binary $1 --profile $1.part --frequencies=$3 --smooth=$4 --to preagg=out 2>err ||
    [ $? = 5 ] || {
    cat err >&2
    exit 1
  }
  grep -v X: out >inside # to where nothing is known
  python3 "$shared/tools/burst_overlap.py" "$data/$1.$2.xz" "$data/$1.exact" inside
}

for program in bzip2 ho lua mcfl; do
  python3 -c "import lzma, sys; sys.stdout.buffer.write(lzma.open(sys.argv[1]).read())" \
    "$data/$program.bin.xz" >$program
  for kind in time.n64:16 time.n64:64 branches.n16:16; do
    traces=${kind%:*} depth=${kind#*:}
    python3 "$shared/tools/bursts_to_brstack.py" "$data/$program.$traces.xz" -n $depth >all
    for count in 300 1000 3000; do
      # every so many-th trace
      awk -v every=$(($(wc -l <all) / count)) -v count=$count \
        'NR % every == int(every / 2) && n++ < count' all >$program.part
      for way in raw chain; do
        [ ${traces%%.*}$way != brancheschain ] || continue
        echo "${traces%%.*} $depth $count $way $program" \
          "$(score $program $traces $way none) $(score $program $traces $way mcf)"
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
print("starts   depth traces way      bzip2        ho           lua          mcfl         mean")
worst = 0
for key in sorted(sums, key=lambda k: (k[0] == "branches", k[1], k[3] == "chain", k[2])):
    pairs = list(sums[key].values())
    worst = min(worst, min(b - a for a, b in pairs))
    pairs.append([sum(x) / len(pairs) for x in zip(*pairs)])
    print("%-8s %5d %6d %-6s" % key, "".join("  %4.1f %+5.1f " % (a, b - a) for a, b in pairs).rstrip())
print("lowest: %+.1f" % worst)
assert worst >= -0.3, "smoothing lowers overlap"
END
cat table
diff -u "$here/sparse.txt" table
echo "ok"
