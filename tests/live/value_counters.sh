#!/bin/sh
# SPDX-License-Identifier: MIT
# value_counters.sh SOFTLBR VALUE_COUNTERS: gcc specialises a copy and a division by counters that are made of what
# `record --values` saw of an ordinary program; without observations it does nothing, and finds nothing wrong.
set -eu
softlbr=$1
value_counters=$2
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs gcc-12 python3
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

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000, sum = 0;

	for (uint64_t i = 0; i < rounds; i++) {
		copy(to, from, i * 7 % 10 ? 16 : 37);
		sum += divide(i * i, i * 13 % 20 ? 64 : 7) + rest(i * i, i * 11 % 20 ? 64 : 7);
	}
	return sum == 1;
}
END
gcc-12 -O2 -g p.c -o p
"$softlbr" record --values -c 1ms -n 256 -o values.data -- ./p 12000000 2>err || fail "record"
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

gcc-12 -O2 -g -fprofile-generate -ftest-coverage p.c -o p.gen && ./p.gen 1000 && [ -s p.gen-p.gcda ] ||
  fail "no counters of gcc's"
# use SIZES DIVISORS: what gcc says that it does with these counters
use() {
  "$value_counters" p.gen-p.gcda p.use-p.gcda "$1" "$2" >made 2>err || fail "value_counters: $(cat made)"
  gcc-12 -O2 -g -fprofile-use -Werror=coverage-mismatch -Wmissing-profile -fopt-info p.c -o p.use >said 2>&1 ||
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
