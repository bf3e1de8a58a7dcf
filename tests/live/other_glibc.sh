#!/bin/bash
# SPDX-License-Identifier: MIT
# other_glibc.sh SOFTLBR: a program that brings its own dynamic linker and libc is entered if these are glibc's, whatever
# their names, and as new as the collector needs; else it runs as without softlbr, and the reason is told.
set -euo pipefail
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs_recording_inside
softlbr=$(realpath "$softlbr")

# This system's, and one without what is newer than 2.32: its names are others.
linker=$(readelf -l /bin/sh | sed -n 's/.*interpreter: \(.*\)]/\1/p')
libc=$(ldd /bin/sh | sed -n 's/.*libc\.so\.6 => \(.*\) (.*/\1/p')
[ -e "$linker" ] && [ -e "$libc" ] || skip "no dynamic linker and libc are found"
readelf -V "$softlbr" | grep 'GLIBC_2\.3[3-9]' >log || skip "softlbr needs no new glibc"
for folder in new old; do
  mkdir $folder
  cp "$linker" $folder/own-linker
  cp "$libc" $folder/libc.so.6
done
sed -i 's/GLIBC_2\.3\([3-9]\)/GLIBC_2.0\1/g' old/*

cat >program.c <<'END'
#include <unistd.h>

/* without what new start files need */
__attribute__((force_align_arg_pointer)) void _start(void)
{
	volatile unsigned long sum = 0;

	for (unsigned long i = 0; i < 200000000ul; i++)
		sum = sum * 3 + i;
	write(1, sum ? "worked\n" : "idle\n", 7);
	_exit(7);
}
END
for folder in new old; do
  ${CC:-cc} -O1 -nostartfiles program.c -o program-$folder -Wl,--dynamic-linker="$work/$folder/own-linker" \
    -Wl,-rpath,"$work/$folder"
  rc=0
  ./program-$folder >got 2>err || rc=$?
  [ $rc = 7 ] || skip "a program does not run by a copy of this libc"
done

# ran STATUS: as without softlbr
ran() { [ "$1" = 7 ] && [ "$(cat got)" = worked ] || fail "status $1, $(cat got)"; }

"$softlbr" doctor -- ./program-new >told
grep -q '^inside .*program-new' told || fail "new: $(tail -n 2 told)"
rc=0
"$softlbr" record -c 1ms -o data -- ./program-new >got 2>err || rc=$?
ran $rc
grep -q '[1-9][0-9] samples' err || fail "new: not recorded"

can_attach || skip "nothing can be traced here"
"$softlbr" doctor -- ./program-old >told
grep -q '^outside .*its glibc is older' told || fail "old: $(tail -n 2 told)"
rc=0
"$softlbr" record -c 1ms -o data -- ./program-old >got 2>err || rc=$?
ran $rc
grep -q 'its glibc is older' err && grep -q '[1-9][0-9] samples' err || fail "old: not recorded from outside"
rc=0
"$softlbr" record -o data -- sh -c './program-old; exit $?' >got 2>err || rc=$?
ran $rc
grep -q 'not recorded: .*program-old: its glibc is older' err || fail "old, as a child: no reason"
echo PASS
