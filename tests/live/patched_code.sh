#!/bin/sh
# SPDX-License-Identifier: MIT
# patched_code.sh SOFTLBR: processes that map one program alike share what is decoded of it, but not one that has
# written to its code.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
program=
undo() { [ -z "$program" ] || kill -KILL $program $(cat numbers) 2>/dev/null || :; }
cd "$work"
[ "$(uname -m)" = x86_64 ] || skip "its code is x86-64's"
needs perf
${CC:-cc} -O2 -no-pie "$here/patched_code.c" -o patched_code
can_attach || skip "$(cat err)"
./patched_code >numbers &
program=$!
two_numbers() { [ "$(wc -l <numbers)" = 2 ]; }
becomes two_numbers
"$softlbr" record -p $program -c 2ms --timer-correction=off --duration 2s -o data 2>err || fail "status $?"
perf script -i data -F pid,brstack 2>perf.err >all

# taken PID SYMBOL: how often the jump there was taken in the process
taken() {
  address=$(nm patched_code | awk -v name="$2" '$3 == name { sub(/^0*/, "", $1); print $1 }')
  awk -v pid="$1" '$1 == pid' all | grep -o " 0x$address/" | wc -l
}

plain=$(head -n 1 numbers)
patched=$(tail -n 1 numbers)
[ "$(taken "$plain" patch)" -gt 100 ] || fail "few jumps of the first one: $(taken "$plain" patch)"
[ "$(taken "$plain" other)" = 0 ] || fail "the first one has the other's jumps"
[ "$(taken "$patched" other)" -gt 100 ] || fail "few jumps of the second one: $(taken "$patched" other)"
[ "$(taken "$patched" patch)" = 0 ] || fail "the second one has the first one's jumps"
echo "PASS"
