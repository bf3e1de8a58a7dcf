#!/bin/bash
# SPDX-License-Identifier: MIT
# pgo.sh SOFTLBR: from a build command to a faster build by one command; stopped and interrupted, it goes on to the same
# result; what it can't do is said, and leaves a whole build.
. "$(dirname "$0")/../prelude.sh"
softlbr=$(realpath "$1")
needs gcc make valgrind objcopy
cd "$work"
"$softlbr" record -o perf.data -- true >out 2>err || skip "this machine cannot record: $(tail -n 1 err)"
unset CC CXX CFLAGS CXXFLAGS CCACHE_DISABLE
run='./interpreter training.asm 25'
test='./interpreter evaluation.asm 1'

# fresh NAME: a project that is not built, and here
fresh() {
  rm -rf "$work/$1"
  cp -r "$here/../../examples/interpreter" "$work/$1"
  cd "$work/$1"
  make -s clean
}

# code FILE: its instructions, without where they are
code() {
  objdump -d --no-show-raw-insn "$1" | sed '1,/^Disassembly/d' | md5sum
}

# said STATUS TEXT OPTION...: softlbr pgo ends so, and says so
said() {
  local status=$1 text=$2 rc=0
  shift 2
  "$softlbr" pgo "$@" >../out 2>../err || rc=$?
  [ $rc = "$status" ] || fail "status $rc, not $status: $(cat ../out ../err)"
  grep -qF -- "$text" ../out ../err || fail "not said: $text: $(cat ../out ../err)"
}

echo "# the whole way"
fresh 'a project'
said 0 'kept       the build with the profile' --build='make -j2' --run="$run" --test-run="$test"
cp ../out first
grep -q '^build      5 objects by gcc, 1 program' first || fail "$(cat first)"
grep -q "^measure    $test: .* instructions -[0-9]" first || fail "no fewer instructions: $(cat first)"
! grep -q 'from run to run' first || fail "an output that is always the same: $(cat first)"
[ "$(grep -c '^disk       [0-9.]* MB in .*, [0-9.]* MB of them recordings' first)" = 2 ] || fail "disk: $(cat first)"
[ "$(cd .softlbr-pgo/counters && ls *.gcda)" = "$(printf '%s.gcda\n' machine main program sort table)" ] || fail "counters"
[ "$(code .softlbr-pgo/before/1)" != "$(code .softlbr-pgo/after/1)" ] || fail "the same program"
cmp interpreter .softlbr-pgo/after/1 || fail "the faster build is not in place"
make -s -q || fail "make finds something to do"

echo "# nothing is left to do"
"$softlbr" pgo >../out || fail "again: $?"
[ "$(cat ../out)" = "$(tail -n 3 first)" ] || fail "again: $(cat ../out)"

echo "# another test is measured, and nothing else again"
echo 1 >../turn
cat >turns <<'END'
read -r turn <../turn
echo $((turn % 3 + 1)) >../turn
./interpreter evaluation.asm $turn >/dev/null
END
said 0 'kept       the build with the profile' --test-run="$test" --test-run='sh ./turns'
grep -q '^measure    sh ./turns: .*, instructions [-+][0-9.]* +- [0-9.]* %' ../out || fail "counts that differ have no interval: $(cat ../out)"
! grep -q 'instructions.*+-' first || fail "counts that are equal have an interval: $(cat first)"
[ "$(grep -c '^measure .*: CPU time' ../out)" = 1 ] || fail "what was measured is measured again: $(cat ../out)"

echo "# its flags give the same program, which is none that was measured"
make -s --always-make CFLAGS="-O2 -Werror $(sed -n 's/^gcc:   CFLAGS and CXXFLAGS as they are now, and //p' first)"
[ "$(code interpreter)" = "$(code .softlbr-pgo/after/1)" ] || fail "the flags give another program"
said 3 'is not what was kept'

echo "# flags fit another build directory, and a build says how far it is"
fresh elsewhere
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(elsewhere C)
set(CMAKE_BUILD_TYPE Release)
add_executable(interpreter machine.c main.c program.c sort.c table.c)
add_custom_command(TARGET interpreter POST_BUILD COMMAND sleep 1.5) # as if it took long
END
# what runs is installed, as by make install
said 0 'profile    ' --build='cmake -B out && cmake --build out && install -D out/interpreter to/bin/run' \
  --run="to/bin/run ${run#* }" --stop-after=profile
script -qec "'$softlbr' pgo" /dev/null </dev/null >../terminal 2>&1 || fail "on a terminal: $(cat ../terminal)"
grep -q 'measure .*to/bin/run .* instructions -[1-9]' ../terminal || fail "what was installed is not measured: $(cat ../terminal)"
grep -q 'building: [1-5]' ../terminal || fail "how many objects are built is not shown: $(cat ../terminal)"
[ "XFiles#interpreter.dir#%s.c.gcda\n' machine main program sort table)" ] ||
  fail "counters are not named below the build's directory: $(ls .softlbr-pgo/counters)"
use=$(tr -d '\r' <../terminal | sed -n 's/.*gcc:   CFLAGS and CXXFLAGS as they are now, and //p')
cmake -B other -DCMAKE_C_FLAGS="$(echo "$use" | sed 's,/out,/other,')" >../log && cmake --build other >>../log || fail "$(cat ../log)"
[ "$(code other/interpreter)" = "$(code .softlbr-pgo/after/1)" ] || fail "the flags don't fit another directory"

echo "# step by step, and interrupted"
fresh steps
# has_new FILE: of the state's, newer than the mark
has_new() { [ .softlbr-pgo/"$1" -nt ../mark ]; }
has_measured() { grep -q '^measured ' .softlbr-pgo/state; }
# wait_until PID CONDITION...: where nothing is hit, training may take its whole minute
wait_until() {
  local pid=$1
  shift
  while kill -0 "$pid" 2>/dev/null; do
    ! "$@" || return 0
    sleep 0.05
  done
  fail "ended before $*: $(cat ../out ../err)"
}
# interrupt CONDITION [OPTION...]: as soon as the condition holds
interrupt() {
  local condition=$1 rc=0
  shift
  touch ../mark
  sleep 0.05
  "$softlbr" pgo "$@" >../out 2>../err &
  wait_until $! $condition
  kill -INT $!
  wait $! || rc=$?
  [ $rc = 130 ] || fail "interrupted at $condition: $rc: $(cat ../out ../err)"
  grep -q 'goes on from here' ../err || fail "$(cat ../err)"
  [ ! -e .softlbr-pgo/before ] || ./interpreter evaluation.asm 1 >/dev/null || fail "no program after $condition"
}
interrupt 'has_new build.log' --build='make -j2'
said 0 'build      5 objects' --stop-after=build
said 2 'give --run a command'
[ -x interpreter ] || fail "no program is left"
interrupt 'has_new train-1-1.log' --run="$run"
interrupt 'has_new convert-1.log'
cp -r .softlbr-pgo/before ../before
interrupt 'has_new rebuild.log'
cp -r .softlbr-pgo/counters ../counters
interrupt 'has_new measure.log' --test-run="$test"
grep -q 'the build with the profile is in place, and not measured' ../err || fail "which build it is, is not said: $(cat ../err)"
interrupt has_measured
said 0 'kept       the build with the profile'
[ "$(grep -c '^measure .*: CPU time' ../out)" = 1 ] || fail "what was measured is measured again: $(cat ../out)"
cmp interpreter .softlbr-pgo/after/1 || fail "the faster build is not in place"
diff -r ../before .softlbr-pgo/before && diff -r ../counters .softlbr-pgo/counters || fail "another result than without interruptions"

echo "# tests are dropped, and what stands there is for no repository"
said 0 'kept       the build with the profile, in its place (' --test-run=
[ "$(cat .softlbr-pgo/.gitignore)" = '*' ] || fail "the state is not ignored"

echo "# what can't be done"
fresh refused
said 2 'give --build' --run="$run"
said 1 'ended with status 3' --build='make && exit 3' --run="$run"
echo nonsense >broken.c
said 1 'status 3: broken.c:1:' --build='gcc -O2 -c broken.c || { echo leaving; exit 3; }' --run="$run"
echo "# all that a build has started ends with it"
"$softlbr" pgo --fresh --build='sh -c "sleep 987; true"' --run="$run" >../out 2>../err &
is_asleep() { pgrep -f '^sleep 987' >/dev/null; }
wait_until $! is_asleep
kill -INT $!
wait $! || :
! is_asleep || fail "what the build has started goes on"
said 2 'compiled nothing' --build=true --run="$run"
said 2 'without optimization' --fresh --build='make CFLAGS=-O0' --run="$run"
said 1 './nosuch' --fresh --build=make --run=./nosuch
said 4 'nothing of' --run='/bin/true'
said 1 'cannot find the directory' -C nosuch --build=make

echo "# a compiler whose objects go again, and a clean that fails"
fresh probes
clang=$(newest clang)
if command -v "$clang" >/dev/null; then
  said 0 'objects by clang,' --build='echo "int f;" >probe.c; gcc -O2 -c probe.c; rm probe.o; make -j2 CC='"$clang" --stop-after=build
fi
said 1 'ended with status 1' --fresh --clean=false --build='make -j2' --run="$run" --stop-after=build
said 0 'by gcc' --clean= --stop-after=build

echo "# an output that varies is said before the long steps"
fresh varies
said 0 'its output differs from run to run' --build='make -j2' --run="$run; date +%N" --stop-after=record
grep -q '^record     1 run' ../out || fail "$(cat ../out)"
said 0 '' --fresh --output-filter="sed '\$d'" --stop-after=record
! grep -q 'from run to run' ../out || fail "not by the filter: $(cat ../out)"

echo "# a program that is not the same"
fresh differs
said 3 'prints another output' --build='make -j2' --run="$run; stat -c %s interpreter"
said 0 'kept       the build with the profile' --output-filter="sed '\$d'"
echo ok
