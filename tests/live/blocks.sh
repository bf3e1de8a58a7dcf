#!/bin/bash
# SPDX-License-Identifier: MIT
# blocks.sh LIST_BLOCKS PROGRAM: where blocks begin, of every function that llvm-bolt has a control-flow
# graph of, against llvm-bolt -print-cfg: six programs in C and C++ as PIE and not, those in C for AArch64 too,
# three with Intel's APX, and PROGRAM. (Not stacks.c: llvm-bolt runs on behind an int3, which ends a block of ours.)
set -euo pipefail
list=$(readlink -f "$1") program=$(readlink -f "$2")
. "$(dirname "$0")/../prelude.sh"
bolt=$(newest llvm-bolt)
needs gcc g++ "$bolt" python3
live=$root/tests/live
cd "$work"
has_aarch64=
if command -v aarch64-linux-gnu-gcc >/dev/null; then has_aarch64=yes; else skip_part "no aarch64-linux-gnu-gcc"; fi

cat >compare.py <<'END_OF_PYTHON'
import re
import sys

# Which instructions blocks begin with, by number: the offsets that llvm-bolt prints are those of its
# own encoding. Functions that are not simple are incomplete, and what lies behind the last
# instruction are jumps that llvm-bolt made. Symbols of AArch64's start files have no size: to us the padding
# behind them is theirs, and to llvm-bolt from 19 on the code behind _start that has no symbol.
bolt, sizes, address, number, start = {}, {}, None, 0, False
for line in open(sys.argv[1], errors="replace"):
    if m := re.match('Binary Function "([^"]*)"', line):
        start = m[1] == "_start" and sys.argv[4] == "aarch64"
    elif m := re.match(r"  Address +: 0x([0-9a-f]+)", line):
        address, number = int(m[1], 16), 0
    elif m := re.match(r"  Size +: 0x([0-9a-f]+)", line):
        sizes[address] = int(m[1], 16)
    elif re.match(r"  IsSimple +: 1", line) and not start:
        bolt[address] = set()
    elif re.match(r"\.?\w\S* \(\d+ instructions, align", line) and address in bolt:
        bolt[address].add(number)
    elif re.match(r"    [0-9a-f]{8}: \t(?!!CFI|lock\s*$)", line):  # a prefix is printed alone
        number += 1
    elif line.startswith("End of Function"):
        address = None
wrong = blocks = functions = 0
for line in open(sys.argv[2]):
    first, count, *ours = line.split()
    address, count = int(first, 16), int(count)
    if sys.argv[4] == "aarch64":
        count = min(count, sizes.get(address, 0) // 4)
    theirs = {n for n in bolt.get(address, ()) if n < count}
    if not theirs:
        continue
    functions += 1
    blocks += len(theirs)
    for block in sorted(theirs ^ {int(n) for n in ours if int(n) < count}):
        wrong += 1
        print("function %s: block at instruction %d is %s's alone" %
              (first, block, "llvm-bolt" if block in theirs else "softlbr"))
print("%s: %d functions, %d blocks, %d wrong" % (sys.argv[3], functions, blocks, wrong))
sys.exit(functions < 3 or wrong > 0)
END_OF_PYTHON

status=0

# compare BINARY NAME [CPU]
compare() {
  "$bolt" "$1" -o optimized -print-cfg >cfg 2>log || {
    tail -3 log
    exit 1
  }
  "$list" "$1" >ours
  python3 compare.py cfg ours "$2" "${3:-x86-64}" >result || status=1
  tail -n 20 result
}

for kind in "-fPIE -pie" "-fno-pie -no-pie"; do
  for source in "$root"/tests/quality/programs/{hash_join,two_phases}.c "$live"/many.c \
    "$live"/{exceptions,signals}.cc "$root/examples/interpreter"; do
    compiler=gcc files=("$source")
    [ "${source##*.}" != cc ] || compiler=g++
    [ ! -d "$source" ] || files=("$source"/*.c)
    # shellcheck disable=SC2086
    $compiler $kind -O2 -Wl,-q -w "${files[@]}" -o built -lm -lpthread 2>build.log || {
      tail -2 build.log
      exit 1
    }
    compare built "$(basename "$source") $kind"
    if [ $compiler = gcc ] && [ -n "$has_aarch64" ]; then
      # shellcheck disable=SC2086
      aarch64-linux-gnu-gcc $kind -O2 -Wl,-q -w "${files[@]}" -o built -lm -lpthread
      compare built "$(basename "$source") $kind, AArch64" aarch64
    fi
  done
done
compare "$program" "$(basename "$program")"

# Intel's APX: registers by REX2, push2 and pop2, conditional compares
clang=$(newest clang) objdump=llvm-objdump
[ "$clang" = clang ] || objdump=llvm-objdump-${clang##*-}
if [ "${clang##*-}" -ge 19 ] 2>/dev/null && [ "${bolt##*-}" -ge 19 ] && command -v "$objdump" >/dev/null; then
  cat >pressed.c <<'END'
unsigned pressed(unsigned *p, unsigned rounds)
{
	unsigned v[20];

	for (int i = 0; i < 20; i++)
		v[i] = p[i];
	while (rounds--) {
		for (int i = 0; i < 20; i++)
			v[i] = (v[i] ^ v[(i + 7) % 20]) * 3 + p[i];
		if (v[3] > v[4] && v[5] < v[6])
			p[v[7] % 20]++;
	}
	for (int i = 0; i < 20; i++)
		p[i] = v[i];
	return p[0];
}
int main(int argc, char **argv)
{
	unsigned p[20] = {(unsigned)argc};

	return pressed(p, 99) + pressed(p, 98);
}
END
  for source in pressed.c "$live"/many.c "$root/examples/interpreter"; do
    files=("$source")
    [ ! -d "$source" ] || files=("$source"/*.c)
    "$clang" -O3 -fno-vectorize -fno-slp-vectorize -mapxf -Wl,-q -w "${files[@]}" -o built -lm -lpthread
    compare built "$(basename "$source") by $clang, APX"
    "$objdump" -d built >>listing
  done
  for form in 'r1[6-9]' 'r2[0-9]' 'push2' 'pop2' 'ccmp'; do
    grep -q "$form" listing || fail "no $form in programs for APX"
  done
else
  skip_part "no clang, llvm-objdump and llvm-bolt of version 19 or later: no blocks of APX"
fi
exit $status
