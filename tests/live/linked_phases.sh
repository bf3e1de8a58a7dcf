#!/bin/sh
# SPDX-License-Identifier: MIT
# linked_phases.sh SOFTLBR LINKED_PHASES: a program that records itself by the collector's defaults is recorded as by
# softlbr record: in long traces, each with a weight.
set -eu
softlbr=$1
program=$2
. "$(dirname "$0")/../prelude.sh"
needs perf
needs_recording_inside
cd "$work"
"$softlbr" record -q -o recorded -- "$program" 6000000 plain >out 2>err || fail "cannot record"
"$program" 6000000 >out 2>err || fail "it cannot record itself"

fact() {
  awk -v name="$1" '$1 == name { print $2; exit }' facts
}
for recording in recorded perf.data; do
  "$softlbr" show "$recording" >facts 2>err || fail "cannot show $recording"
  traces=$(fact samples)
  [ "$traces" -ge 20 ] || fail "$recording has $traces traces of some 4 s of CPU time" # 60 +- 8
  # 1,024 of a loop that comes to nothing new
  [ "$(fact branches)" -gt "$((traces * 1000))" ] || fail "$recording has $(fact branches) branches in $traces traces"
  perf script -i "$recording" -F weight 2>err >weights
  ! awk '{ print $1 + 0 }' weights | grep -qx '[01]' || fail "$recording has traces without weights"
done
# Of 60 traces each, on an idle machine: 95 % +- 2. On one whose processors each had eight programs to run it were
# 80 % +- 16 of 36 pairs, and as much (80 % +- 14 of 30) of two recordings by softlbr record; none had less than 47 %.
"$softlbr" diff --binary "$program" --no-confidence --level branch --fail-under 0.3 perf.data recorded >out 2>err ||
  fail "a recording of its own is not softlbr record's: $(cat out)"
