#!/bin/bash
# SPDX-License-Identifier: MIT
# pgo_projects.sh SOFTLBR: softlbr pgo on small projects that are built as real ones are: configure's probes, libtool's
# objects, a shared library and two programs; CMake, C and C++ with -flto; a service.
. "$(dirname "$0")/../prelude.sh"
softlbr=$(realpath "$1")
needs gcc g++ make cmake
cd "$work"
"$softlbr" record -o perf.data -- true >out 2>err || skip "this machine cannot record: $(tail -n 1 err)"
unset CC CXX CFLAGS CXXFLAGS LDFLAGS CCACHE_DISABLE

# begin PROJECT: a copy of it, and here
begin() {
  echo "# $1"
  cp -r "$here/projects/$1" "$work/$1"
  cd "$work/$1"
}

# pgo OPTION...: the new build stays
pgo() {
  "$softlbr" pgo "$@" >../out 2>../err || fail "status $?: $(cat ../out)"
}

# says TEXT: as a basic regular expression
says() {
  grep -q -- "$1" ../out || fail "not said: $1: $(cat ../out)"
}

begin autotools
pgo --build='./configure && make -j2' --run='./sorter 10' --test-run='./sorter 5' --test-run='./hasher 8'
says '^build      2 objects by gcc, 4 programs'
says '^measure    ./hasher 8: its taken branches overlap by [0-9] %'
! grep -q 'sorter 5: its taken' ../out || fail "the same work is said to be other work"
[ -x size ] || fail "the program that is not made again is gone"
ls .softlbr-pgo/keys | grep -q "libs.*work" || fail "the library has no keys"

begin cmake
pgo --build='cmake -B pgo -DCMAKE_BUILD_TYPE=Release && cmake --build pgo' --run='pgo/sums 10000' \
  --test-run='pgo/sums 5000 7'
says '^build      2 objects by gcc, 1 program'
grep -q 'fprofile-use' .softlbr-pgo/plan || fail "the plan: $(cat .softlbr-pgo/plan)"

echo "# a program that does little beside its library: both have counters of one scale"
mkdir "$work/scale"
cd "$work/scale"
cat >library.c <<'END'
unsigned work(unsigned x);
unsigned work(unsigned x)
{
	for (unsigned i = 0; i < 3000; i++)
		x = x & 1 ? x * 3 + 1 : x / 2 + i;
	return x;
}
END
cat >program.c <<'END'
#include <stdlib.h>
unsigned work(unsigned x);
int main(int n, char **words)
{
	unsigned sum = 0;

	for (int i = 0; i < atoi(words[1]); i++)
		sum += work(sum + (unsigned)i);
	return n == 1 && sum;
}
END
cat >Makefile <<'END'
program: program.o liblibrary.so
	gcc -o $@ program.o ./liblibrary.so
liblibrary.so: library.o
	gcc -shared -o $@ library.o
%.o: %.c
	gcc -O2 -fPIC -c -o $@ $<
END
pgo --build=make --run='./program 200000' --stop-after=profile
# greatest NAME: of its counters
greatest() {
  gcov-dump -l ".softlbr-pgo/counters/$1.gcda" | sed -n 's/^[^:]*:  *[0-9]*: \([0-9 ]*\)$/\1/p' | tr ' ' '\n' | sort -n | tail -n 1
}
[ "$(greatest library)" -gt $((300 * $(greatest program))) ] || fail "$(greatest library) in the library, $(greatest program) in the program"

echo "# a service"
cp -r "$here/projects/autotools" "$work/service"
cd "$work/service"
pgo --build='./configure && make' --stop-after=build
./sorter 1000000000 >/dev/null &
service=$!
undo() { kill $service 2>/dev/null || true; }
status=0
"$softlbr" pgo --pid=$service --duration=20ms >../out 2>../err || status=$?
[ $status = 4 ] || [ $status = 5 ] || fail "20 ms of a service: status $status"
grep -q 'for longer, by --duration' ../err || fail "20 ms of a service: $(cat ../out)"
pgo --pid=$service --duration=5s --test-run='./sorter 5'
says '^record     process'
says '^measure    ./sorter 5'
[ "$(readlink /proc/$service/exe)" = "$PWD/sorter (deleted)" ] || fail "the service runs $(readlink /proc/$service/exe)"
echo ok
