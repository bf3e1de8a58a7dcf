#!/bin/sh
# SPDX-License-Identifier: MIT
# demo.sh SOFTLBR [--embedded]: the demo reaches its floors, with every llvm-bolt that is installed.
set -eu
softlbr=$1
shift
. "$(dirname "$0")/../prelude.sh"
needs valgrind python3 gcc
needs_recording
SOFTLBR=$softlbr "$root/scripts/demo.sh" --check --rounds 0 --keep "$work" "$@"
cd "$work"
for bolt in llvm-bolt-16 $(newest llvm-bolt); do
  command -v $bolt >/dev/null || {
    skip_part "$bolt is not installed"
    continue
  }
  $bolt bolt-input -data bolt.fdata -o bolted -reorder-blocks=ext-tsp -reorder-functions=hfsort \
    -split-functions -split-all-cold -dyno-stats -stale-threshold=0 >bolt.log 2>&1 || {
    cat bolt.log
    fail "$bolt refused the profile"
  }
  python3 "$root/scripts/demo/verdict.py" . "$@" | grep bolt
  python3 "$root/scripts/demo/verdict.py" . "$@" >/dev/null
done
