#!/bin/sh
# SPDX-License-Identifier: MIT
# short_traces.sh SOFTLBR: traces that are shorter than others, as signals come between, stand for as much of the time:
# of a program whose halves take as many branches, one of them with signals, against exact counts (callgrind).
set -eu
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"

needs valgrind
needs_recording_inside
cd "$work"

${CC:-cc} -O1 -g -o program "$here/alarms.c"
"$softlbr" record -e task-clock -c 1ms -n 2048 --timer-correction=probe -o traces.data -- ./program 60000 \
  >/dev/null 2>err || fail "record"
# 5: where signals come between, few paths are timed, and the verdict expects less of the estimate than it is
status=0
"$softlbr" convert --force --binary program --to preagg=estimate --profile traces.data 2>err || status=$?
[ $status = 0 ] || [ $status = 5 ] || fail "convert: status $status"
valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --callgrind-out-file=exact \
  ./program 600 >/dev/null 2>err || fail "callgrind"
"$softlbr" diff estimate exact --binary program --no-confidence >diff 2>err || [ -s diff ] || fail "diff"
overlap=$(awk '$1 == "branch" { print $2 }' diff)
# 58 to 60 where each branch counts as much, now 96 +- 1; what is missing are traces that signals have made wrong
[ "${overlap%.*}" -ge 75 ] || fail "overlap of taken branches: $overlap %"
echo "halves with and without signals: $overlap % overlap of taken branches"
