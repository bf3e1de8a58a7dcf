#!/bin/bash
# SPDX-License-Identifier: MIT
# stripped.sh SOFTLBR: a program without symbols, by exact counts: llvm-bolt takes our fdata of it, which names
# functions as llvm-bolt does, and makes the same of it as of the program with symbols.
set -eu
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
needs gcc valgrind
bolts=$(each llvm-bolt 16) || skip "llvm-bolt is not installed"
cd "$work"

gcc -O2 -fno-reorder-blocks-and-partition -Wl,-q "$root"/examples/interpreter/*.c -o program
cp program whole
strip -s program -o stripped
valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --callgrind-out-file=exact \
  ./program "$root/examples/interpreter/training.asm" 1 >out 2>err || fail "callgrind"

# taken LLVM-BOLT NAME [OPTION]: $before and $after, dynamic taken branches by llvm-bolt's own statistics
taken() {
  cp "$2" program # the counts are of a program of this name
  "$softlbr" convert -b program -p exact --to fdata=all >out 2>err || fail "convert $2"
  grep -v '^0 ' all >"$2.fdata" # of [unknown], which llvm-bolt says it ignores
  "$1" "$2" -data "$2.fdata" -o "$2.bolt" -reorder-blocks=ext-tsp -dyno-stats "${@:3}" >log 2>&1 ||
    fail "$2 by $1: $(cat log)"
  ! grep -E 'was ignored|stale' log || fail "$2: records that $1 has no function for"
  before=$(sed -nE 's/^ +([0-9]+) : taken branches$/\1/p' log)
  after=$(sed -nE 's/^ +([0-9]+) : taken branches \(-.*/\1/p' log)
}

# What the C runtime adds has no frame description and runs once: a few branches that are in no function.
for bolt in $bolts; do
  taken "$bolt" whole
  whole_before=$before whole_after=$after
  allow=
  [ "$bolt" = llvm-bolt-16 ] || allow=--allow-stripped
  taken "$bolt" stripped $allow
  echo "$bolt: $whole_before taken branches become $whole_after; stripped, $before become $after"
  [ -n "$after" ] && [ "$after" = "$whole_after" ] || fail "another layout"
  [ $((whole_before - before)) -ge 0 ] && [ $((whole_before - before)) -lt 20 ] || fail "other branches"
done
