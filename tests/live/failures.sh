#!/bin/sh
# SPDX-License-Identifier: MIT
# failures.sh SOFTLBR: a recorder that is killed, a full disk, no more descriptors, perf events or ptrace
# refused midway: the program goes on, what was recorded is readable by perf and by us, and the message
# says what happened.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
program= session=
undo() {
  [ -z "$program" ] || kill -KILL $program 2>/dev/null || :
  umount -l "$work/small" 2>/dev/null || :
}
cd "$work"

needs_recording_inside
for name in attached threads refuse; do
  ${CC:-cc} -O2 -g -pthread "$here/$name.c" -o $name
done
./threads >expected || [ $? = 42 ]

# readable FILE [AT LEAST]: by perf and by us, with the same number of samples
readable() {
  perf script -i "$1" -F ip,brstack >text 2>perf.err || fail "$1: perf: $(cat perf.err)"
  ! grep -qi 'error\|warning\|incomp' perf.err || fail "$1: perf complains: $(cat perf.err)"
  ours=$("$softlbr" show "$1" | sed -n 's/^samples  *\([0-9]*\)$/\1/p')
  [ "$(grep -c . text)" = "$ours" ] || fail "$1: perf reads $(grep -c . text) samples, we $ours"
  [ "$ours" -ge "${2:-1}" ] || fail "$1: $ours samples"
}

# threads STATUS PATTERN COMMAND...: ./threads behind COMMAND is as ever; softlbr says PATTERN
threads() {
  wanted=$1
  pattern=$2
  shift 2
  rc=0
  timeout 300 "$@" ./threads >got 2>err || rc=$?
  [ $rc = "$wanted" ] || fail "$*: status $rc"
  cmp got expected || fail "$*: other output"
  grep -q "$pattern" err || fail "$*: no '$pattern'"
}

is_there() { grep -q attached /proc/"$(cat pid)"/cmdline; }
runs_on() { [ "$(cut -d' ' -f14 /proc/$program/stat)" -gt "$before" ]; }

start() {
  rm -f pid
  "$@" -- sh -c 'echo $$ >pid; exec ./attached spin 2' >out 2>err &
  recorder=$!
  becomes is_there
  program=$(cat pid)
}

# goes_on [traced]
goes_on() {
  kill -0 $program 2>/dev/null || fail "the program ended: $(cat out)"
  [ "${1:-}" = traced ] || becomes grep -q '^TracerPid:.0$' /proc/$program/status
  before=$(cut -d' ' -f14 /proc/$program/stat)
  becomes runs_on
  kill -TERM $program
  becomes grep -q unchanged out
  program=
}

echo "# the recorder is killed: sampling ends, and its buffers are given back by the next recording"
# (Any other recording that begins on this machine gives them back: the open file is looked at.)
for way in '-e task-clock' --ptrace; do
  rm -f killed
  start "$softlbr" record $way -c 1ms --timer-correction=off -o killed
  becomes holds killed 20000 # of 40 samples
  if [ "$way" != --ptrace ]; then
    session=$(ls -d /dev/shm/softlbr-$recorder-* "${TMPDIR:-/tmp}"/softlbr-$recorder-* 2>/dev/null | head -n 1)
    buffers=$(ls "$session"/[0-9]* 2>/dev/null | head -n 1)
    [ -n "$buffers" ] || fail "no buffers: nothing to look at"
    exec 3<"$buffers"
  fi
  kill -KILL $recorder
  wait $recorder 2>/dev/null || :
  if [ "$way" != --ptrace ]; then
    sleep 0.5
    before=$(cksum </proc/self/fd/3)
    sleep 0.5
    [ "$before" = "$(cksum </proc/self/fd/3)" ] || fail "the program is sampled still"
    exec 3<&-
  fi
  goes_on
  readable killed 20
done
"$softlbr" record -o none -- true 2>/dev/null
[ ! -e "$session" ] || fail "the killed recorder's $session is left"

echo "# a full disk"
small() {
  rm -f small/* full
  if [ -n "$mounted" ]; then echo small/full; else echo full; fi
}
mkdir small
mounted=
mount -t tmpfs -o size=64k tmpfs small 2>/dev/null && mounted=yes
limited=
[ -n "$mounted" ] || limited='prlimit --fsize=65536'
for way in '-e task-clock' --ptrace; do
  file=$(small)
  start $limited "$softlbr" record $way -c 200us --timer-correction=off -o "$file"
  becomes holds "$file" 60001 # of 120 samples
  goes_on traced
  rc=0
  wait $recorder || rc=$?
  [ $rc = 125 ] || fail "$way: status $rc"
  grep -q 'No space left on device\|File too large' err && grep -q 'holds the [0-9]* samples recorded by then' err ||
    fail "$way: no message"
  readable "$file" 50
done
threads 125 'File too large' prlimit --fsize=40000 "$softlbr" record -e task-clock -c 200us --timer-correction=off -o limited --
readable limited
threads 42 ' samples, ' "$softlbr" record -e task-clock -c 500us --timer-correction=off -o fits -- prlimit --fsize=100000
readable fits
# prlimit itself may be sampled, more often on a slow machine, and nothing behind it
threads 42 ' samples\?, ' "$softlbr" record -e task-clock -c 500us --timer-correction=off -o none -- prlimit --fsize=5000
! perf script -i none -F comm 2>/dev/null | grep -v prlimit || fail "recorded without room"

echo "# no more descriptors"
threads 42 'threads are not in the recording.*Too many open files' "$softlbr" record -e task-clock -c 500us --timer-correction=off -o few -- \
  prlimit --nofile=8:8
readable few
rc=0
prlimit --nofile=5:5 "$softlbr" record -o none -- ./threads >got 2>err || rc=$?
[ $rc = 125 ] && grep -q 'Too many open files' err || fail "no descriptors for the recorder: status $rc"

rc=0
./refuse sigtrap true || rc=$?
[ $rc = 0 ] || {
  skip_part "no seccomp with a supervisor here: refusals midway not tried"
  echo "PASS"
  exit 0
}

echo "# perf events refused midway: threads that began before are recorded"
for n in 18 24 30; do
  threads 42 ' samples, ' ./refuse late $n errno "$softlbr" record -e task-clock -c 500us --timer-correction=off -o midway --
  ! grep -q 'threads are not in the recording.*Operation not permitted' err || partly=$n
done
[ -n "${partly:-}" ] || fail "nothing was refused: the test says nothing"
readable midway

echo "# ptrace refused midway"
for n in 80 200; do # 30 may be spent on a sample in the kernel
  start ./refuse late $n ptrace "$softlbr" record --ptrace -c 1ms --timer-correction=off -o midway
  goes_on
  rc=0
  wait $recorder || rc=$? # who waits for the program
  [ $rc = 125 ] && grep -q 'refuses to go on tracing.*the program goes on.*Operation not permitted' err ||
    fail "status $rc"
  readable midway
done
echo "PASS"
