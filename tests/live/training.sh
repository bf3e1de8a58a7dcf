#!/bin/sh
# SPDX-License-Identifier: MIT
# training.sh BUILD_DIRECTORY: with softlbr as it is installed, examples/cmake is trained and rebuilt by two targets,
# by gcc and by clang, with a profile that comes, changes and goes; its other programs build against both libraries.
set -eu
build=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
softlbr=$build/softlbr
needs_recording
needs c++ objcopy ninja make valgrind
cd "$work"
cmake --install "$build" --prefix "$work/in stalled" >log
mkdir "a project"
cp -r "$root/examples/cmake" "$root/examples/profile" "a project"
cd "a project/cmake"

# try FILE GENERATOR OPTION...: configure and build, train, rebuild
try() {
  object=$1
  shift
  rm -rf build words.profile
  cmake -B build -DCMAKE_PREFIX_PATH="$work/in stalled" "$@" >log 2>&1 || fail "$*: $(cat log)"
  remake
  build/words 200 >expected
  code >first
  before=$(instructions)
  cmake --build build --target words-record >log 2>&1 || fail "$*: the training: $(cat log)"
  [ -s words.profile ] || fail "$*: no profile"
  remake
  code >trained
  ! cmp -s first trained || fail "$*: the profile changes nothing"
  build/words 200 | cmp - expected || fail "$*: the output changed"
  gains "$*" $before
  "$softlbr" report build/words.data >report 2>&1 || fail "$*: no report after the rebuild: $(cat report)"
  grep -q ' main+0x\|Words::' report || fail "$*: the program that was recorded is not known any more"
}

# Of another number of rounds than the training's: as a user measures, and without noise
instructions() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null build/words 300 2>&1 >/dev/null |
    sed -n 's/.*Collected : //p'
}

# gains WHAT BEFORE: fewer instructions than BEFORE
gains() {
  after=$(instructions)
  echo "instructions: $2, with the profile $after"
  [ "$after" -lt "$2" ] || fail "$1: the profile makes it slower: $2 and $after instructions"
}

remake() {
  cmake --build build >log 2>&1 || fail "$(cat log)"
}

code() {
  objcopy -O binary --only-section='.text*' "build/CMakeFiles/words.dir/$object" code
  cat code
}

echo "# gcc, ninja"
try words.cc.o -G Ninja -DCMAKE_CXX_COMPILER=g++ -DCMAKE_C_COMPILER=gcc
before=$(stat -c %y build/words)
remake
[ "$before" = "$(stat -c %y build/words)" ] || fail "built again, with nothing new"
cp words.profile kept
touch words.profile
remake
[ "$before" != "$(stat -c %y build/words)" ] || fail "not built again with a new profile"
code | cmp - trained || fail "the same profile, and other code"
rm words.profile
remake
code | cmp - first || fail "without the profile other code than before there was one"

echo "# a target of another directory"
mkdir -p apart/app
cp words.cc apart/app
echo 'add_executable(app words.cc)' >apart/app/CMakeLists.txt
cat >apart/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(apart LANGUAGES C CXX)
find_package(softlbr REQUIRED)
add_subdirectory(app)
softlbr_use_profile(app app.profile)
END
for generator in Ninja 'Unix Makefiles' 'Ninja Multi-Config'; do
  app=build-apart/app/app
  [ "$generator" != 'Ninja Multi-Config' ] || app=build-apart/app/Debug/app
  rm -rf build-apart apart/app.profile
  cmake -S apart -B build-apart -G "$generator" -DCMAKE_PREFIX_PATH="$work/in stalled" -DCMAKE_CXX_COMPILER=g++ >log 2>&1 &&
    cmake --build build-apart >>log 2>&1 || fail "apart: $(cat log)"
  before=$(stat -c %y $app)
  cmake --build build-apart >log 2>&1 && cmake --build build-apart >log 2>&1 || fail "apart: $(cat log)"
  ! grep -q "Looking for\|Building\|Linking" log || fail "apart, $generator: there is nothing to do: $(cat log)"
  cp kept apart/app.profile
  cmake --build build-apart >log 2>&1 || fail "apart: $(cat log)"
  [ "$before" != "$(stat -c %y $app)" ] || fail "apart, $generator: not built again with a new profile"
done

echo "# gcc's counters, ninja"
cp -r . ../counters
rm -r ../counters/build
cd ../counters
sed -i 's/^softlbr_use_profile(words words.profile)/softlbr_use_profile(words words.profile COUNTERS)/' CMakeLists.txt
rm -rf words.profile
cmake -B build -G Ninja -DCMAKE_PREFIX_PATH="$work/in stalled" -DCMAKE_CXX_COMPILER=g++ -DCMAKE_C_COMPILER=gcc \
  -DCMAKE_CXX_FLAGS=-Wmissing-profile >log 2>&1 || fail "counters: $(cat log)"
remake
[ -z "$(find build/softlbr-keys -name '*.gcno')" ] || fail "counters: a build that is no training makes keys"
code >first
build/words 200 >expected
measured=$(instructions)
cmake --build build --target words-record >log 2>&1 || fail "counters: the training: $(cat log)"
grep -q '^next: cmake --build ' log && ! grep -q '^next: .*CFLAGS' log || fail "counters: another hint: $(cat log)"
[ "$(ls words.profile/*.gcda)" = "words.profile/CMakeFiles#words.dir#words.cc.gcda" ] || fail "counters: $(ls words.profile)"
remake
! grep -q 'missing-profile\|mismatch' log || fail "counters: gcc does not take them: $(cat log)"
code >trained
! cmp -s first trained || fail "counters: they change nothing"
build/words 200 | cmp - expected || fail "counters: the output changed"
before=$(stat -c %y build/words)
remake
[ "$before" = "$(stat -c %y build/words)" ] || fail "counters: built again, with nothing new"
key=$(echo build/softlbr-keys/*words.cc.gcno)
made=$(stat -c %y "$key")
cmake --build build --target words-record >log 2>&1 || fail "counters: the second training: $(cat log)"
[ "$made" != "$(stat -c %y "$key")" ] || fail "counters: what was compiled with them has no new keys"
"$softlbr" gcc-keys -o build/softlbr-keys --deferred 2>log || fail "counters: $(cat log)"
grep -q '^keys: of 0 objects,' log || fail "counters: keys are made twice: $(cat log)"
remake
before=$(stat -c %y build/words)
touch words.profile/*.gcda
remake
[ "$before" != "$(stat -c %y build/words)" ] || fail "counters: not built again with new ones"
# What they save is a matter of chance after a training of seconds: exact counts tell that gcc is given all of them
rm -r words.profile
remake
valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --callgrind-out-file=exact build/words 1000 >log 2>&1 ||
  fail "counters: $(cat log)"
"$softlbr" gcc-keys -o build/softlbr-keys --deferred 2>log || fail "counters: $(cat log)"
"$softlbr" convert --binary build/words --profile exact --keys build/softlbr-keys --to gcda=words.profile 2>log ||
  fail "counters: $(cat log)"
remake
gains counters $measured
sed -i '1i // other lines' words.cc
remake
cd ../cmake

echo "# a training that is too short leaves the profile as it is"
cp kept words.profile
sed -i 's/COMMAND words 60000/COMMAND words 1/' CMakeLists.txt
! cmake --build build --target words-record >log 2>&1 || fail "one sample is a profile: $(cat log)"
cmp kept words.profile || fail "the profile was overwritten"
sed -i 's/COMMAND words 1)/COMMAND words 60000)/' CMakeLists.txt

echo "# the programs that use the libraries"
remake
build/part part.data || fail "part's status is $?"
build/summary build/part part.data >out || fail "summary's status is $?"
grep -q 'work' out || fail "the part that was recorded: $(cat out)"

echo "# mistakes are named"
sed 's/^softlbr_use_profile/# &/' CMakeLists.txt >other
mkdir -p mistake
mv other mistake/CMakeLists.txt
cp words.cc part.c mistake
sed -i 's,\.\./profile,../../profile,' mistake/CMakeLists.txt
! cmake -S mistake -B build-mistake -DCMAKE_PREFIX_PATH="$work/in stalled" >log 2>&1 || fail "no profile is named"
tr -s ' \n' ' ' <log | grep -q 'call softlbr_use_profile(words FILE) first' || fail "$(cat log)"

clang=$(newest clang)
if command -v "clang++${clang#clang}" >/dev/null; then
  echo "# clang, make"
  try words.cc.o -G 'Unix Makefiles' "-DCMAKE_CXX_COMPILER=clang++${clang#clang}" "-DCMAKE_C_COMPILER=$clang"
else
  skip_part "clang++${clang#clang} is not installed"
fi

if command -v meson >/dev/null; then
  echo "# meson, gcc"
  cp -r "$root/examples/meson" ..
  cd ../meson
  export PATH="$work/in stalled/bin:$PATH"
  meson setup build >log 2>&1 && meson compile -C build >>log 2>&1 || fail "meson: $(cat log)"
  meson compile -C build record >log 2>&1 || fail "meson: the training: $(cat log)"
  cp build/words first
  before=$(instructions)
  meson setup build --reconfigure -Dprofile=words.profile >log 2>&1 && meson compile -C build >>log 2>&1 ||
    fail "meson: $(cat log)"
  grep -q 'fauto-profile=.*words.profile' build/compile_commands.json || fail "meson: without the profile"
  ! cmp -s first build/words || fail "meson: the profile changes nothing"
  build/words 200 | cmp - ../cmake/expected || fail "meson: the output changed"
  gains meson $before
else
  skip_part "meson is not installed"
fi
