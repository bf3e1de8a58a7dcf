#!/bin/sh
# SPDX-License-Identifier: MIT
# setsig.sh SOFTLBR: kernels without sigtrap events (before Linux 5.13), by a filter that refuses the
# attribute: signals come by F_SETSIG; programs are the same, and nothing overflows into SIGIO.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
cd "$work"

needs_recording_inside
for name in refuse threads; do
  ${CC:-cc} -O2 -g -pthread "$here/$name.c" -o $name
done
${CXX:-c++} -O2 -g "$here/signals.cc" -o signals
rc=0
./refuse sigtrap true || rc=$?
[ $rc = 0 ] || skip "no seccomp with a supervisor here"

# check STATUS PROGRAM...: as without, with samples that perf(1) reads
check() {
  expected=$1
  shift
  "$@" >expected || [ $? = "$expected" ]
  rc=0
  timeout 300 ./refuse sigtrap "$softlbr" record -v -e task-clock -c 500us --timer-correction=off --audit 4 -o data -- "$@" >got 2>err ||
    rc=$?
  [ $rc = "$expected" ] || fail "$*: status $rc"
  cmp got expected || fail "$*: other output: $(cat got)"
  grep -q 'it has no sigtrap events' err || fail "$*: not by F_SETSIG"
  perf script -i data -F tid,ip,brstack >text 2>perf.err || fail "$*: perf: $(cat perf.err)"
  [ "$(wc -l <text)" -gt 50 ] || fail "$*: $(wc -l <text) samples" # 180 +- 14 at least
}

echo "# threads, children, signals of all kinds"
check 42 ./threads
[ "$(awk '{ print $1 }' text | sort -u | wc -l)" -ge 5 ] || fail "samples of few threads" # 10, of 28 +- 5 samples each
check 0 ./signals

echo "# traces are right, where no handler runs the traced code"
check 0 ./signals exceptions
sed -n 's/.*; \([0-9]*\) of \([0-9]*\) audited samples wrong/\1 \2/p' err >audits
read -r wrong audits <audits || fail "no audits"
# of 45 +- 7 none is wrong
[ $((wrong * 20)) -le "$audits" ] || fail "$wrong of $audits audits wrong"

echo "# no room for queued signals: a real-time signal would become SIGIO, which ends the program"
for part in jumps blocked exceptions; do
  rc=0
  ./refuse sigtrap prlimit --sigpending=0 "$softlbr" record -e task-clock -c 500us --timer-correction=off -o data -- \
    ./signals $part >got 2>err || rc=$?
  [ $rc = 0 ] || fail "$part: status $rc"
  [ "$(cat got)" = "$part unchanged" ] || fail "$(cat got)"
  [ "$(sed -n 's/^softlbr: .*: \([0-9]*\) samples*, .*/\1/p' err)" -gt 10 ] || fail "$part: few traces" # 97 +- 10 at least
done

echo "# by breakpoints alone"
./refuse sigtrap "$softlbr" record -e task-clock -c 5ms --lookahead off -o data -- ./signals exceptions >got 2>err ||
  fail "breakpoints: status $?"
grep -q 'exceptions unchanged' got || fail "breakpoints: $(cat got)"

echo "# not so often that the program stands still"
rc=0
./refuse sigtrap "$softlbr" record -e task-clock -c 400us --timer-correction=off -o none -- true 2>err || rc=$?
[ $rc = 125 ] && grep -q 'at least 500us' err || fail "a period of 400 us: status $rc"
echo "PASS"
