#!/bin/sh
# SPDX-License-Identifier: MIT
# bursts.sh SOFTLBR: taken-edge overlap of convert's --frequencies with exact counts, in percent, on
# recorded traces of four programs; the table has to be the one in bursts.txt, and above its floors.
# time: started by a timer; branches: started by each P-th taken branch, so not biased.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
data=$shared/data/bursts
[ -d "$data" ] || skip "the recorded traces are not there ($data)"
cd "$work"

# score PROGRAM TRACES DEPTH WAY
score() {
  "$softlbr" convert --force --binary $1 --profile $1.$2.$3 --frequencies=$4 --to preagg=out 2>err ||
    [ $? = 5 ] || {
    cat err >&2
    exit 1
  }
  python3 "$shared/tools/burst_overlap.py" "$data/$1.$2.xz" "$data/$1.exact" out
}

for program in bzip2 ho lua mcfl; do
  python3 -c "import lzma, sys; sys.stdout.buffer.write(lzma.open(sys.argv[1]).read())" \
    "$data/$program.bin.xz" >$program
  for traces in time.n64:16 time.n64:64 branches.n16:16; do
    python3 "$shared/tools/bursts_to_brstack.py" "$data/$program.${traces%:*}.xz" \
      -n ${traces#*:} >$program.${traces%:*}.${traces#*:}
  done
done
for traces in time.n64:16 time.n64:64 branches.n16:16; do
  for way in raw reweight chain; do
    for program in bzip2 ho lua mcfl; do
      echo "${traces%%.*} ${traces#*:} $way $program $(score $program ${traces%:*} ${traces#*:} $way)"
    done
  done
done >scores
python3 - <<'END' >table
import collections

scores = collections.OrderedDict()
for line in open("scores"):
    start, depth, way, program, score = line.split()
    scores.setdefault((start, depth, way), {})[program] = float(score)
print("starts   depth way       bzip2     ho    lua   mcfl   mean")
for (start, depth, way), row in scores.items():
    mean = sum(row.values()) / len(row)
    print("%-8s %5s %-8s" % (start, depth, way), *("%6.1f" % s for s in row.values()), "%6.1f" % mean)
    raw = scores[start, depth, "raw"]
    if start == "branches":
        assert all(row[p] >= raw[p] - 0.3 for p in row), "unbiased traces were changed"
    elif way == "chain":
        assert mean >= {"16": 75, "64": 78}[depth], "the mean is below its floor"
END
cat table
diff -u "$here/bursts.txt" table
# the same bytes on each run; auto is chain here
score ho time.n64 16 chain >/dev/null
mv out first
score ho time.n64 16 auto >/dev/null
cmp first out
echo "ok"
