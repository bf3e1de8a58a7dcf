#!/bin/bash
# SPDX-License-Identifier: MIT
# llvm-profgen's own test inputs through convert, against what llvm-profgen 19 makes of them: equal in
# every line, count, call target and head but those listed, with the reason, in profgen.differences.
# Where llvm-profgen-19 is installed: its ranges of the same stacks give us the same profile.
# usage: profgen.sh SOFTLBR
set -eu
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
data=${SOFTLBR_SHARED:-}/data/profgen
[ -d "$data/goldens" ] || skip "SOFTLBR_SHARED names no folder with $data/goldens"
status=0

fail() {
  echo "FAILED: $*"
  status=1
}

# convert CASE BINARY PROFILE ARGUMENT...: the recordings are of one to 39 samples (status 5: poor).
convert() {
  local rc=0
  "$softlbr" convert --binary "$2" --profile "$3" --to llvm-text="$work/$1" "${@:4}" \
    2>"$work/$1.log" || rc=$?
  [ $rc = 0 ] || [ $rc = 5 ] || {
    cat "$work/$1.log"
    fail "$1: status $rc"
  }
}

# differ CASE THEIRS PERIOD: the differences, each behind the name of its case.
differ() {
  python3 "$root/tests/live/profile_lines.py" "$2" "$work/$1" 5 "$3" 2>>"$work/lines" | sed "s/^/$1: /" \
    >>"$work/found" || fail "$1: cannot be compared"
}

# golden CASE BINARY SCRIPT PERIOD ARGUMENT...
golden() {
  convert "$1" "$data/$2.perfbin" "$data/$3.perfscript" "${@:5}"
  differ "$1" "$data/goldens/$1.19.prof" "$4"
}

# refused WORD BINARY PROFILE: with status 3, a message that has the word, and no output.
refused() {
  local rc=0
  "$softlbr" convert --binary "$2" --profile "$3" --to llvm-text="$work/refused" \
    2>"$work/refused.log" || rc=$?
  [ $rc = 3 ] && grep -q "$1" "$work/refused.log" && [ ! -e "$work/refused" ] || {
    cat "$work/refused.log"
    fail "$3: not refused for its $1, status $rc"
  }
}

# flat CASE BINARY SCRIPT: contexts put aside, llvm-profgen's profile is ours, and so is that from its
# ranges.
flat() {
  if ! llvm-profgen-19 --binary="$2" --perfscript="$3" --ignore-stack-samples --format=text \
    --output="$work/theirs" >"$work/log" 2>&1 ||
    ! llvm-profgen-19 --binary="$2" --perfscript="$3" --ignore-stack-samples \
      --skip-symbolization --output="$work/ranges" >"$work/log" 2>&1; then
    cat "$work/log"
    fail "$1: llvm-profgen-19"
  fi
  convert "$1.flat" "$2" "$3"
  differ "$1.flat" "$work/theirs" 1
  convert "$1.ranges" "$2" "$work/ranges"
  cmp "$work/$1.flat" "$work/$1.ranges" || fail "$1: ranges give another profile"
}

golden noprobe noprobe noprobe 1
golden art inline-noprobe2 artificial-branch 1
golden inline2 inline-noprobe2 inline-noprobe2 1
golden coro coroutine coroutine 1
golden fsplit func-split func-split 1
# llvm-profgen multiplied by the period, 1000003, and divided by the 31 ranges of a stack.
golden cmov3 cmov_3 cmov_3 32258 --event br_inst_retired.near_taken:upp
convert noprobe.mmap "$data/noprobe.perfbin" "$data/noprobe.mmap.perfscript"
cmp "$work/noprobe" "$work/noprobe.mmap" || fail "noprobe.mmap: mappings change the profile"
refused flow-sensitive "$data/fs-discriminator.perfbin" "$data/fs-discriminator.raw.prof"

grep -vE '^(#|$)' "$here/profgen.differences" >"$work/listed"
if command -v llvm-profgen-19 >/dev/null; then
  flat agg "$data/noprobe.perfbin" "$data/noprobe.aggperfscript"
  flat fsplit "$data/func-split.perfbin" "$data/func-split.perfscript"
  flat inline2 "$data/inline-noprobe2.perfbin" "$data/inline-noprobe2.perfscript"
else
  skip_part "llvm-profgen-19 is not installed: aggregated input, ranges and flat profiles not compared"
  sed -i '/^[a-z0-9]*\.flat: /d' "$work/listed"
fi
LC_ALL=C sort "$work/listed" >"$work/expected"
LC_ALL=C sort "$work/found" | diff "$work/expected" - || fail "other differences than listed"
echo "$(awk '{ n += $1 } END { print n }' "$work/lines") lines in all, $(wc -l <"$work/found") differ"
exit $status
