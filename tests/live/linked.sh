#!/bin/sh
# SPDX-License-Identifier: MIT
# linked.sh SOFTLBR LINKED: a program that links the collector records itself, again and again.
set -eu
softlbr=$1
program=$2
. "$(dirname "$0")/../prelude.sh"
needs_recording
cd "$work"
[ "$("$program" perf.data)" = "traps 4, users 3" ] || fail "its own SIGTRAPs did not all arrive"
[ -e perf.data.old ] || fail "the recording before was not kept"
perf script -i perf.data -F ip,sym >text 2>err || fail "$(cat err)"
[ "$(grep -c ' remembered' text)" -gt 10 ] || fail "few samples behind the reset" # 9 of each of some 20 traces
! grep -q ' forgotten' text || fail "the reset forgot nothing"
perf script -i dumped -F pid,tid,ip,sym,brstack >text 2>err || fail "$(cat err)"
! grep -q 'forgotten\|remembered' text || fail "the dump holds what came behind it"
grep -qi -e error -e warning err && fail "$(cat err)"
# the companion, four threads and the child of the fork
[ "$(awk '{ print $1 }' text | sort -u | wc -l)" -ge 4 ] || fail "threads are missing"
[ "$(wc -l <text)" -gt 50 ] || fail "few samples" # 9 of each of some 12 traces or more
grep -q ' work' text || fail "the program's functions are not found: were its mappings recorded?"
"$softlbr" convert --binary "$program" --profile dumped --profile perf.data --to preagg=preagg 2>err || [ $? = 5 ] || fail "$(cat err)"
