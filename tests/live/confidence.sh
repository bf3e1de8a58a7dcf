#!/bin/sh
# SPDX-License-Identifier: MIT
# confidence.sh SOFTLBR: what softlbr diff says of chance, on recorded bursts with exact counts. Bursts that
# start at branches are nearly unbiased: they score what "at best" says. Bursts that start by time are
# biased: they score less than that.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
data=$shared/data/bursts
[ -e "$data/lua.exact" ] || skip "the shared data are not there"
cd "$work"

failed=0
# STARTS PROGRAM FILE LEAST MOST: what the score is below the ceiling, in points
compare() {
  python3 "$shared/tools/bursts_to_brstack.py" "$data/$3" -n 16 | awk 'NR % 8 == 0' >script
  "$softlbr" diff -b program script exact --json=json
  python3 - "$@" <<'END' || failed=1
import json, sys
starts, program, file, least, most = sys.argv[1:]
d = json.load(open("json"))
score, c = 100 * d["scores"]["edge"], d["confidence"]["edge"]
low, high, ceiling = (100 * c[key] for key in ("low", "high", "ceiling"))
print(f"{program:6} {starts:8} {d['a']['samples']} samples: {score:.2f} in {low:.2f} to {high:.2f}, at best {ceiling:.2f}, "
      f"{c['times_longer']:.0f} times longer")
assert low < score < high and high - low < 12
assert float(least) <= ceiling - score <= float(most), "beyond the bounds"
END
}
for program in bzip2 ho lua mcfl; do
  xz -dc "$data/$program.bin.xz" >program
  awk '$1 == "T" { print "B", $2, $3, $4, 0 } $1 == "N" { print "F", $2, $3, $4 }' "$data/$program.exact" >exact
  compare branches $program $program.branches.n16.xz -4 4
  compare time $program $program.time.n64.xz 10 70
done
exit $failed
