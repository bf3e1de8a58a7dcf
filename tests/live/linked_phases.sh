#!/bin/sh
# SPDX-License-Identifier: MIT
# linked_phases.sh SOFTLBR LINKED_PHASES: a program that records itself by the collector's defaults has the profile
# that softlbr record makes of it: long traces, with weights.
set -eu
softlbr=$1
program=$2
. "$(dirname "$0")/../prelude.sh"
needs perf
needs_recording_inside
cd "$work"
"$softlbr" record -q -o recorded -- "$program" 6000000 plain >out 2>err || fail "cannot record"
"$program" 6000000 >out 2>err || fail "it cannot record itself"

weights() {
  perf script -i "$1" -F ip,weight 2>err | awk '{ n += $1 > 0 || $2 > 0; weighted += ($1 ~ /^[0-9]+$/ && $1 > 1) }
    END { print n, weighted }'
}
for recording in recorded perf.data; do
  set -- $(weights $recording)
  [ "$1" -gt 20 ] || fail "$recording has $1 traces"
  [ "$2" -ge "$(($1 * 9 / 10))" ] || fail "$recording has weights on $2 of $1 traces"
done
# The two phases take turns; a timer alone sees three times as much of the one that waits for memory, and
# overlaps with this by 40 %. Of 60 traces each, two recordings overlap by 94 % +- 2.
"$softlbr" diff --binary "$program" --no-confidence --level branch --fail-under 0.8 perf.data recorded >out 2>err ||
  fail "a recording of its own is not softlbr record's: $(cat out)"
