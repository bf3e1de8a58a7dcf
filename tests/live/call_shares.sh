#!/bin/bash
# SPDX-License-Identifier: MIT
# Shares of functions with what they call, by copied stacks, in a program that people use: hmmsearch, from Debian's
# source. Each function that has 0.2 % in callgrind's account of the same run is within 3 points of it. (main is not on
# the stack: it ends by a jump to search_main.)
# usage: call_shares.sh SOFTLBR
set -eu
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
needs python3 valgrind callgrind_annotate gcc
needs_recording
export ROOT=${SUITE_ROOT:-$work/suite} BUILD=$work/built CC=gcc CFLAGS="-O2 -g" LDFLAGS=
mkdir "$BUILD"
for phase in fetch build inputs; do
  sh "$root/spec-harness/programs/recipe.sh" hmmer $phase >"$work/err" 2>&1 ||
    skip "hmmer can't be had: $phase: $(tail -n 1 "$work/err")"
done
cd "$work"
run=("$BUILD/hmmer" search --cpu 0 "$ROOT/inputs/hmmer/fn3.hmm" "$ROOT/inputs/hmmer/train")
valgrind --tool=callgrind --callgrind-out-file=callgrind.out "${run[@]}" >out 2>err || fail "callgrind"
callgrind_annotate --inclusive=yes --threshold=100 callgrind.out >truth 2>err || fail "callgrind_annotate"
"$softlbr" record -q --stack-copy=32 -c 1ms -n 32 --timer-correction=off -o shares.data -- "${run[@]}" >out 2>err || fail "cannot record: $(cat err)"
"$softlbr" report --view=stacks --top 0 --json --to folded=folded shares.data >json 2>err || fail "no report: $(cat err)"
# 960 +- 31
python3 -c 'import json; n = json.load(open("json"))["stacks_copied"]; assert n > 500, n'
"$here/folded_shares.py" truth folded search_main
