#!/bin/sh
# SPDX-License-Identifier: MIT
# The bundled program runs both workloads, passes its self-check, and notices a wrong result.
set -eu
. "$(dirname "$0")/../prelude.sh"
cd "$root/examples/interpreter"
${CC:-cc} -O2 -g -Wall -Wextra -Werror *.c -o "$work/interpreter"
for scale in 1 10; do
  for workload in training evaluation; do
    grep -q "^; expect $scale " $workload.asm
    "$work/interpreter" $workload.asm $scale >"$work/$workload.$scale"
    grep -q '^checksum ' "$work/$workload.$scale"
  done
done
cmp -s "$work/training.1" "$work/evaluation.1" && exit 1
sed 's/^; expect 1 .*/; expect 1 1/' training.asm >"$work/wrong.asm"
if "$work/interpreter" "$work/wrong.asm" 1 >/dev/null 2>"$work/err"; then
  fail "a wrong result went unnoticed"
fi
grep -q 'self-check failed' "$work/err"
printf 'push 1\nadd\nhalt\n' >"$work/fault.asm"
if "$work/interpreter" "$work/fault.asm" >/dev/null 2>"$work/err"; then
  fail "a stack underflow went unnoticed"
fi
grep -q 'stack underflow' "$work/err"
