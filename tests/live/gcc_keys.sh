#!/bin/sh
# SPDX-License-Identifier: MIT
# gcc_keys.sh SOFTLBR: the keys of a program's objects, by make and by CMake, are those of an instrumented build by
# gcc itself, and gcc finds under their names what it is to use; the build is as it would be without.
. "$(dirname "$0")/../prelude.sh"
softlbr=$(realpath "$1")
needs gcc g++ make gcov-dump
unset CC CXX CFLAGS CXXFLAGS CCACHE_DISABLE
cp -r "$here/keyed" "$work/a program"
cd "$work/a program"
export HOME=/nowhere
umask 022

# what a build makes
files() {
  find . -type f ! -path './keys/*' | sort
}

# records FILE: what a .gcno file says but for its stamps
records() {
  $dump -l "$1" | sed 's/^[^:]*\.gcno://; /stamp\|checksum=0x\|^version/{/FUNCTION/!d}' | grep -E 'FUNCTION|BLOCKS|ARCS|LINES|block'
}

# same OBJECT-NAME FILE: of the keys, of an instrumented build
same() {
  records "$1.gcno" >ours
  records "$2" >gccs
  [ -s gccs ] && cmp ours gccs || fail "$1 has other functions, checksums or arcs than an instrumented build"
  [ -s "$1.profile" ] || fail "$1 has no dump"
  grep -q ';;   basic block 2' "$1.profile" || fail "$1.profile is no dump"
}

dump=gcov-dump
instrument="-g -no-integrated-cpp -fprofile-update=single -fprofile-generate -ftest-coverage"

echo "# make"
make -s >/dev/null 2>../err || fail "the program does not build"
files >"$work/expected"
cp app "$work/plain"
make -s clean
"$softlbr" gcc-keys -o keys -- make -j2 >../log 2>../err || fail "gcc-keys: $? $(cat ../log)"
[ "$(stat -c %a app keys/obj#main.gcno | tr '\n' ' ')" = "755 644 " ] || fail "modes: $(ls -l app keys)"
files | diff "$work/expected" - || fail "other files than without gcc-keys"
cmp app "$work/plain" || fail "another program than without gcc-keys"
grep -q '^keys: of 3 objects, in keys$' ../err || fail "not of three objects"
grep -q 'convert --binary PROGRAM .*--keys keys --to gcda=OUTDIR' ../err || fail "the next command is not said"
[ "$(cd keys && echo *.gcno)" = "obj#lib#other.gcno obj#lib#part.gcno obj#main.gcno" ] || fail "keys: $(ls keys)"
mv keys kept
make -s clean
# what configure scripts ask a compiler is no object
"$softlbr" gcc-keys -o asked -- sh -c 'gcc --version && gcc -Q --help=optimizers && make -s' >../log 2>../err || fail "asked: $(cat ../err)"
grep -q '^keys: of 3 objects, in asked$' ../err && ! grep -q 'without keys' ../err || fail "a question is an object: $(cat ../err)"
make -s clean
# what was noted, and can't be made any more, is told
mkdir gone
echo 'int one(void) { return 1; }' >gone/one.c
(cd gone && "$softlbr" gcc-keys -o ../late --root=.. --compile --defer -- gcc -c -O2 one.c) 2>../err || fail "defer: $(cat ../err)"
rm -r gone
"$softlbr" gcc-keys -o late --deferred 2>../err || fail "deferred: $(cat ../err)"
grep -q 'not all keys were made: cannot go to .*/gone, where it was compiled' ../err || fail "deferred: $(cat ../err)"
make -s ADD="$instrument" >/dev/null 2>../err || fail "the program does not build with counters"
for object in obj/main obj/lib/part obj/lib/other; do
  same "kept/$(echo $object | tr / '#')" $object.gcno
done
./app 3000 >counted
mkdir counters
for object in obj/main obj/lib/part obj/lib/other; do
  mv $object.gcda "counters/$(echo $object | tr / '#').gcda"
done
find . -name '*.gcda' ! -path './counters/*' -delete
make -s clean
use="-no-integrated-cpp '-fprofile-use=$PWD/counters' '-fprofile-prefix-path=$PWD' -Wmissing-profile -Wno-error=missing-profile"
make ADD="$use" >../log 2>../err || fail "the program does not build with the counters"
! grep -v conftest ../err | grep -A3 'obj#\|Wmissing-profile.*obj' || fail "gcc does not find the counters by the keys' names"
! grep -q 'mismatch\|out of date' ../err || fail "other graphs than the counters'"
./app 3000 | cmp - counted || fail "another output"
rm "counters/obj#lib#part.gcda"
make -s clean
make ADD="$use" >../log 2>../err || fail "the program does not build without a part of the counters"
grep -q 'obj#lib#part' ../err || fail "gcc does not say what it misses: the test proves nothing"

if command -v g++-11 >/dev/null && command -v gcov-dump-11 >/dev/null; then
  echo "# gcc 11"
  dump=gcov-dump-11
  make -s clean
  "$softlbr" gcc-keys -o keys-11 -- make -s CC=gcc-11 CXX=g++-11 2>../err || fail "gcc 11"
  make -s clean
  make -s CC=gcc-11 CXX=g++-11 ADD="$instrument" >/dev/null 2>../err || fail "gcc 11: no build with counters"
  for object in obj/main obj/lib/part obj/lib/other; do
    same "keys-11/$(echo $object | tr / '#')" $object.gcno
  done
  dump=gcov-dump
else
  skip_part "g++-11 is not here"
fi

echo "# what CC and CXX say, a cache, a compiler that is called by its path"
make -s clean
rm -rf keys
CC="env LC_ALL=C $(command -v gcc)" "$softlbr" gcc-keys -o keys --recordable -- make -s 2>../err || fail "CC"
[ -e 'keys/obj#main.gcno' ] || fail "CC's compiler has no wrapper"
cp obj/lib/other.o ../recordable
rm obj/lib/other.o
make -s ADD="-g -no-integrated-cpp" obj/lib/other.o 2>../err || fail "the program does not build for a recording"
cmp obj/lib/other.o ../recordable || fail "--recordable: not compiled for a recording"
ln -s "$softlbr" "$work/softlbr" # make's words have no blanks
if command -v ccache >/dev/null; then
  export CCACHE_DIR="$work/cache"
  make -s clean
  make -s CC="ccache gcc" CXX="ccache g++" 2>../err || fail "ccache"
  make -s clean
  rm -rf keys
  "$softlbr" gcc-keys -o keys -- make -s CC="ccache gcc" CXX="ccache g++" 2>../err || fail "with ccache"
  [ "$(ls keys | grep -c gcno)" = 3 ] || fail "with ccache: $(ls keys)"
  make -s clean
  make -s CC="$work/softlbr gcc-keys -o $work/cached --compile -- ccache gcc" obj/main.o 2>../err || fail "a cache behind us"
  [ -s "$work/cached/obj#main.gcno" ] || fail "a cache behind us: no keys"
else
  skip_part "ccache is not here"
fi
make -s clean
rm -rf keys
make -s CC="$work/softlbr gcc-keys -o $work/wrapped --compile -- gcc" obj/main.o 2>../err || fail "--compile"
[ -s "$work/wrapped/obj#main.gcno" ] && grep -qx "root $PWD" "$work/wrapped/softlbr-keys" || fail "--compile: no keys"
make -s clean
status=0
"$softlbr" gcc-keys -o keys -- make -s CC="$(realpath "$(command -v gcc)")" CXX="$(realpath "$(command -v g++)")" 2>../err ||
  status=$?
[ $status = 125 ] && grep -q 'compiled nothing by a gcc' ../err || fail "a compiler by its path: $status"

if command -v valgrind >/dev/null; then
  echo "# a source that is compiled twice, as by libtool: both objects have the counters of what ran in one"
  mkdir -p twice/.libs
  cat >twice/part.c <<'END'
KIND int odd(int n)
{
	return n & 1;
}

int part(int n)
{
	int sum = 0;

	while (n-- > 0)
		sum += odd(n) ? n : 1;
	return sum;
}
END
  echo 'int part(int n); int main(void) { return part(30000) == 1; }' >twice/main.c
  # arcs OBJECT: its counters that are not 0
  arcs() { $dump -l "twice/counters/$1.gcda" | sed -n 's/.*COUNTERS arcs.*/arcs/p; s/^[^:]*\.gcda: *\([0-9]*: [0-9 ]*\)$/\1/p'; }
  checksums() { $dump "twice/keys/$1.gcno" | sed -n 's/.*cfg_checksum=\([^,]*\).*/\1/p'; }
  # what is not static may be another one in a shared library, and is not inlined early: other graphs
  for kind in static ''; do
    rm -rf twice/keys twice/counters
    "$softlbr" gcc-keys -o twice/keys --root=twice --recordable -- sh -ec "
      cd twice
      gcc -O2 -fPIC -DKIND=$kind -c part.c -o .libs/part.o
      gcc -O2 -DKIND=$kind -c part.c
      gcc -O2 -c main.c
      gcc main.o part.o -o app" 2>../err || fail "twice: $(cat ../err)"
    valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --callgrind-out-file=exact twice/app >../log 2>&1 ||
      fail "$(cat ../log)"
    "$softlbr" convert --binary twice/app --profile exact --keys twice/keys --to gcda=twice/counters 2>../err || fail "twice: $(cat ../err)"
    for object in part .libs#part; do
      arcs $object | grep -q '[1-9][0-9][0-9][0-9][0-9]' || fail "twice, $kind: $object has no counters of what ran: $(arcs $object)"
    done
    if [ "$kind" = static ]; then
      [ "$(arcs part)" = "$(arcs .libs#part)" ] || fail "twice: equal graphs, other counters"
    else
      [ "$(checksums part)" != "$(checksums .libs#part)" ] || fail "equal graphs: the test proves nothing"
    fi
  done
else
  skip_part "valgrind is not here"
fi

echo "# statuses"
for command in "false" "sh -c 'exit 7'" "sh -c 'kill -9 \$\$'" "./nowhere"; do
  status=0
  eval "\"\$softlbr\" gcc-keys -o keys -- $command" 2>../err || status=$?
  echo $status
done | tr '\n' ' ' >statuses
[ "$(cat statuses)" = "1 7 137 127 " ] || fail "statuses: $(cat statuses)"

if command -v cmake >/dev/null; then
  echo "# CMake, in build directories of their own"
  rm -rf keys
  "$softlbr" gcc-keys -o keys --root=build-keys -- sh -ec '
    cmake -S . -B build-keys -DCMAKE_BUILD_TYPE=RelWithDebInfo && cmake --build build-keys' >../log 2>../err ||
    fail "CMake: $(cat ../log)"
  part=CMakeFiles/part.dir app=CMakeFiles/app.dir
  [ "$(cd keys && echo *.gcno)" = "$(for name in $app/main.c $part/other.cc $part/part.c; do
    echo $name.gcno; done | tr '/\n' '# ' | sed 's/ $//')" ] || fail "CMake: $(ls keys)"
  [ -z "$(find build-keys -name '*.gc*' -o -name '*.profile')" ] || fail "CMake: files of gcc's own are left"
  cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS="$instrument" \
    -DCMAKE_CXX_FLAGS="$instrument" >../log 2>&1 && cmake --build build >>../log 2>&1 || fail "CMake: $(cat ../log)"
  for object in $app/main.c $part/other.cc $part/part.c; do
    same "keys/$(echo $object | tr / '#')" build/$object.gcno
  done
else
  skip_part "cmake is not here"
fi
echo PASS
