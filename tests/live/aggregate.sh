#!/bin/bash
# SPDX-License-Identifier: MIT
# aggregate.sh SOFTLBR: record --aggregate counts what a recording would hold, part by part, within its
# bounds, begins anew when it is asked to, and leaves what it has when it is killed.
set -euo pipefail
softlbr=$(readlink -f "$1")
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
recorder=
trap '[ -z "$recorder" ] || kill -KILL $recorder 2>/dev/null || :; rm -rf "$work"' EXIT
cd "$work"
fail() {
  echo "FAIL: $*"
  [ ! -e err ] || cat err
  exit 1
}
"$softlbr" doctor >/dev/null 2>&1 || {
  echo "SKIP: this machine cannot record (softlbr doctor)"
  exit 77
}
${CC:-cc} -O2 -g "$root"/examples/interpreter/*.c -o interpreter
program="./interpreter $root/examples/interpreter/training.asm 500"

echo "# the counts are those of a recording"
$program >expected
"$softlbr" record -e task-clock -c 200us --aggregate counts --aggregate-every 4 -- $program >got 2>err || fail "status $?"
cmp got expected || fail "other output"
[ ! -e counts/traces ] && ! ls counts/*.new counts/traces.* >/dev/null 2>&1 || fail "left: $(ls counts)"
[ "$(sed -n 's/.* counted in \([0-9]*\) parts.*/\1/p' err)" -ge 2 ] || fail "one part only"
recorded=$(sed -n 's/^softlbr: .*, \([0-9]*\) taken branches.*/\1/p' err)
counted=$(awk '/^B/ { n += $4 } END { print n }' counts/*.preagg)
[ $((counted * 100)) -gt $((recorded * 97)) ] && [ $((counted * 100)) -le $((recorded * 101)) ] ||
  fail "$counted branches of $recorded"
"$softlbr" record -e task-clock -c 200us -o data --buffer-size 64 -- $program >got 2>err || fail "status $?"
"$softlbr" diff -b interpreter counts/interpreter.preagg data --level edge --fail-under 0.93 >difference ||
  fail "$(cat difference)"

echo "# no more than so many"
"$softlbr" record -e task-clock -c 500us --aggregate few --aggregate-most 20 -- $program >got 2>err || fail "status $?"
grep -q '[1-9][0-9]* counts dropped' err || fail "nothing is dropped"
[ "$(cat few/*.preagg | wc -l)" -le 40 ] || fail "$(cat few/*.preagg | wc -l) lines"

echo "# begun anew, and killed"
"$softlbr" record -e task-clock -c 500us --aggregate twice --control socket -- sh -c 'echo $$ >pid; exec "$@"' sh ${program% *} 100000 >got 2>err &
recorder=$!
for wait in $(seq 100); do [ ! -S socket ] || break; sleep 0.05; done
sleep 0.5
"$softlbr" control -s socket rotate >/dev/null
for wait in $(seq 100); do [ ! -e twice.1/interpreter.preagg ] || break; sleep 0.05; done
[ -s twice.1/interpreter.preagg ] || fail "no counts of the first part: $(ls twice*)"
sleep 0.3
kill -KILL $recorder
wait $recorder 2>/dev/null || :
rm -rf /dev/shm/softlbr-$recorder-*
recorder=
kill -KILL "$(cat pid)"
[ "$(perf script -i twice/traces -F ip 2>/dev/null | grep -c .)" -gt 10 ] || fail "the part at hand is lost"
status=0
"$softlbr" record --attach --aggregate none -- true 2>err || status=$?
[ $status = 125 ] && grep -q 'for preloaded commands' err || fail "attached: $status"
echo "PASS"
