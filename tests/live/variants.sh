#!/bin/sh
# SPDX-License-Identifier: MIT
# variants.sh: benchmarks/variants.py refuses builds that print different things, unless a filter leaves the same.
set -eu
. "$(dirname "$0")/../prelude.sh"
needs python3 cc
cd "$work"
for name in one two; do
  printf 'int puts(const char *);\nint main(void) { puts("sum 7"); return puts("took %s ms") < 0; }\n' $name >$name.c
  cc -o $name $name.c
done
variants() {
  "$root/benchmarks/variants.py" --no-count --rounds 2 "$@" one=./one two=./two >out 2>&1
}
! variants || fail "other outputs are taken for the same"
grep -q 'another output than one: two (.*--output-filter' out || fail "$(cat out)"
variants --output-filter 'grep -v took' || fail "$(cat out)"
grep -q 'all variants printed the same output' out || fail "$(cat out)"
! variants --output-filter 'exit 3' || fail "a filter that fails is taken"
grep -q 'ended with status 3' out || fail "$(cat out)"
