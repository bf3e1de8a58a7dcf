#!/bin/bash
# SPDX-License-Identifier: MIT
# confidence.sh SOFTLBR own|shared: what softlbr diff says of chance, on recorded bursts with exact counts
# (quality/traces.sh). Bursts that start at branches are nearly unbiased: they score their ceiling.
# Bursts that start by time are biased: they score less than that.
set -eu
softlbr=$1
traces=$2
. "$(dirname "$0")/../prelude.sh"
. "$here/../quality/traces.sh"
needs valgrind xz
cd "$work"

failed=0
# STARTS PROGRAM LEAST MOST: what the score is below the ceiling, in points
compare() {
  traces_bursts $2 $1 16 | awk -v every=$every 'NR % every == 0' >script
  "$softlbr" diff --frequencies=raw -b $2 script $2.preagg --json >json
  python3 - "$@" <<'END' || failed=1
import json, sys
starts, program, least, most = sys.argv[1:]
d = json.load(open("json"))
score, c = 100 * d["scores"]["edge"], d["confidence"]["edge"]
low, high, ceiling = (100 * c[key] for key in ("low", "high", "ceiling"))
print(f"{program:6} {starts:8} {d['a']['samples']} samples: {score:.2f} in {low:.2f} to {high:.2f}, ceiling {ceiling:.2f}, "
      f"{c['times_longer']:.0f} times longer")
assert low < score < high and high - low < 12
assert float(least) <= ceiling - score <= float(most), "beyond the bounds"
END
}
every=8
[ $traces = shared ] || every=4 # of half as many
for program in $programs; do
  traces_program $program
  traces_exact $program
  traces_records $program
  compare branches $program -4 4
  case $program in
    squeeze | steps) compare time $program 2 20 ;; # these run nearly as fast everywhere
    network) compare time $program 50 90 ;;	   # each step of its walks waits for memory
    *) compare time $program 10 70 ;;
  esac
done
exit $failed
