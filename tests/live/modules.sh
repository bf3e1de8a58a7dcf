#!/bin/bash
# SPDX-License-Identifier: MIT
# modules.sh SOFTLBR: libraries that a program loads and unloads, at the same addresses by turns: each is told
# with its build-id when it is there, and branches are found in the one that ran. Of many in a short time none is lost.
set -euo pipefail
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs perf readelf
needs_recording
cc=${CC:-cc}
$cc -O2 -g "$here/modules.c" -o modules
$cc -O2 -g -fPIC -shared -Wl,--build-id -DLIBRARY=in_a "$here/modules.c" -o a.so
$cc -O2 -g -fPIC -shared -Wl,--build-id -DLIBRARY=in_b -DOTHER "$here/modules.c" -o b.so
./modules ./a.so ./b.so >expected

# id FILE: its build-id
id() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }

for way in '-e task-clock' --ptrace; do
  "$softlbr" record $way -c 1ms --timer-correction=off --audit 1 -o data --stats stats.json -- ./modules ./a.so ./b.so >got 2>err || fail "$way: status $?: $(cat err)"
  cmp got expected || fail "$way: other output"
  perf script -i data --show-mmap-events -F ip,sym,dso 2>perf.err >text || fail "$way: $(cat perf.err)"
  [ "$(grep 'MMAP' text | grep -c '/a\.so')" -ge 10 ] && [ "$(grep 'MMAP' text | grep -c '/b\.so')" -ge 10 ] ||
    fail "$way: not told each time: $(grep MMAP text | grep -c '\.so')"
  for name in a b; do
    grep MMAP text | grep "/$name\.so" | grep -q "<$(id $name.so)>" || fail "$way: $name.so's build-id"
    [ "$(grep -c " in_$name (.*/$name.so)" text)" -gt 30 ] || fail "$way: few samples in $name" # 260 +- 16 at least
    "$softlbr" convert --binary $name.so --profile data --to gcov=$name.gcov 2>said || fail "$way: convert: $(cat said)"
  done
  ! grep -q ' in_a (.*/b.so)\| in_b (.*/a.so)' text || fail "$way: samples of one in the other"
  # A trace through code of the library that was there before would be wrong: 520 audits +- 23 at least, none is.
  python3 -c "import json; c = json.load(open('stats.json'))['counters']; assert c['audits'] > 50 and c['audits_wrong'] <= c['audits'] // 50, c" ||
    fail "$way: audits"
done

# Several times what a ring has room for, more than that between two looks at it by the clock. A machine that lets the
# recorder wait for a processor as long loses some all the same: not each time.
$cc -O2 -o mappings "$here/mappings.c"
for try in 1 2 3 4 5; do
  "$softlbr" record -q -o many.data -- ./mappings 5000 2>err || fail "mappings: status $?: $(cat err)"
  perf script -i many.data --show-mmap-events --show-lost-events 2>perf.err >text || fail "mappings: $(cat perf.err)"
  grep LOST text || break
done
! grep -q LOST text || fail "mappings: some are lost, $try times"
[ "$(grep MMAP text | grep -c '/mappings$')" -ge 5000 ] || fail "mappings: $(grep MMAP text | grep -c '/mappings$') of 5000"
echo "PASS"
