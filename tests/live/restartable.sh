#!/bin/bash
# SPDX-License-Identifier: MIT
# restartable.sh SOFTLBR: no breakpoint stands in a restartable sequence, and one that no section tells of
# is met a few times and then known.
set -euo pipefail
softlbr=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
skip() {
  echo "SKIP: $*"
  exit 77
}
fail() {
  echo "FAIL: $*"
  exit 1
}
"$softlbr" doctor >/dev/null 2>&1 || skip "this machine cannot record (softlbr doctor)"
${CC:-cc} -O2 -g "$here/restartable.c" -o restartable 2>err || skip "no rseq here: $(head -n 1 err)"
./restartable section >expected || skip "$(cat expected)"

# check PART MOST OPTION...: so many breakpoints at most came out elsewhere than they stood
check() {
  timeout 120 "$softlbr" record -e task-clock -c 500us -o data --stats stats.json "${@:3}" -- ./restartable "$1" >got 2>err ||
    fail "$*: status $?: $(cat got err)"
  python3 - "$@" <<'END' || fail "$*: $(cat got err)"
import json, sys
part, most, options = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
stats = json.load(open("stats.json"))
counters = stats["counters"]
assert counters["samples"] > 100, counters
assert counters["stray"] <= most, counters
if "static" in options:
    assert stats["aborts"]["restartable"] > counters["samples"] / 2, stats["aborts"]
END
}
check section 0 --audit 1
check section 0 --lookahead static
check section 0 --lookahead off
check hidden 5 --lookahead static
echo "PASS"
