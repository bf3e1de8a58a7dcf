#!/bin/bash
# SPDX-License-Identifier: MIT
# resources.sh SOFTLBR: what the collector takes of a program's addresses and memory, and programs with
# limits of them: they go on as without it, and are recorded as far as there is room. What recording a
# program of a millisecond takes besides: libraries that are loaded, and system calls.
set -euo pipefail
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs_recording_inside
${CC:-cc} -O2 -pthread -I"$here" -o resources "$here/resources.c"

record() {
  "$softlbr" record -v -e task-clock -c 1ms --timer-correction=off -o perf.data "$@" 2>err
}

# samples, threads, refused: of the last recording
samples() {
  sed -n 's/.* \([0-9]*\) samples*, .* taken branches ->.*/\1/p' err
}
threads() {
  sed -n 's/.* process, \([0-9]*\) threads\{0,1\}.*/\1/p' err
}
refused() {
  sed -n 's/.*: \([0-9]*\) threads are not in the recording.*/\1/p' err | grep . || echo 0
}

# 8 MB more, of which the session's file is 2 and the library 2; the promise is 64 MB.
plain=$(./resources size)
recorded=$(record -- ./resources size) || fail "status $?"
echo "addresses: $plain KB plain, $recorded KB recorded"
[ "$((recorded - plain))" -le 65536 ] || fail "$((recorded - plain)) KB more addresses"

# Recorded where addresses are limited from the start.
(ulimit -v 200000 && record -- ./resources threads 2 >got) || fail "status $? under ulimit -v"
./resources threads 2 | cmp - got || fail "other output under ulimit -v"
(ulimit -v 200000 && record -- ./resources address >got) || fail "status $? under ulimit -v"
[ "$(samples)" -gt 50 ] || fail "$(samples) samples under ulimit -v 200000" # 230 +- 15, and so below

# Limits that the program sets itself: as plain, and still recorded unless nothing is left.
for kind in address data; do
  ./resources $kind >expected
  record -- ./resources $kind >got || fail "$kind: status $?"
  diff expected got || fail "$kind: other output"
  [ "$(samples)" -gt 50 ] || { [ $kind = data ] && grep -q 'limits leave no room' err; } ||
    fail "$kind: $(samples) samples"
done

# Memory that is locked is there: reserves would be too.
./resources lock >expected 2>plain
record -- ./resources lock >got || fail "lock: status $?"
diff expected got || fail "lock: other output"
more=$(($(grep -m 1 '^[0-9]*$' err) - $(head -n 1 plain)))
echo "locked: $more KB more"
[ "$more" -le 32768 ] || fail "$more KB more are locked"

# More threads than there are slots for: those are not sampled, and counted. A descriptor limit may
# refuse others.
for count in 600 3000; do
  ./resources threads $count >expected || skip_part "no $count threads here"
  record -- ./resources threads $count >got || fail "$count threads: status $?"
  diff expected got || fail "$count threads: other output"
  [ "$(($(threads) + $(refused)))" = $((count + 1)) ] ||
    fail "$count threads: $(threads) sampled, $(refused) refused"
  [ "$(threads)" -le 2048 ] || fail "$count threads: $(threads) in 2048 slots"
done
[ "$(refused)" -ge 953 ] || fail "$(refused) refused of 3001 threads"
# The recorder, a shell's parent here, has loaded libc and no other library.
record -- sh -c 'cat /proc/$PPID/maps' >maps || fail "status $?"
grep -q "/$(basename "$softlbr")$" maps || fail "these are not the recorder's mappings: $(cat maps)"
libraries=$(grep -o '[^/ ]*\.so[^ ]*' maps | sort -u | grep -v '^ld-' | tr '\n' ' ')
[ "$libraries" = "libc.so.6 " ] || fail "the recorder has loaded $libraries"

# Its own system calls: 290 with two processors. Each look at what has come while the command runs takes
# some 20, another recording's session 7, a processor 5.
if command -v strace >/dev/null && strace -o calls true 2>/dev/null; then
  strace -o calls "$softlbr" record -q -o calls.data -- true || fail "status $? under strace"
  polls=$(grep -c '^poll(' calls) sessions=$(grep -c 'openat(.*"softlbr-' calls || :)
  most=$((320 + 25 * polls + 7 * sessions + 5 * $(getconf _NPROCESSORS_CONF)))
  echo "system calls: $(wc -l <calls), at most $most"
  [ "$polls" -ge 1 ] || fail "the recorder does not wait for its command"
  [ "$(wc -l <calls)" -le $most ] || fail "more system calls: $(cut -d'(' -f1 calls | sort | uniq -c | sort -rn | head)"
  # While nothing comes it looks ever more seldom: after 50, 100 and then each 200 ms.
  strace -o calls "$softlbr" record -q -o calls.data -- sleep 2 || fail "status $? under strace"
  polls=$(grep -c '^poll(' calls)
  echo "looks in two seconds without a trace: $polls"
  [ "$polls" -ge 5 ] && [ "$polls" -le 20 ] || fail "$polls looks in two seconds"
else
  skip_part "no strace: system calls not counted"
fi
echo "PASS"
