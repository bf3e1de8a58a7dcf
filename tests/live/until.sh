#!/bin/sh
# SPDX-License-Identifier: MIT
# until.sh SOFTLBR: with record --until the recording ends when chance costs little enough, and the program goes on as if
# nothing had been. From inside, with several processes, from outside, and by -p. Without it samples get rarer then.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
program=
undo() { [ -z "$program" ] || kill -KILL $program 2>/dev/null || :; }
cd "$work"

cat >work.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static unsigned x = 1;
static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
/* so many milliseconds of processor time */
int main(int count, char **words)
{
	static int a[3000];
	clock_t end = (clock_t)(atof(words[1]) * 1e-3 * CLOCKS_PER_SEC);

	while (clock() < end) {
		for (int i = 0; i < 3000; i++) {
			x ^= x << 13, x ^= x >> 17, x ^= x << 5;
			a[i] = (int)(x >> 8);
		}
		qsort(a, 3000, sizeof(a[0]), compare);
	}
	puts("whole");
	return count + 5;
}
END
${CC:-cc} -O2 work.c -o work

# stops NAME STATUS COMMAND...: the end was told before the program's, and there is not all of it
stops() {
  name=$1 expected=$2 status=0
  shift 2
  "$softlbr" record -c 1ms -n 64 --timer-correction=off --until=90 --stats=stats -o "$name.data" "$@" >out 2>err || status=$?
  [ $status = "$expected" ] || fail "$name: status $status: $(cat err)"
  grep -q 'softlbr: estimated overlap of 90 % (--until) reached after [0-9.]* s; the program goes on, unrecorded' err || fail "$name: $(cat err)"
  samples=$(sed -n 's/.*: \([0-9]*\) samples*.*/\1/p' err)
  # at least 100 whatever they are, here 120 +- 14 until two looks in turn find it
  [ "$samples" -ge 100 ] && [ "$samples" -lt 1200 ] || fail "$name: $samples samples"
  "$softlbr" show "$name.data" >shown || fail "$name: not readable"
}

echo "# from inside"
stops inside 7 -- ./work 2000
[ "$(cat out)" = whole ] || fail "output: $(cat out)"
echo "# several processes"
stops processes 0 -- sh -c './work 1000 & ./work 1000 & wait'
[ "$(grep -c whole out)" = 2 ] || fail "processes: $(cat out)"
echo "# whichever comes first"
"$softlbr" record --until=99.9 --duration=200ms -o first.data -- ./work 400 >out 2>err || :
! grep -q reached err || fail "reached by $(cat err)"

cat >loop.c <<'END'
#include <stdlib.h>
#include <time.h>
/* so many seconds of processor time in one loop, of which a hundred traces say all */
int main(int count, char **words)
{
	static unsigned counts[4096];
	unsigned x = (unsigned)count;
	clock_t end = (clock_t)(atof(words[1]) * CLOCKS_PER_SEC);

	while (clock() < end)
		for (int i = 0; i < 100000; i++) {
			x ^= x << 13, x ^= x >> 17, x ^= x << 5;
			counts[x & 3 ? x >> 20 : x >> 21]++;
		}
	return counts[5] == 0;
}
END
${CC:-cc} -O2 loop.c -o loop

# gets_rarer SECONDS RECORD...: the mean interval of the last ten samples is at least twice that of the first sixty
gets_rarer() {
  seconds=$1
  shift
  "$softlbr" record -o loop.data "$@" -- ./loop "$seconds" 2>err || fail "loop: status $?: $(cat err)"
  perf script -i loop.data -F time,period 2>/dev/null | awk '$1 != last { print $2 } { last = $1 }' >periods
  awk '{ ns[NR] = $1 } END { for (i = 1; i <= 60; i++) first += ns[i] / 60
    for (i = NR - 9; i <= NR; i++) late += ns[i] / 10; exit !(NR > 80 && late > 2 * first) }' periods
}
echo "# by default samples get rarer when there is enough"
# where traces are dear, a hundred of them take longer
gets_rarer 8 || gets_rarer 20 || gets_rarer 60 || fail "as many samples as before: $(tr '\n' ' ' <periods)"
! gets_rarer 8 --until=99.9 || fail "--until is not waited for with as many samples"
if ! can_attach; then
  skip_part "from outside: $(cat err)"
  exit 0
fi
echo "# from outside"
gets_rarer 8 --outside=always || gets_rarer 30 --outside=always ||
  fail "as many samples as before from outside: $(tr '\n' ' ' <periods)"
stops outside 7 --outside=always -- ./work 2000
[ "$(cat out)" = whole ] || fail "outside: $(cat out)"
echo "# by -p: the program outlives the recording"
./work 2500 >later &
program=$!
stops attached 0 -p $program
kill -0 $program || fail "-p: the program is gone"
status=0
wait $program || status=$?
[ $status = 7 ] && [ "$(cat later)" = whole ] || fail "-p: status $status"
program=
