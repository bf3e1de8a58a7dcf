#!/bin/sh
# SPDX-License-Identifier: MIT
# gcc_versions.sh SOFTLBR: each gcc of 12 to 17 that is here takes the gcov and the counters that are made of its own
# program without a warning, and gcc 16 and 17 the times at which functions ran first; without these, an independent
# reader finds the times in the order of the calls.
. "$(dirname "$0")/../prelude.sh"
softlbr=$(realpath "$1")
needs "${CC:-gcc}" python3 make
needs_recording
cd "$work"

# Functions that are called in another order than that of their names and of the source.
cat >phases.c <<'END'
#define PHASE(name, n)                                            \
	__attribute__((noinline)) unsigned name(unsigned x)       \
	{                                                         \
		for (unsigned i = 0; i < 100000000; i++)          \
			x = x & 1 ? x * n + 1 : (x ^ i) / (n - 1); \
		return x;                                         \
	}
PHASE(alpha, 3)
PHASE(beta, 5)
PHASE(omega, 7)
int main(void)
{
	return beta(omega(alpha(omega(1)))) == 12345;
}
END
"${CC:-gcc}" -O2 -g -fno-ipa-icf phases.c -o phases || fail "phases.c is not compiled"
"$softlbr" record -o phases.data -- ./phases 2>err || fail "record"
"$softlbr" convert --binary ./phases --profile phases.data --gcc=16 --to gcov=phases.gcov 2>err || [ $? = 5 ] ||
  fail "convert"
rm err
python3 "$oracles/gcov_profile.py" dump phases.gcov >dump || fail "no gcov of version 3"
order=$(sed -n 's/^\([a-z]*\) head .* first \([1-9][0-9]*\)$/\2 \1/p' dump | sort -n | sed 's/.* //' | grep -v main |
  tr '\n' ' ')
[ "$order" = "omega alpha beta " ] || fail "functions ran first in the order $order: $(cat dump)"
"$softlbr" merge phases.gcov phases.gcov -o twice.gcov && python3 "$oracles/gcov_profile.py" dump twice.gcov |
  grep -o '^[a-z]* head.*' | sed 's/.*first//' >merged || fail "merge"
sed -n 's/.*head.*first//p' dump | cmp - merged || fail "the sum ran first at another time"

# A loop of three rounds, which -O3 unrolls: from 16 on gcc numbers the copies, whose counts add up.
cat >thrice.c <<'END'
volatile unsigned long sink;
__attribute__((noinline)) int thrice(int x)
{
	for (int k = 0; k < 3; k++)
		if (x & 1 << k)
			sink += k;
	return x;
}
int main(void)
{
	for (int i = 0; i < 60000000; i++)
		thrice(i);
	return 0;
}
END
unrolled() {
  "$1" -O3 -g thrice.c -o thrice && "$softlbr" record -o thrice.data -- ./thrice 2>log || fail "record: $(cat log)"
  "$softlbr" convert --binary ./thrice --profile thrice.data --to gcov=thrice.gcov 2>log || [ $? = 5 ] ||
    fail "convert: $(cat log)"
  "$1" -O3 -g -fauto-profile=thrice.gcov -fdump-ipa-afdo-blocks-details -c thrice.c || fail "gcc $2: thrice.c"
  grep -q 'succ: .* \[7[3-7]\.[0-9]% (auto FDO)\]' thrice.c.*.afdo ||
    fail "gcc $2: a loop of three rounds goes on otherwise: $(grep succ: thrice.c.*.afdo)"
  rm thrice.c.*.afdo
}

# compile GCC FLAG...: the interpreter's objects; its warnings are errors
compile() {
  compiler=$1
  shift
  for source in *.c; do
    "$compiler" -O2 -Werror "$@" -c "$source" -o "${source%.c}.o" || return 1
  done
}

# word FILE: the version that a gcov has
word() {
  od -An -tu4 -j4 -N4 "$1" | tr -d ' '
}

# one_compiler GCC VERSION
one_compiler() {
  rm -rf interpreter
  cp -r "$root/examples/interpreter" interpreter
  cd interpreter || exit 1
  "$softlbr" gcc-keys -o keys --root="$PWD" --recordable -- make CC="$1" >log 2>&1 || fail "gcc-keys: $(cat log)"
  ./interpreter training.asm 600 >wanted && "$softlbr" record -o data -- ./interpreter training.asm 600 >/dev/null \
    2>log || fail "record: $(cat log)"
  "$softlbr" convert --binary ./interpreter --profile data --keys keys --to gcov=gcov --to gcda=counters 2>log ||
    fail "convert: $(cat log)"
  grep -q "gcov for gcc $2)" log && ! grep -q warning log || fail "of gcc $2: $(cat log)"
  reads=$("$1" -print-autofdo-gcov-version 2>/dev/null) || reads= # gcc 16 and later know it
  [ "${reads:-$(word gcov)}" = "$(word gcov)" ] || fail "gcc $2 reads version $reads, and gets $(word gcov)"
  compile "$1" -no-integrated-cpp -fprofile-use="$PWD/counters" -fprofile-prefix-path="$PWD" -Wmissing-profile \
    2>log && ! [ -s log ] || fail "gcc $2 does not take its counters: $(cat log)"
  "$1" ./*.o -o interpreter && ./interpreter training.asm 600 | cmp - wanted || fail "gcc $2, counters"
  flags= && [ "$2" -ge 16 ] && flags='-Wauto-profile -fdump-ipa-afdo'
  [ "$2" -gt 12 ] || flags=-fvect-cost-model=very-cheap
  compile "$1" -g -fauto-profile="$PWD/gcov" $flags 2>log && ! [ -s log ] || fail "gcc $2 does not take gcov: $(cat log)"
  "$1" ./*.o -o interpreter && ./interpreter training.asm 600 | cmp - wanted || fail "gcc $2, gcov"
  if [ "$2" -ge 16 ]; then
    times=$(cat ./*.afdo | sed -n 's/^Setting .*->tp_first_run to //p' | sort -u | wc -l)
    [ "$times" -ge 4 ] || fail "gcc $2 knows $times different times"
  fi
  cd ..
  if [ "$2" -ge 16 ]; then
    "$1" -O2 -g -fauto-profile=phases.gcov -fprofile-reorder-functions -c phases.c -o phases.o || fail "gcc $2: phases"
    order=$(nm -n phases.o | sed -n 's/.* T //p' | grep -v main | tr '\n' ' ')
    [ "$order" = "omega alpha beta " ] || fail "gcc $2 orders functions so: $order"
    unrolled "$@"
  fi
  tried="$tried $2"
}

tried= absent=
for version in 12 13 14 15 16 17; do
  for compiler in gcc-$version "${CC:-gcc}" /usr/lib/gcc-snapshot/bin/gcc none; do
    [ "$("$compiler" -dumpversion 2>/dev/null | sed 's/\..*//')" != $version ] || break
  done
  case $compiler in
  none)
    absent="$absent $version"
    continue
    ;;
  /*)
    PATH=${compiler%/*}:$PATH # gcc-keys has no wrapper for a path
    compiler=gcc
    ;;
  esac
  one_compiler $compiler $version
done
[ -z "$absent" ] || skip_part "not here: gcc$absent"
echo "taken by gcc$tried"
echo PASS
