# SPDX-License-Identifier: MIT
# prelude.sh: what the scripts of this folder share; sourced, after softlbr=... where needs_recording is used.
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
shared=${SOFTLBR_SHARED:-$root/../shared}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "FAIL: $*"
  exit 1
}

skip() {
  echo "SKIP: $*"
  exit 77
}

# needs TOOL...
needs() {
  for tool; do
    command -v "$tool" >/dev/null || skip "$tool is not installed"
  done
}

needs_recording() {
  "$softlbr" doctor >/dev/null 2>&1 || skip "this machine cannot record (softlbr doctor)"
}
