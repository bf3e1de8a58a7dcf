#!/bin/bash
# SPDX-License-Identifier: MIT
# profgen.sh SOFTLBR [OPTION OF RECORD]: recordings of a program by each clang, as text of perf script, against what the
# newest llvm-profgen makes of them: equal in every line, count and call but for the differences that profgen.py knows
# the reasons of. Its ranges of the same stacks give us the same profile. (tests/shared/profgen.sh does the same with
# llvm-profgen's own tests.)
set -eu
softlbr=$(realpath "$1")
how=${2:-}
. "$(dirname "$0")/../prelude.sh"
profgen=$(newest llvm-profgen) clang=$(newest clang)
needs perf "$clang" "$profgen"
needs_recording
cd "$work"

# convert PROFILE OUTPUT
convert() {
  "$softlbr" convert --binary program --profile "$1" --frequencies=raw --smooth=none --to llvm-text="$2" 2>log ||
    fail "$1: $(cat log)"
}

# theirs OUTPUT OPTION...: of the recording's text
theirs() {
  "$profgen" --binary=program --perfscript=script --ignore-stack-samples --use-dwarf-correlation \
    --output="$1" "${@:2}" >log 2>&1 ||
    fail "$(cat log)"
}

# refused WORD PROFILE: with status 3, a message that has the word, and no output
refused() {
  local status=0
  "$softlbr" convert --binary program --profile "$2" --to llvm-text=refused 2>log || status=$?
  [ $status = 3 ] && grep -q "$1" log && [ ! -e refused ] || fail "not refused for its $1: status $status, $(cat log)"
}

# compared COMPILER FLAG...
compared() {
  "$@" -g -fdebug-info-for-profiling "$root"/examples/interpreter/*.c -o program
  "$softlbr" record $how -e task-clock -c 200us --timer-correction=off -o data -- ./program "$root/examples/interpreter/training.asm" 60 \
    >out 2>log || fail "$(cat log)"
  perf script -i data -F ip,brstack --show-mmap-events >script 2>log
  convert script ours
  theirs text --format=text
  python3 "$here/profgen.py" text ours || fail "$*: other differences than known"
  theirs ranges --skip-symbolization
  convert ranges of-ranges
  cmp ours of-ranges || fail "$*: ranges give another profile"
  # a sample that is counted is worth as many
  awk '/^PERF/ { print; next } { print "3\n" $0 "\n" }' script >counted
  convert counted thrice
  python3 "$here/profgen.py" --times 3 ours thrice || fail "$*: samples that are counted"
}

for compiler in $(each clang 16); do
  compared "$compiler" -O2
  compared "$compiler" -O2 -fpseudo-probe-for-profiling
done
compared "$clang" -O1
compared "$clang" -O3 -fno-pie -no-pie
compared "$clang" -O2 -fbasic-block-sections=all -fuse-ld=lld

"$clang" -O2 -g -fdebug-info-for-profiling -mllvm -enable-fs-discriminator "$root"/examples/interpreter/*.c -o program
refused flow-sensitive ranges
