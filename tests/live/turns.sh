#!/bin/sh
# SPDX-License-Identifier: MIT
# turns.sh SOFTLBR: from outside, a thread that is switched often has its clock for a part of the time only, within the
# budget; and its samples have the right shares all the same.
set -eu
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"

needs python3
cd "$work"
can_attach || skip "programs can't be traced here"
${CC:-cc} -O2 -g "$here/turns.c" -o turns

# record OPTION...: for 4 s; $clocks is how many events the two processes have, in the mean of many looks
record() {
  ./turns 5 &
  program=$!
  "$softlbr" record -p $program --duration=4s --stats=stats.json -c 1ms -n 64 --timer-correction=off -o data "$@" 2>err &
  recorder=$!
  clocks=$(python3 "$here/turns.py" $program)
  wait $recorder || fail "record $*: $(cat err)"
  wait $program
}

# above THIS THAT: is the first number the larger one?
above() {
  awk "BEGIN { exit !($1 > $2) }"
}

record
above "$clocks" 1.5 || fail "without a budget there are $clocks clocks of two"
# The first one runs for most of the time, the other for little, and both are switched some 10,000 times a second: half
# a percent for that is a third of the first one's time, and an eighth of the other's. Each of 30 looks draws for both:
# 0.5 +- 0.1.
record --budget=2
above 1 "$clocks" || fail "with a budget there are $clocks clocks of two"

# Each sample is in one of both functions: of n, the standard error is sqrt(0.75 * 0.25 / n).
record --budget=20
"$softlbr" report --group=symbol --csv data >csv 2>err || fail "report: $(cat err)"
python3 - <<'END' || fail "the shares: $(cat csv)"
import collections, csv, json, math
counts = collections.Counter()
for row in csv.reader(open("csv")):
    if row[:1] == ["branches"]:
        counts[row[5].split(".")[0]] += int(row[1])
share = counts["many"] / (counts["many"] + counts["few"])
traces = json.load(open("stats.json"))["counters"]["traces"]
assert traces > 20, traces
assert abs(share - 0.75) < 4 * math.sqrt(0.1875 / traces), (share, traces)
END
echo "PASS"
