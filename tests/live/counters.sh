#!/bin/sh
# SPDX-License-Identifier: MIT
# counters.sh SOFTLBR: counters for gcc -fprofile-use of an ordinary program, from exact counts and from a
# recording, against those of a build that was really instrumented; and what convert --to gcda refuses.
. "$(dirname "$0")/../prelude.sh"
softlbr=$(realpath "$1")
needs gcc-12 g++-12 gcov-dump-12 valgrind python3
cd "$work"
cp -r "$here/counted" sources
mkdir sources/lib
mv sources/words.c sources/lib/
sed -i 's/"counted.h"/"..\/counted.h"/' sources/lib/words.c

keys='-fprofile-generate -ftest-coverage -fdump-ipa-profile-blocks-lineno-details-asmname'

things=yes

# build TREE SUFFIX FLAG...: program and, as long as $things says so, things and habits, of the sources in TREE
build() {
  tree=$1 suffix=$2
  shift 2
  [ -d "$tree" ] || cp -r sources "$tree"
  (
    cd "$tree" || exit 1
    for object in main machine lib/words; do
      gcc$suffix "$@" -c $object.c -o $object.o || exit 1
    done
    rm -f lib/words.a
    ar rc lib/words.a lib/words.o && gcc$suffix "$@" main.o machine.o lib/words.a -o program || exit 1
    [ $things = yes ] || exit 0
    g++$suffix "$@" -c things.cc -o things.o && g++$suffix "$@" things.o -o things || exit 1
    gcc$suffix "$@" -c habits.c -o habits.o && gcc$suffix "$@" habits.o -o habits
  ) >"$tree.log" 2>&1 || {
    cat "$tree.log"
    fail "$tree: gcc$suffix $*"
  }
}

# exact TREE PROGRAM N: exact counts of PROGRAM N, as TREE/PROGRAM.exact
exact() {
  (cd "$1" && valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no \
    --callgrind-out-file="$2.exact" "./$2" "$3") >"$1/$2.said" 2>"$work/err" || fail "callgrind"
  rm "$work/err"
}

# converted STATUS WHAT OUT ARGUMENT...: what it said is in the file `said`
converted() {
  wanted=$1 what=$2 out=$3
  shift 3
  status=0
  "$softlbr" convert --to gcda="$out" "$@" 2>said || status=$?
  [ $status = "$wanted" ] || {
    cat said
    fail "$what: status $status, not $wanted"
  }
  [ "$wanted" = 0 ] || [ ! -d "$out" ] || [ -z "$(find "$out" -type f)" ] || fail "$what: files were written"
}

# says WHAT PATTERN
says() {
  grep -q -- "$2" said || {
    cat said
    fail "$1: not said: $2"
  }
}

# agrees OUT TREE OBJECT LEAST
agrees() {
  "$softlbr" diff --json "$1/$3.gcda" "$2/$3.gcda" >compared || fail "diff of $3"
  python3 - "$1/$3" "$4" <<'END' || fail "$1/$3: another count than the instrumented program's"
import json, sys
overlap = json.load(open("compared"))["scores"]["edge"]
print("%s: %.1f %%" % (sys.argv[1], 100 * overlap))
sys.exit(overlap < float(sys.argv[2]))
END
}

# use OUT SUFFIX FLAG...: a build by the counters in OUT that does what the others do
use() {
  out=$1 suffix=$2
  shift 2
  rm -rf use
  cp -r sources use
  cp -r "$out/." use
  build use "$suffix" "$@" -fprofile-use -Werror=coverage-mismatch -Wmissing-profile
  ! grep -E 'flow-consistent|not match|Wcoverage-mismatch|corrupted' use.log || fail "$out does not fit"
  ! grep 'Wmissing-profile' use.log || fail "$out: a profile is missing"
  [ "$(use/program 2000)" = "$(plain/program 2000)" ] || fail "$out: the program says something else"
  [ $things = no ] || [ "$(use/things 20000) $(use/habits 500)" = "$(plain/things 20000) $(plain/habits 500)" ] ||
    fail "$out: things or habits says something else"
}

flags='-O2 -g -no-integrated-cpp'
build plain -12 $flags
build keys -12 $flags $keys
build real -12 $flags -fprofile-generate
(cd real && ./program 20000 && ./things 50000 && ./habits 20000) >/dev/null || fail "the instrumented programs"
exact plain program 20000
exact plain things 50000
exact plain habits 20000

# ---- exact counts --------------------------------------------------------------------------------
out='all of it/out dir'
mkdir -p 'all of it'
cp -r keys 'all of it/keys dir'
converted 0 "exact counts" "$out" --binary plain/program --profile plain/program.exact --keys 'all of it/keys dir'
! grep -q 'flow problems were given up\|chance' said || fail "exact counts: $(cat said)"
[ "$(cd "$out" && find . -type f | sort | tr '\n' ' ')" = \
  './habits.gcda ./lib/words.gcda ./machine.gcda ./main.gcda ./softlbr-counters ./things.gcda ' ] || fail "other files: $(find "$out")"
for object in main machine lib/words things; do
  gcov-dump-12 -l "$out/$object.gcda" >dump || fail "gcov-dump"
  grep -q 'COUNTERS arcs' dump || fail "$object has no counters"
done
# nothing is scaled: main ran once
gcov-dump-12 -l "$out/main.gcda" | grep -q ' 20000 ' || fail "exact counts are others"
agrees "$out" real main 0.99
agrees "$out" real machine 0.9
agrees "$out" real lib/words 0.9
use "$out" -12 $flags
# the directory as a whole, with names by the note that convert left beside the counters
mkdir -p whole/lib
cp real/main.gcda real/machine.gcda whole && cp real/lib/words.gcda whole/lib
"$softlbr" diff --json "$out" whole >compared || fail "diff of directories"
python3 - <<'END' || fail "the directory is not as the instrumented program's: $(cat compared)"
import json
compared = json.load(open("compared"))
assert compared["scores"]["edge"] > 0.9, compared
assert not [f for f in compared["functions"] if f["name"].startswith("function ")], compared
END
"$softlbr" check "$out" >said || fail "check: $(cat said)"
says "check" '^verdict *good' && says "check" 'made of counts that are no samples'
says "check" '100.00 %  functions of the keys that have counters' && says "check" ' main$'
converted 0 "C++" things --binary plain/things --profile plain/things.exact --keys keys
agrees things real things 0.9
use things -12 $flags
converted 0 "what the compiler leaves little of" habits --binary plain/habits --profile plain/habits.exact --keys keys
agrees habits real habits 0.94
use habits -12 $flags
things=no

# ---- keys and builds of other kinds --------------------------------------------------------------
given="--binary plain/program --profile plain/program.exact"
cp -r keys bare
find bare -name '*.profile' -delete
converted 0 "no dumps" bare.out $given --keys bare
says "no dumps" 'warning: 5 objects have no gcc dump'
agrees bare.out real main 0.6
use bare.out -12 $flags

build macros -12 -O2 -g
exact macros program 20000
converted 0 "a build without -no-integrated-cpp" macros.out --binary macros/program \
  --profile macros/program.exact --keys keys
says "a build without -no-integrated-cpp" 'warning: .* was built without -no-integrated-cpp'
agrees macros.out real main 0.9
use macros.out -12 $flags
# one object of it: the others keep their columns
cp -r plain mixed
(cd mixed && gcc-12 -O2 -g -c main.c -o main.o && gcc-12 main.o machine.o lib/words.a -o program) || fail "gcc-12"
exact mixed program 20000
converted 0 "an object without -no-integrated-cpp" mixed.out --binary mixed/program \
  --profile mixed/program.exact --keys keys
says "an object without -no-integrated-cpp" 'warning: columns of [12] functions, as main, are not'
agrees mixed.out real main 0.9
agrees mixed.out real machine 0.9
agrees mixed.out real lib/words 0.9

for file in keys/machine.gcno keys/machine.c.*.profile; do
  name=damaged-$(basename "$file")
  cp -r keys "$name"
  head -c 700 "$file" >"$name/$(basename "$file")"
done
converted 3 "a damaged .gcno" damaged.out $given --keys damaged-machine.gcno
says "a damaged .gcno" 'damaged-machine.gcno/machine.gcno'
converted 0 "a cut dump" damaged.out $given --keys damaged-machine.c.*.profile

# ---- coroutines: their parts are functions that only symbols name --------------------------------
mkdir lazy
cat >lazy/lazy.cc <<'END'
#include <coroutine>
#include <cstdio>
struct numbers {
	struct promise_type {
		long now;
		numbers get_return_object()
		{
			return {std::coroutine_handle<promise_type>::from_promise(*this)};
		}
		std::suspend_always initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(long n)
		{
			now = n;
			return {};
		}
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> handle;
};
static numbers collatz(long n)
{
	while (n != 1) {
		co_yield n;
		n = n & 1 ? 3 * n + 1 : n / 2;
	}
}
int main(void)
{
	long sum = 0;
	for (long i = 1; i < 300; i++) {
		numbers all = collatz(i);
		for (all.handle.resume(); !all.handle.done(); all.handle.resume())
			sum += all.handle.promise().now;
		all.handle.destroy();
	}
	std::printf("%ld\n", sum);
}
END
(cd lazy && g++-12 -std=c++20 $flags -c lazy.cc -o lazy.o && g++-12 lazy.o -o lazy && mkdir keys &&
  g++-12 -std=c++20 $flags $keys -c lazy.cc -o keys/lazy.o) || fail "g++-12: coroutines"
exact lazy lazy ""
converted 0 "coroutines" lazy/out --binary lazy/lazy --profile lazy/lazy.exact --keys lazy/keys
says "coroutines" '(0.0 % are in functions without keys)'
! grep "warning: columns" said || fail "coroutines: a warning"
cp lazy/keys/lazy.gcno lazy/out/
"$softlbr" show lazy/out/lazy.gcda >shown || fail "show"
awk '/[.]actor/ && $2 > 20 { found = 1 } END { exit !found }' shown || fail "the coroutine's own code: $(cat shown)"

mkdir strange
echo 'int other(int x) { return x > 3 ? x : 2 * x; } int main(int c, char **v) { return other(c) == v[0][0]; }' >strange/a.c
(cd strange && gcc-12 $flags $keys -c a.c -o a.o && rm a.c) || fail "gcc-12"
mkdir empty
converted 6 "keys of another program" none $given --keys strange
says "keys of another program" 'softlbr gcc-keys'
converted 3 "no keys" none $given --keys empty
says "no keys" 'no .gcno file below empty'
converted 1 "no directory" none $given --keys absent
says "no directory" 'absent'
converted 2 "no --keys" none $given
says "no --keys" 'needs --keys'
converted 2 "standard output" - $given --keys keys
says "standard output" 'a directory'
mkdir stripped
cp plain/program stripped/
strip stripped/program
converted 3 "a stripped program" none --binary stripped/program --profile plain/program.exact --keys keys
says "a stripped program" 'no debug information'

# ---- files in the way ----------------------------------------------------------------------------
mkdir -p taken/lib
echo mine >taken/lib/words.gcda
status=0
"$softlbr" convert $given --keys keys --to gcda=taken 2>said || status=$?
[ $status = 2 ] && [ "$(cat taken/lib/words.gcda)" = mine ] && [ ! -e taken/main.gcda ] ||
  fail "a file of another kind: status $status, $(find taken -type f)"
says "a file of another kind" 'taken/lib/words.gcda'
"$softlbr" convert $given --keys keys --to gcda=taken --force 2>said || fail "--force: $(cat said)"
cmp taken/lib/words.gcda "all of it/out dir/lib/words.gcda" || fail "--force: other counters"
"$softlbr" convert $given --keys keys --to gcda=taken 2>said || fail "over counters: $(cat said)"
echo file >plain-file
converted 1 "a file for a directory" plain-file $given --keys keys
[ "$(cat plain-file)" = file ] || fail "a file was replaced by a directory"

# ---- gcc-11 --------------------------------------------------------------------------------------
if command -v gcc-11 >/dev/null; then
  build plain11 -11 $flags
  build keys11 -11 $flags $keys
  exact plain11 program 20000
  converted 0 "gcc-11" out11 --binary plain11/program --profile plain11/program.exact --keys keys11
  for object in main machine lib/words; do
    gcov-dump-11 -l "out11/$object.gcda" >dump && grep -q 'COUNTERS arcs' dump || fail "gcov-dump-11"
  done
  agrees out11 real main 0.9
  use out11 -11 $flags
else
  skip_part "gcc-11 is not here"
fi

# ---- recordings ----------------------------------------------------------------------------------
if "$softlbr" doctor >/dev/null 2>&1; then
  (cd plain && "$softlbr" record -q -o program.data ./program 3000000 >/dev/null) || fail "record"
  converted 0 "a recording" sampled --binary plain/program --profile plain/program.data,2 \
    --profile plain/program.data --keys keys
  says "a recording" 'two halves of the recording agree on'
  for object in main machine lib/words; do
    agrees sampled real $object 0.7
  done
  use sampled -12 $flags
  # a function that never runs: as gcc guesses, or left to gcc
  zeros() { gcov-dump-12 -l "$1/main.gcda" | grep -c 'COUNTERS arcs.*all zero' || true; }
  converted 0 "partial training" partial --binary plain/program --profile plain/program.data --keys keys --partial-training
  says "partial training" '-fprofile-partial-training'
  [ "$(zeros sampled)" = 0 ] || fail "functions of a recording without counters: $(zeros sampled)"
  [ "$(zeros partial)" -gt 0 ] || fail "--partial-training: each function has counters"
  converted 0 "the recorded program" sought --profile plain/program.data --keys keys
  says "the recorded program" 'two halves of the recording agree on \([6-9]\|100\)'
  "$softlbr" convert --binary plain/program --profile - --keys keys --to gcda=piped <plain/program.data 2>said ||
    fail "from standard input: $(cat said)"
  # some ten branches: by chance their halves may agree, or there may be none
  for try in 1 2 3 4 5; do
    (cd plain && "$softlbr" record -q -n 2 -c 10ms -o short.data ./program 80000 >/dev/null) || fail "record"
    status=0
    "$softlbr" convert --binary plain/program --profile plain/short.data --keys keys --to gcda=none 2>said || status=$?
    ! grep -q 'too short a recording' said || break
    rm -rf none
  done
  [ $status = 5 ] && [ ! -e none ] || fail "a short recording: status $status, $(cat said)"
  says "a short recording" 'too short a recording .* times as long'
  "$softlbr" convert --force --binary plain/program --profile plain/short.data --keys keys --to gcda=none 2>said
  [ -s none/main.gcda ] || fail "--force does not write a short recording's counters"
else
  skip_part "this machine cannot record (softlbr doctor)"
fi
echo PASS
