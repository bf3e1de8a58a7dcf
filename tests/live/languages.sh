#!/bin/bash
# SPDX-License-Identifier: MIT
# languages.sh SOFTLBR: profiles of Rust, Go, Fortran, D and Ada. rustc takes what convert says it takes, and what it makes
# of it prints the same; Go's functions have their names and lines, and convert says what takes a profile of them.
set -eu
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
needs_recording
done_parts=0
cd "$work"

# json KEY...: of stats
json() {
  python3 -c '
import json, sys
value = json.load(open("stats"))
for key in sys.argv[1:]:
    value = value[key]
print(value)' "$@"
}

rust() {
  rustc -O -g "$here/machine.rs" -o machine
  "$softlbr" record -c 1ms --timer-correction=off -o data -- ./machine 20000 >out
  "$softlbr" convert --binary machine --profile data --to llvm-text=text --to llvm-extbinary=extbinary 2>err || [ $? = 5 ] ||
    fail "convert: status $?"
  flag=$(sed -n 's/^next: RUSTC_BOOTSTRAP=1 rustc -O -g \(-Z[a-z-]*\)=text .*/\1/p' err)
  [ -n "$flag" ] || fail "convert names no flag of rustc"
  for profile in text extbinary; do
    RUSTC_BOOTSTRAP=1 rustc -O -g "$flag=$work/$profile" "$here/machine.rs" -o faster 2>err ||
      fail "rustc does not take $profile"
    ./faster 20000 | cmp - out || fail "the program of $profile prints something else"
  done
  # one call site above its function, and the file is refused as a whole
  awk '/^ +[0-9]+(\.[0-9]+)?: [^0-9]/ && $1 + 0 > 65535 { exit 1 }' text || fail "a call site is not wrapped"
  done_parts=$((done_parts + 1))
}

go_program() {
  HOME=$work GOCACHE=$work/cache go build -o goroutines "$here/goroutines.go"
  ./goroutines >out &
  pid=$!
  undo() { kill $pid 2>/dev/null || :; }
  "$softlbr" record -p $pid --duration 3s -c 2ms --timer-correction=off -o data 2>err || fail "record: status $?"
  kill $pid
  wait $pid || :
  "$softlbr" convert --binary goroutines --profile data --to llvm-text=text --stats=stats 2>err ||
    fail "convert: status $?"
  grep -q '^main\.work:' text || fail "main.work is not in the profile"
  [ "$(json source no_line)" = 0 ] || fail "code at no line: $(json source no_line)"
  grep -q '^next: .* was built by go .* write --to pprof=FILE for go build -pgo' err || fail "no word of pprof"
  "$softlbr" convert --binary goroutines --profile data --to pprof=calls 2>err || fail "convert to pprof: status $?"
  cp "$here/goroutines.go" .
  HOME=$work GOCACHE=$work/cache go build -pgo=calls -o faster goroutines.go 2>err || fail "go does not take the profile"
  HOME=$work go tool pprof -raw calls >raw 2>err || fail "go tool pprof cannot read it"
  grep -q 'samples/count' raw || fail "no samples/count"
  # what an interface calls is known by the recording alone
  mkdir methods
  cp "$here/methods.go" methods/main.go
  (cd methods && export HOME="$work" GOCACHE="$work/cache" GO111MODULE=off && go build -o ../first main.go &&
    "$softlbr" record -o data -- ../first 20000000 >out && "$softlbr" convert --profile data --to pprof=calls &&
    go build -gcflags=-m -pgo=calls -o ../second main.go && ../second 20000000 | cmp - out) 2>err ||
    fail "go build -pgo of methods.go"
  grep -q 'PGO devirtualizing interface call o.do to add.do' err || fail "go devirtualizes nothing"
  done_parts=$((done_parts + 1))
}

# code PROGRAM: its instructions
code() {
  objdump -d --no-show-raw-insn "$1" | tail -n +4
}

# front_end FILE FORMAT FLAG COMPILER...: it takes the profile, and makes other code of it
front_end() {
  file=$1 format=$2 flag=$3
  shift 3
  if ! command -v "$1" >/dev/null; then
    skip_part "$1 is not installed"
    return
  fi
  rm -rf ./build-*
  mkdir build-first build-second
  (cd build-first && "$@" -O2 -g "$here/$file") >log 2>&1 || fail "$1: $(cat log)"
  first=$(find build-first -type f -name "steps*" -perm -u+x -o -type f -name a.out)
  "$softlbr" record -c 1ms --timer-correction=off -o data -- "./$first" 20000000 >out 2>err || fail "$1: record: status $?"
  "$softlbr" convert --force --binary "$first" --profile data --to "$format=profile" 2>err || [ $? = 5 ] ||
    fail "$1: convert: status $?"
  grep "^next: $1" err || fail "convert does not name $1"
  (cd build-second && "$@" -O2 -g "$flag=$work/profile" "$here/$file") >log 2>&1 || fail "$1 does not take the profile: $(cat log)"
  second=build-second/${first#*/}
  "./$second" 20000000 | cmp - out || fail "$1: the program prints something else"
  if [ "$(code "$first")" = "$(code "$second")" ]; then fail "$1: the profile changes nothing"; fi
  done_parts=$((done_parts + 1))
}

front_end steps.f90 gcov -fauto-profile gfortran
front_end steps.d gcov -fauto-profile gdc
front_end steps.adb gcov -fauto-profile gnatmake
front_end steps.d llvm-text --fprofile-sample-use ldc2
if command -v rustc >/dev/null; then rust; else skip_part "rustc is not installed"; fi
if command -v go >/dev/null; then go_program; else skip_part "go is not installed"; fi
[ $done_parts -gt 0 ] || skip "none of rustc, go, gfortran, gdc, gnat and ldc2 is installed"
echo "PASS"
