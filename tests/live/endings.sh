#!/bin/sh
# SPDX-License-Identifier: MIT
# endings.sh SOFTLBR: a trace that is under way where a program ends is one of the recording: nothing is called damaged.
# Where the machine has no breakpoints, record says so, and nowhere else.
. "$(dirname "$0")/../prelude.sh"
softlbr=$(realpath "$1")
needs gcc
cd "$work"
# each turn depends on what look-ahead can't know: a trace waits for its next branch when the program ends
cat >clock.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>
static unsigned times(unsigned x) { return x * 3; }
static unsigned flip(unsigned x) { return x ^ 5; }
static unsigned step(unsigned (*f)(unsigned), unsigned x) { return f(x); }
int main(int argc, char **argv)
{
	unsigned long long begun = __rdtsc(), cycles = atol(argv[argc - 1]) * 1000000ull;
	unsigned x = 1;
	while (__rdtsc() - begun < cycles)
		x = step(x & 4 ? times : flip, x);
	printf("%u\n", x);
}
C
gcc -O1 clock.c -o clock || skip "this gcc builds for another processor"
"$softlbr" record -o perf.data -- ./clock 1 >out 2>err || skip "this machine cannot record: $(tail -n 1 err)"
for run in $(seq 20); do
  "$softlbr" record -o perf.data -- ./clock 300 >out 2>err || fail "record: $?"
  ! grep damaged err || fail "run $run"
done
echo "20 programs ended"
"$softlbr" record -o perf.data -- sh -c 'for i in 1 2 3 4 5 6 7 8; do ./clock 300; done' >out 2>err || fail "record: $?"
if has_breakpoints; then
  ! grep 'no breakpoint was hit' err || fail "breakpoints are missed"
else
  grep -q 'cut short: no breakpoint was hit' err || fail "nothing is said of breakpoints"
fi
