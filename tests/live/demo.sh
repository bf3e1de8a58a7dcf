#!/bin/sh
# SPDX-License-Identifier: MIT
# demo.sh SOFTLBR [--embedded]: the demo reaches its floors, and every llvm-bolt that is installed takes its profile.
set -eu
softlbr=$1
shift
. "$(dirname "$0")/../prelude.sh"
needs valgrind python3 gcc
needs_recording
SOFTLBR=$softlbr "$root/scripts/demo.sh" --check --keep "$work" "$@"
state=$work/gcc/.softlbr-pgo
for bolt in llvm-bolt-16 $(newest llvm-bolt); do
  command -v $bolt >/dev/null || {
    skip_part "$bolt is not installed"
    continue
  }
  $bolt "$state/after/1" -data "$state/bolt.fdata" -o "$work/bolted" -reorder-blocks=ext-tsp -reorder-functions=hfsort \
    -split-functions -split-all-cold -dyno-stats -stale-threshold=0 >"$work/bolt.log" 2>&1 || {
    cat "$work/bolt.log"
    fail "$bolt refused the profile"
  }
  grep -q ' : taken branches (-' "$work/bolt.log" || fail "$bolt saves no taken branch"
  ! grep 'profile for .* ignored\|invalid (possibly stale)' "$work/bolt.log" || fail "$bolt does not take all of it"
done
