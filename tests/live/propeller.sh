#!/bin/bash
# SPDX-License-Identifier: MIT
# propeller.sh SOFTLBR: orders of blocks, of exact counts, as clang and ld.lld take them: each name and id is one of the
# program's by llvm-readobj, what ran is together in the program then, fewer branches are taken, and it prints the same.
set -eu
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
needs valgrind nm
cd "$work"

# Both files have a function of the same name, if STEP says so. What is likely stands behind what is not.
cat >one.c <<'END'
#include <stdio.h>
unsigned other(unsigned x);
static volatile unsigned sum;
__attribute__((noinline)) static unsigned STEP(unsigned x)
{
	if (x % 1000 == 999) {
		if (sum == 999999999)
			printf("never %u\n", x);
		sum += 3;
		x ^= sum;
	}
	for (int i = 0; i < 5; i++)
		if ((x >> i & 15) == 7)
			sum += i * x;
		else
			x = x * 31 + 7;
	return x;
}
__attribute__((noinline)) void never(void) { sum += 9; }
int main(int argc, char **argv)
{
	unsigned s = 0;
	if (argc > 1)
		never();
	for (unsigned i = 0; i < 20000; i++)
		s += STEP(i) ^ other(i);
	return printf("%u\n", s) < 0;
}
END
cat >two.c <<'END'
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static unsigned step(unsigned x)
{
	if (x > 1000000) {
		puts("too much");
		exit(1);
	}
	return x % 3 ? x * 5 : x + 1;
}
unsigned other(unsigned x) { return step(x) + step(x / 2); }
END

# build CLANG OUTPUT OPTION...: valgrind does not read DWARF 5 of all compilers
build() {
  local clang=$1 output=$2
  shift 2
  "clang-$clang" -O2 -ffunction-sections "$@" -fuse-ld="lld-$clang" one.c two.c -o "$output"
}

# exact PROGRAM: its counts
exact() {
  valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --callgrind-out-file="$1.counts" "./$1" >out 2>err ||
    fail "callgrind"
}

# taken PROGRAM: how many jumps within functions it takes
taken() {
  awk -F'[= /]' '$1 == "jump" { n += $2 } $1 == "jcnd" { n += $2 } END { print n }' "$1.counts"
}

# ids PROGRAM: FUNCTION ID of each block, by LLVM
ids() {
  "llvm-readobj-$clang" --bb-addr-map "$1" |
    awk '$1 == "Name:" { name = $2 } $1 == "ID:" { print name, $2 }' | sort -u
}

# listed FILE: FUNCTION ID of each block in a profile
listed() {
  sed -E 's/ M=.*//; s/^f |^!([^!])/F \1/; s/^c|^!!/C /' "$1" |
    awk '$1 == "F" { name = $2 } $1 == "C" { for (i = 2; i <= NF; i++) print name, $i }' | sort -u
}

tried=
for clang in 16 19; do
  for tool in clang ld.lld llvm-readobj; do
    command -v "$tool-$clang" >/dev/null || continue 2
  done
  tried=yes
  map=-fbasic-block-address-map
  [ $clang -ge 19 ] || map=-fbasic-block-sections=labels
  # clang 16 can't be told a function's source
  step=step
  [ $clang -ge 19 ] || step=first
  build $clang base -gdwarf-4 $map -DSTEP=$step
  ./base >right
  exact base
  "$softlbr" convert --binary base --profile base.counts --to propeller=list --to propeller-order=order 2>err ||
    fail "clang $clang: status $?"
  grep -q 'fbasic-block-sections=list=list' err || fail "no advice"
  if [ $clang -ge 19 ]; then
    grep -qx v1 list && grep -qx 'm one.c' list && grep -qx 'm two.c' list || fail "$(cat list)"
  else
    grep -qx '!first' list && grep -qx '!step' list || fail "$(cat list)"
  fi
  ids base >known
  listed list >used
  [ -s used ] && [ "$(comm -13 known used | wc -l)" = 0 ] || fail "no such blocks: $(comm -13 known used)"
  ! grep -q never list || fail "it did not run"

  build $clang laid -gdwarf-4 -DSTEP=$step -fbasic-block-sections=list=list -Wl,--no-warn-symbol-ordering,--symbol-ordering-file=order
  ./laid | cmp - right || fail "clang $clang: another output"
  exact laid
  [ "$(taken laid)" -lt "$(taken base)" ] || fail "clang $clang: $(taken laid) jumps instead of $(taken base)"
  # each function was laid out; hot parts are behind each other, with nothing else of ours between them
  [ "$(nm laid | grep -cE ' (step|first)\.cold$')" = 2 ] || fail "clang $clang: $(nm laid)"
  nm -n laid | awk '$2 ~ /[tT]/ && $3 ~ /^(main|other|step|first|never|step.cold|first.cold|main.cold)$/ { print $3 }' >placed
  [ "$(head -4 placed | sed s/first/step/ | sort | tr '\n' ' ')" = "main other step step " ] || fail "clang $clang: $(cat placed)"

  # the older form, which has no sources: later versions read it, too
  "$softlbr" convert --binary base --profile base.counts --to propeller=older --clang=16 -v 2>err || fail "status $?"
  [ $clang = 16 ] || grep -qE '^ +2 .*of one name' err || fail "two functions of one name"
  build $clang again -gdwarf-4 -DSTEP=$step -fbasic-block-sections=list=older
  nm again | grep -q ' main\.cold$' && [ "$(nm again | grep -c ' step\.cold$')" = $((clang < 19)) ] || fail "clang $clang: $(nm again)"

  # without debug information nothing tells the two functions apart
  build $clang bare $map -DSTEP=step
  exact bare
  "$softlbr" convert --binary bare --profile bare.counts --to propeller=some -v 2>err || fail "status $?"
  ! grep -q step some && grep -q 'of what ran in bare' err && grep -qE '^ +2 .*of one name' err || fail "$(cat some)"

  # a program that has no map, or lost it
  mkdir -p plain stripped
  build $clang plain/base -DSTEP=$step
  "llvm-strip-$clang" --strip-all -o stripped/base base
  for program in plain stripped; do
    status=0
    "$softlbr" convert --binary $program/base --profile base.counts --to propeller=none --force 2>err || status=$?
    [ $status = 3 ] && [ ! -e none ] && grep -q 'no block address map' err || fail "$program: status $status"
  done
done
[ "$tried" ] || skip "needs clang, lld and LLVM 16 or 19"
