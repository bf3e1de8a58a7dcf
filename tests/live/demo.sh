#!/bin/sh
# SPDX-License-Identifier: MIT
# demo.sh SOFTLBR [--embedded]: the demo reaches its floors, with every llvm-bolt that is installed.
set -eu
softlbr=$1
shift
root=$(cd "$(dirname "$0")/../.." && pwd)
for tool in valgrind python3 gcc; do
  command -v $tool >/dev/null || {
    echo "SKIP: $tool is not installed"
    exit 77
  }
done
"$softlbr" doctor >/dev/null || {
  echo "SKIP: softlbr cannot record here: $("$softlbr" doctor | tail -n 1)"
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
SOFTLBR=$softlbr "$root/scripts/demo.sh" --check --rounds 0 --keep "$work" "$@"
cd "$work"
for bolt in llvm-bolt-16 llvm-bolt-19; do
  command -v $bolt >/dev/null || continue
  $bolt bolt-input -data bolt.fdata -o bolted -reorder-blocks=ext-tsp -reorder-functions=hfsort \
    -split-functions -split-all-cold -dyno-stats -stale-threshold=0 >bolt.log 2>&1 || {
    cat bolt.log
    echo "FAIL: $bolt refused the profile"
    exit 1
  }
  python3 "$root/scripts/demo/verdict.py" . "$@" | grep bolt
  python3 "$root/scripts/demo/verdict.py" . "$@" >/dev/null
done
