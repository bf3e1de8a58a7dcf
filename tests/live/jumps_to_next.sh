#!/bin/bash
# SPDX-License-Identifier: MIT
# jumps_to_next.sh SOFTLBR [OPTION OF RECORD]: code that clang did not optimize is full of jumps to the next
# instruction, which callgrind does not count: `softlbr diff` leaves them out and says so, and a good recording scores as
# one.
set -eu
softlbr=$(realpath "$1")
how=${2:-}
. "$(dirname "$0")/../prelude.sh"
clang=$(newest clang)
needs "$clang" valgrind
needs_recording
cd "$work"

cat >program.c <<'END'
#include <stdlib.h>

static unsigned state = 1;

static int weigh(unsigned x)
{
	switch (x % 4) {
	case 0:
		return 1;
	case 1:
		x += 3;
		break;
	default:
		x -= 1;
		break;
	}
	if (x & 1)
		goto end;
end:
	return (int)x;
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 0, sum = 0;

	for (long i = 0; i < n; i++) {
		state = state * 1664525u + 1013904223u;
		sum += weigh(state >> 16);
		if (i % 3)
			continue;
	}
	return sum == 7;
}
END
"$clang" -O0 -g -gdwarf-4 program.c -o program
"$softlbr" record $how -c 200us --timer-correction=off --depth 16 -o data -- ./program 60000000 >out 2>err || fail "record"
valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --callgrind-out-file=exact ./program 100000 >out 2>err ||
  fail "callgrind"
"$softlbr" diff -b program data exact >text 2>err || fail "diff"
cat text
grep -q '^jumps to the next instruction are left out: one side has none$' text || fail "they are not left out"
"$softlbr" diff -b program data exact --level branch --fail-under 0.95 >out 2>err || fail "a good recording scores badly"
