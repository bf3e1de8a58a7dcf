#!/bin/bash
# SPDX-License-Identifier: MIT
# restartable.sh SOFTLBR: no breakpoint stands in a restartable sequence, and one that no section tells of
# is met a few times and then known.
set -euo pipefail
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs_recording
${CC:-cc} -O2 -g "$here/restartable.c" -o restartable 2>err || skip "no rseq here: $(head -n 1 err)"
${CC:-cc} -O2 -g -static "$here/restartable.c" -o restartable-static 2>err || fail "static: $(cat err)"
${CC:-cc} -O2 -g -fPIC -shared -DLIBRARY "$here/restartable.c" -o library.so
./restartable section >expected || skip "$(cat expected)"

# check PART MOST OPTION...: so many breakpoints at most came out elsewhere than they stood
check() {
  timeout 300 "$softlbr" record -e task-clock -c 500us --timer-correction=off -o data --stats stats.json "${@:3}" -- ./restartable "$1" ./library.so >got 2>err ||
    fail "$*: status $?: $(cat got err)"
  python3 - "$@" <<'END' || fail "$*: $(cat got err)"
import json, sys
part, most, options = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
stats = json.load(open("stats.json"))
counters = stats["counters"]
assert counters["sample_stops"] > 100, counters
assert counters["spurious"] <= most, counters
if "static" in options:
    assert stats["aborts"]["restartable"] > counters["sample_stops"] / 2, stats["aborts"]
END
}
check section 0 --audit 1
check section 0 --lookahead static
check section 0 --lookahead off
check library 0 --lookahead static
check hidden 5 --lookahead static

# From outside a thread that is stopped in a sequence begins it again, at a sample as at a breakpoint, and so does
# one whose processor others get: there are not more restarts than switches that are no breakpoint's.
# outside PROGRAM PART
outside() {
  timeout 300 "$softlbr" record --ptrace -c 1ms --lookahead static -o data --stats stats.json -- "$1" "$2" ./library.so >got 2>err ||
    fail "$*: status $?: $(cat got err)"
  python3 - $(sed -n 's/^right restarts \(.*\) switches/\1/p' got) <<'END' || fail "$*: $(cat got err)"
import json, sys
stats = json.load(open("stats.json"))
samples, restarts = stats["counters"]["sample_stops"], int(sys.argv[1])
others = int(sys.argv[2]) - stats["counters"]["hits"]
assert samples > 100, samples
assert stats["aborts"]["restartable"] > samples / 2, stats["aborts"]
assert restarts <= others + 200, (restarts, samples, others)
END
}
can_attach || {
  skip_part "not from outside: $(cat err)"
  exit 0
}
outside ./restartable section
outside ./restartable library
outside ./restartable-static section
./restartable section - 3000000000 >got &
running=$!
undo() { kill -KILL $running 2>/dev/null || :; }
for time in 1s 5s 25s; do # until it had a processor for as many samples
  "$softlbr" record -p $running -c 1ms --lookahead static -o data --stats stats.json --duration $time 2>err || fail "-p: $(cat err)"
  [ "$(sed -n 's/^ *"sample_stops": \([0-9]*\).*/\1/p' stats.json)" -le 50 ] || break
done
python3 -c 'import json; s = json.load(open("stats.json")); a = s["aborts"]["restartable"]; n = s["counters"]["sample_stops"]; assert n > 50 and a > n / 2, (a, n)' || fail "-p: $(cat err)"
echo "PASS"
