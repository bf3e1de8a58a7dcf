#!/bin/sh
# SPDX-License-Identifier: MIT
# linked_traces.sh SOFTLBR LINKED_TRACES: who links the collector hears of each trace that is recorded, and of its options.
set -eu
softlbr=$1
program=$2
. "$(dirname "$0")/../prelude.sh"
needs perf
needs_recording_inside
cd "$work"

# heard OPTIONS...: what the callback was told is what the recording has.
heard() {
  "$program" perf.data "$@" >out 2>err || fail "it cannot record itself: $(cat err)"
  read -r parts branches weighted wrong <out
  perf script -i perf.data -F ip,brstack >text 2>err || fail "$(cat err)"
  recorded=$(grep -o '0x[0-9a-f]*/0x' text | wc -l)
  [ "$parts" -gt 20 ] || fail "few traces were heard of: $parts"
  [ "$branches" -eq "$recorded" ] || fail "$branches branches were heard of, and $recorded recorded"
  [ "$weighted" -eq "$parts" ] || fail "$weighted of $parts had a weight"
  [ "$wrong" -eq 0 ] || fail "$wrong things are not as they should be"
}

heard
heard any 4
heard cond
