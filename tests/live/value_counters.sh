#!/bin/sh
# SPDX-License-Identifier: MIT
# value_counters.sh SOFTLBR VALUE_COUNTERS: gcc specialises a copy, a division and a call by a pointer by counters that
# `convert --to gcda` makes of a recording of an ordinary program, the call also without --values; without attributions
# it does nothing, and finds nothing wrong.
set -eu
softlbr=$1
value_counters=$2
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs gcc python3
needs_recording
cat >p.c <<'END'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char from[64], to[64];

__attribute__((noinline)) void copy(char *out, const char *in, size_t bytes)
{
	memcpy(out, in, bytes);
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) uint64_t divide(uint64_t a, uint64_t b)
{
	return a / b;
}

__attribute__((noinline)) uint64_t rest(uint64_t a, uint64_t b)
{
	return a % b;
}

static uint64_t often(uint64_t x)
{
	return x ^ x >> 3;
}

static uint64_t seldom(uint64_t x)
{
	return x + 5;
}

__attribute__((noinline)) uint64_t call(uint64_t (*f)(uint64_t), uint64_t x)
{
	return f(x) + 1;
}

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000, sum = 0;

	for (uint64_t i = 0; i < rounds; i++) {
		copy(to, from, i * 7 % 10 ? 16 : 37);
		sum += divide(i * i, i * 13 % 20 ? 64 : 7) + rest(i * i, i * 11 % 20 ? 64 : 7);
		sum += call(i * 7 % 10 ? often : seldom, i);
	}
	return sum == 1;
}
END
gcc -O2 -g -no-integrated-cpp p.c -o p
"$softlbr" record --values -c 1ms -n 256 --timer-correction=off -o values.data -- ./p 12000000 2>err || fail "record"
"$softlbr" show --json --by values values.data >shown.json 2>err || fail "show"
# histogram KIND FUNCTION: VALUE:RUNS,...
histogram() {
  python3 - shown.json "$1" "$2" <<'END'
import json, sys

rows = json.load(open(sys.argv[1]))["values"]["rows"]
row = [row for row in rows if row["kind"] == sys.argv[2] and row["function"] == sys.argv[3]][0]
print(",".join("%s:%d" % (row["value_" + i], row["share_" + i] * row["runs"]) for i in "1234" if row["value_" + i]))
END
}

gcc -O2 -g -fprofile-generate -ftest-coverage p.c -o p.gen && ./p.gen 1000 && [ -s p.gen-p.gcda ] ||
  fail "no counters of gcc's"
# use SIZES DIVISORS: what gcc says that it does with these counters
use() {
  "$value_counters" p.gen-p.gcda p.use-p.gcda "$1" "$2" >made 2>err || fail "value_counters: $(cat made)"
  gcc -O2 -g -fprofile-use -Werror=coverage-mismatch -Wmissing-profile -fopt-info p.c -o p.use >said 2>&1 ||
    fail "gcc refuses the counters: $(cat said)"
}

echo "# what was not observed changes nothing, and is no error"
use "" ""
grep -qi -e 'single value' -e 'div/mod' -e corrupted said && fail "gcc does something: $(cat said)"
grep -q 'kind 1: 4 counters' made && grep -q 'kind 2: 2 counters' made || fail "no counters of the remainder: $(cat made)"

echo "# what was observed does"
sizes=$(histogram size copy)
divisors=$(histogram divisor divide)
use "$sizes" "$divisors"
grep -q 'single value 16 stringop' said || fail "$sizes: the copy is as it was: $(cat said)"
grep -q 'div/mod by constant 64' said || fail "$divisors: the division is as it was: $(cat said)"
./p.use 1000 || fail "the specialised program is wrong"

echo "# convert --to gcda writes them"
"$softlbr" gcc-keys -o keys --root="$work" -- gcc -O2 -c p.c -o p.o 2>err || fail "gcc-keys"
"$softlbr" record -q -c 1ms -n 256 --timer-correction=off -o plain.data -- ./p 12000000 || fail "record"
# converted OUT RECORDING: gcc takes these counters, and what it does by them is in said
converted() {
  "$softlbr" convert --binary p --profile "$2" --keys keys --to gcda="$1" 2>err || fail "convert $2"
  gcc -O2 -g -no-integrated-cpp -fprofile-use="$work/$1" -fprofile-prefix-path="$work" -Wmissing-profile \
    -Werror=coverage-mismatch -fopt-info-optimized -c p.c -o p.o >said 2>&1 || fail "$2: gcc refuses the counters: $(cat said)"
  ! grep -e warning -e corrupted said || fail "$2: gcc warns of the counters"
  gcc p.o -o "$1.use" && "./$1.use" 1000 || fail "$2: the specialised program is wrong"
}
converted valued values.data
grep -q 'single value 16 stringop' said || fail "the copy is as it was: $(cat said)"
[ "$(grep -c 'div/mod by constant 64' said)" = 2 ] || fail "a division is as it was: $(cat said)"
grep -q 'Indirect call -> direct call.* => often' said || fail "the call is as it was: $(cat said)"
gcov-dump -l valued/p.gcda >dump 2>err && [ ! -s err ] && grep -q 'COUNTERS indirect_call 6 counts' dump || fail "gcov-dump"
gcov-tool-12 merge valued valued -o merged >err 2>&1 && [ ! -s err ] && [ -s merged/p.gcda ] || fail "gcov-tool"
cp valued/p.gcda p.gcda
cp keys/p.gcno p.gcno
gcov-12 -t p.gcda >lines 2>err && [ ! -s err ] && grep -q '^ *[0-9][0-9]*: .*return f(x) + 1;' lines || fail "gcov: $(head lines)"

echo "# the call, of any recording; what else was not observed is as it was"
converted called plain.data
grep -q 'Indirect call -> direct call.* => often' said || fail "the call is as it was: $(cat said)"
! grep -e 'single value' -e 'div/mod' said || fail "made up values"

if command -v valgrind >/dev/null; then
  # instructions PROGRAM
  instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1" 20000 2>&1 | sed -n 's/.*Collected : //p'
  }
  plain=$(instructions ./p) used=$(instructions ./valued.use)
  echo "$plain instructions, $used with values"
  [ "$used" -lt "$plain" ] || fail "more instructions by values: $used instead of $plain"
else
  skip_part "valgrind is not here"
fi
echo PASS
