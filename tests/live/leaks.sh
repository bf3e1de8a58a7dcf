#!/bin/bash
# SPDX-License-Identifier: MIT
# leaks.sh SOFTLBR: LeakSanitizer traces a program at its end, and can't where somebody else does: such programs are
# recorded from inside, and refused or let go of from outside, with their output, report and status as without softlbr.
set -euo pipefail
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs_recording_inside
can_attach || skip "nothing can be traced here"
cat >leaks.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char *volatile memory = malloc(100);
	volatile unsigned long sum = 0;

	for (unsigned long i = 0; i < 100000000ul; i++)
		sum = sum * 3 + i;
	printf("%lu\n", sum); /* lost where the program is ended */
	if (argc > 1)
		sleep((unsigned)atoi(argv[1]));
	if (argc > 2)
		memory = NULL; /* a leak: status 23 */
	free(memory);
	return 7;
}
END

# as_plain WHAT STATUS
as_plain() {
  [ "$2" = $plain ] || fail "$name: $1: status $2, not $plain"
  cmp got expected || fail "$name: $1: other output"
}

# tries ARGUMENT...: the program, in each way
tries() {
  plain=0
  ./program "$@" >expected 2>err || plain=$?
  rc=0
  "$softlbr" record -q -o data -- ./program "$@" >got 2>err || rc=$?
  as_plain inside $rc
  rc=0
  "$softlbr" record --ptrace -o data -- ./program "$@" >got 2>err || rc=$?
  [ $rc = 125 ] && [ ! -s got ] && grep -q 'looks for leaks at its end.*detect_leaks=0' err ||
    fail "$name: --ptrace is not refused: status $rc"
  # it is let go of when it begins, as the command's program and as a child
  "$softlbr" record --ptrace -o data -- sh -c './program "$@"; echo $? >status' sh "$@" >got 2>err ||
    fail "$name: the shell's status"
  as_plain 'a child from outside' "$(cat status)"
  grep -q 'not recorded: .*program: it looks for leaks' err || fail "$name: it is not said to be left out"
  rc=0
  "$softlbr" record --ptrace -o data -- sh -c 'exec ./program "$@"' sh "$@" >got 2>err || rc=$?
  as_plain 'by exec from outside' $rc
}

tested=
for compiler in gcc $(each clang 16); do
  for flags in -fsanitize=address -fsanitize=leak static; do
    case $compiler,$flags in
      clang*,static) continue ;; # it always is
      *,static) flags='-fsanitize=address -static-libasan' ;;
    esac
    name="$compiler $flags"
    $compiler -O1 -g $flags leaks.c -o program 2>log || {
      skip_part "$name: $(tail -n 1 log)"
      continue
    }
    rc=0
    ./program >log 2>&1 || rc=$?
    [ $rc = 7 ] || {
      skip_part "$name: does not work here: $(tail -n 1 log)"
      continue
    }
    tries
    tries 0 leak
    # a running one
    plain=7
    ./program >expected || :
    ./program 2 >got 2>err.program &
    pid=$!
    rc=0
    "$softlbr" record -o data -p $pid 2>err || rc=$?
    [ $rc = 125 ] && grep -q 'looks for leaks at its end' err || fail "$name: -p is not refused: status $rc"
    rc=0
    wait $pid || rc=$?
    as_plain '-p' $rc
    # nothing stands in the way where leaks are not looked for
    ASAN_OPTIONS=detect_leaks=0 LSAN_OPTIONS=detect_leaks=0 \
      "$softlbr" record --ptrace -q -o data -- ./program >got 2>err || rc=$?
    as_plain 'without a search' $rc
    "$softlbr" doctor -- ./program >told || :
    grep -q '^inside .*program' told && grep -q 'detect_leaks=0' told || fail "$name: doctor does not foresee it"
    tested="$tested $name;"
  done
done
[ -n "$tested" ] || skip "no compiler with LeakSanitizer here"
echo "tested:$tested"
echo "PASS"
