#!/bin/sh
# SPDX-License-Identifier: MIT
# protected.sh SOFTLBR: programs whose branches are decided by memory that not everybody may read: protection keys
# (where the processor has them), PROT_NONE, code that is not readable. They end as plain, and are sampled.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs_recording_inside
${CC:-cc} -O2 "$here/protected.c" -o protected

for kind in none code key turns later; do
  status=0
  ./protected $kind >expected || status=$?
  if [ $status = 77 ]; then
    skip_part "this processor has no protection keys (pku in /proc/cpuinfo)"
    break
  fi
  [ $status = 0 ] || fail "$kind: status $status"
  for memory in probe readv; do
    "$softlbr" record -v --memory=$memory -e task-clock -c 250us --timer-correction=off -o perf.data -- ./protected $kind >got 2>err ||
      fail "$kind, $memory: status $?"
    cmp expected got || fail "$kind, $memory: other output"
    samples=$(sed -n 's/.* recorded .* \([0-9]*\) samples*, .*/\1/p' err)
    cut=$(sed -n 's/.* \([0-9]*\) samples* cut short: code could not be read.*/\1/p' err)
    echo "$kind, $memory: $samples samples, ${cut:-0} cut"
    # what can't be read can't be decoded: said so, whichever it is; 43 +- 7 of both at least
    [ $kind = code ] || cut=0
    [ "$((samples + ${cut:-0}))" -ge 10 ] || fail "$kind, $memory: $samples samples"
  done
done
echo "PASS"
