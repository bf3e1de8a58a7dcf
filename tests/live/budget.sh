#!/bin/sh
# SPDX-License-Identifier: MIT
# budget.sh SOFTLBR: --budget makes samples rarer, from inside and outside, for long traces and for short ones; and where
# a program pays more for what is no sample, record says so.
set -eu
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"

needs_recording_inside
cd "$work"
${CC:-cc} -O2 -g "$here/budget.c" -o budget

# samples PERCENT OPTION...: the number of samples of a second or two of work
samples() {
  percent=$1
  shift
  "$softlbr" record -e task-clock --budget="$percent" -o data "$@" -- ./budget 250000000 2>err || fail "budget $percent $*"
  sed -n 's/^softlbr: recorded .*: \([0-9]*\) samples*.*/\1/p' err
}

# rarer OPTION...: an eighth of the budget leaves at most half of the samples. An eighth of them is expected. Intervals are
# drawn from half to one and a half of their mean: of 25 samples, the standard error is 1.5.
rarer() {
  many=$(samples 4 "$@")
  few=$(samples 0.5 "$@")
  [ "$few" -ge 1 ] && [ "$((2 * few))" -le "$many" ] || fail "$*: $many samples for 4 %, $few for 0.5 %"
}
rarer -c 500us --outside=never
rarer -c 100us -n 16 --timer-correction=off --outside=never
if can_attach; then
  rarer -c 500us --outside=always
fi
grep -q 'instead of 0.5 ms, by --budget=0.5)' err || fail "the interval in force is not said: $(cat err)"

# A thread that stands still does not wait for others' time: where that is allowed, the tracer goes before them, but
# nothing that is started does. Field 41 is the policy, 2 is SCHED_RR.
if can_attach; then
  "$softlbr" record -q --outside=always -o data -- sh -c 'sleep 0.3
    tracer=$(sed -n "s/^TracerPid:[[:space:]]*//p" /proc/$$/status)
    for i in $tracer $$ self; do cut -d " " -f 41 /proc/$i/stat; done' >policies 2>err || fail "policies"
  wanted="0 0 0"
  ! chrt -r 1 true 2>/dev/null || wanted="2 0 0"
  [ "$(paste -sd ' ' policies)" = "$wanted" ] || fail "policies: $(cat policies)"
fi

# without it, short traces come as asked: 2,000 a second and more
"$softlbr" record -e task-clock -c 500us -n 16 --timer-correction=off --outside=never -o data -- ./budget 250000000 2>err
! grep -q 'by --budget' err || fail "a budget that nobody asked for: $(cat err)"

# Each subshell is a process that comes and goes: a third of its time, and more, is ours
"$softlbr" record --stats=stats.json -o data -- sh -c 'i=0; while [ $i -lt 2000 ]; do (:); i=$((i + 1)); done' 2>err ||
  fail "forks"
grep -q '^softlbr: warning: recording cost more than 4 %: .* in starts of processes' err || fail "$(cat err)"
python3 - <<'END' || fail "stats.json"
import json
stats = json.load(open("stats.json"))
cost = dict(stats["cost"])
program = cost.pop("program_s")
assert stats["counters"]["forks"] == 2000, stats["counters"]["forks"]
assert abs(sum(cost.values()) / program - stats["figures"]["overhead"]) < 1e-3, stats["cost"]
assert cost["starts_s"] > 0.08 * program, stats["cost"]
END
echo "PASS"
