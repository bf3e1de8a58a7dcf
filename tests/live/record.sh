#!/bin/sh
# SPDX-License-Identifier: MIT
# record.sh SOFTLBR: `softlbr record` passes a program's life through unchanged, writes recordings that
# perf reads, and explains what it cannot do.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
cd "$work"

# runs STATUS COMMAND...: the command's exit status; its stderr in $work/err
runs() {
  expected=$1
  shift
  status=0
  sh -c 'echo $$ >pid; exec "$@"' sh "$@" >out 2>err || status=$?
  [ $status = "$expected" ] || fail "status $status, not $expected: $*"
}

says() {
  grep -q -e "$1" err || fail "does not say: $1"
}

needs_recording
${CC:-cc} -O2 -g -pthread "$here/threads.c" -o threads
# The session directory carries the recorder's pid.
nothing_left() {
  for directory in /dev/shm/softlbr-"$1"-*; do
    [ ! -d "$directory" ] || fail "a session directory is left"
  done
}

echo "# output and status of a busy program are its own"
runs 42 ./threads
mv out expected
runs 42 "$softlbr" record -c 500us --timer-correction=off -- ./threads
cmp out expected || fail "other output"
says ' samples, '
nothing_left "$(cat pid)"
samples=$(perf script -i perf.data -F pid,tid,ip,brstack 2>perf.err | wc -l)
[ "$samples" -gt 50 ] || fail "$samples samples" # 410 +- 20
grep -q . perf.err && cat perf.err
grep -qi -e error -e warning perf.err && fail "perf complains"
tasks=$(perf script -i perf.data -F tid | sort -u | wc -l)
# 28 +- 5 of each
[ "$tasks" -ge 10 ] || fail "samples of $tasks threads only: 8 threads, main and the forked child ran"

echo "# every sample holds a full trace but a few"
short=$(perf script -i perf.data -F brstack | awk 'NF && NF < 16' | wc -l)
[ $((short * 10)) -le "$samples" ] || fail "$short of $samples traces are short"

echo "# timer correction: a trace has its weight, by the probe most have; perf reads the file"
for rates in model probe; do
  runs 3 "$softlbr" record -v -e task-clock -c 5ms -n 1024 --stack 2048 --timer-correction=$rates --audit 8 -o rates.data -- \
    sh -c 'i=0; while [ $i -lt 1000000 ]; do i=$((i + 1)); done; exit 3'
  grep -q '[1-9][0-9]* of [0-9]* audited' err && fail "$(cat err)"
  perf script -i rates.data -F pid,time,weight,brstack >script 2>perf.err || fail "$(cat perf.err)"
  [ $rates = model ] && part=10 || part=2 # none of 100 +- 10 and of 70 +- 8 is without
  awk -v part=$part 'NF { all++; bad += $3 == 0 || $4 !~ /\// } END { exit all < 5 || bad * part > all }' script ||
    fail "samples without a weight: $(cut -c1-100 script | head -3)"
  perf report -i rates.data --stdio --sort sym >report 2>perf.err || fail "$(cat perf.err)"
  grep -q '%.*\[\.\]' report || fail "perf report says nothing"
done
runs 125 "$softlbr" record --timer-correction=fast -- true
says 'give auto, model, probe or off'
runs 125 "$softlbr" record --timer-correction=model -e task-clock --lookahead=static -- true
says 'for --lookahead full'

echo "# statuses"
runs 0 "$softlbr" record -- true
runs 1 "$softlbr" record -- false
runs 134 "$softlbr" record -- ./threads abort
runs 127 "$softlbr" record -o none -- ./does-not-exist
says 'cannot run ./does-not-exist: No such file'
[ ! -e none ] || fail "a recording of nothing is left"
runs 126 "$softlbr" record -o none -- /etc/passwd
says 'Permission denied'
runs 125 "$softlbr" record
says 'give the command'
runs 125 "$softlbr" record -e no-such-event true
says 'no-such-event: not known'
runs 125 "$softlbr" record -c 3furlongs true
says '3furlongs: give'
runs 125 "$softlbr" record -n 100000 true
says 'from 1 to 4096'

echo "# an old recording is kept, and one that fails or is empty leaves it where it is, with its older one"
runs 42 "$softlbr" record -o kept -- ./threads
cp kept first
runs 42 "$softlbr" record -o kept -- ./threads
cmp kept.old first || fail "kept.old is not the old recording"
cp kept second
runs 0 "$softlbr" record -q -e task-clock -c 10s -o kept -- true
says 'nothing was recorded: kept is left as it was'
runs 0 "$softlbr" record -q --ptrace -c 10s -o kept -- true
says 'nothing was recorded: kept is left as it was'
runs 125 "$softlbr" record -o kept --duration=1s -p 2
runs 127 "$softlbr" record -o kept -- ./does-not-exist
cmp kept second && cmp kept.old first || fail "a recording of nothing took the place of kept"
[ "$(ls -d kept*)" = "kept
kept.old" ] || fail "left behind: $(ls -d kept*)"

echo "# standard input, output and error are the program's"
printf 'in' | "$softlbr" record -- sh -c 'cat; echo err >&2' >out 2>err
[ "$(cat out)" = in ] || fail "input and output do not pass"
says '^err$'

echo "# time windows: nothing is recorded outside them"
cat >spin.c <<'END'
#include <time.h>
int main(void)
{
	volatile unsigned long sink = 0;
	clock_t end = clock() + CLOCKS_PER_SEC;
	while (clock() < end)
		for (int i = 0; i < 100000; i++)
			sink += sink % 3 ? i : 1;
	return 0;
}
END
${CC:-cc} -O2 -g spin.c -o spin
count() {
  perf script -i "${1:-perf.data}" -F ip 2>/dev/null | grep -c . || true
}
runs 0 "$softlbr" record -e task-clock -c 1ms --timer-correction=off -- ./spin
whole=$(count)
runs 0 "$softlbr" record -e task-clock -c 5ms --delay 60s -o late.data -- ./spin
[ "$(count late.data)" = 0 ] || fail "--delay: $(count late.data) samples"
says 'nothing was recorded'
runs 0 "$softlbr" record -e task-clock -c 1ms --timer-correction=off --duration 300ms -- ./spin
part=$(count)
# 300 +- 17 of 1,000 +- 32, or less where the program has to wait: on a machine 30 times as busy 10 +- 2
[ "$part" -gt 0 ] && [ $((part * 3)) -lt $((whole * 2)) ] || fail "--duration: $part of $whole samples"

echo "# depth and stacks"
runs 0 "$softlbr" record -e task-clock -c 10ms -n 100 --stack 32 -- ./spin
longest=$(perf script -i perf.data -F brstack | awk '{ if (NF > n) n = NF } END { print n }')
[ "$longest" = 32 ] || fail "--stack 32: a stack of $longest"

echo "# a setuid program can't be preloaded, and is traced by those for whom it keeps its privilege"
if [ "$(id -u)" = 0 ]; then
  cp spin setuid
  chown nobody setuid
  chmod u+s setuid
  runs 0 "$softlbr" record -v -o setuid.data -- ./setuid
  says "setuid.*recording from outside"
  says ' 1 process'
else
  skip_part "not root: no setuid program"
fi
[ ! -e none ] || fail "a recording of nothing is left"

echo "# installed in a folder whose name ends the collector's in LD_PRELOAD"
mkdir "a: b"
ln -L "$softlbr" "$(dirname "$softlbr")/libsoftlbr-collector.so.0" "a: b" 2>/dev/null ||
  cp "$softlbr" "$(dirname "$softlbr")/libsoftlbr-collector.so.0" "a: b"
runs 0 "$work/a: b/softlbr" record -v -e task-clock -c 500us -- ./spin
says ' 1 process'
! grep -q 'ld.so' err || fail "$(cat err)"

echo "# no place to write"
runs 125 "$softlbr" record -o /nonexistent/perf.data -- true
says '/nonexistent/perf.data'
if [ "$(id -u)" = 0 ] && mkdir small && mount -t tmpfs -o size=64k tmpfs small 2>/dev/null; then
  status=0
  "$softlbr" record -e task-clock -c 100us --timer-correction=off -o small/perf.data -- ./threads >out 2>err || status=$?
  cmp out expected || { umount small; fail "full disk: the program's output changed"; }
  umount small
  [ $status = 125 ] || fail "full disk: status $status"
  says 'No space left'
else
  skip_part "no small disk can be mounted here: no full disk"
fi

echo "# sampled from its first moments on: what the collector makes at first use must not be made in a handler"
${CC:-cc} -O2 "$root"/examples/interpreter/*.c -o interpreter
for correction in off probe; do
  for run in $(seq 50); do
    runs 0 "$softlbr" record -e task-clock -c 100us --timer-correction=$correction -o short -- ./interpreter "$root/examples/interpreter/training.asm" 5
  done
done

echo "# perf_event_open refused"
${CC:-cc} -O2 "$here/refuse.c" -o refuse
runs 0 ./refuse errno "$softlbr" record -o none -- true
says 'softlbr doctor.*recording from outside'
runs 125 ./refuse errno "$softlbr" record -e branches -o none -- true
says 'softlbr doctor'
runs 125 ./refuse ptrace ./refuse errno "$softlbr" record -o none -- true
says 'refuses to trace'
rm -f none

echo "# SIGTERM reaches the command, and its end is ours"
status=0
"$softlbr" record -- sh -c ': >started; exec sleep 60' 2>err &
recorder=$!
becomes [ -e started ]
kill -TERM $recorder
wait $recorder || status=$?
[ $status = 143 ] || fail "SIGTERM: status $status"
nothing_left $recorder

echo "# killed recorder: the program goes on, what was recorded is readable"
"$softlbr" record -c 1ms --timer-correction=off -o killed -- sh -c './spin; echo done >finished' 2>err &
recorder=$!
becomes holds killed 20000
kill -KILL $recorder
becomes [ -e finished ]
# 20,000 bytes are 40 samples
[ "$(perf script -i killed -F ip 2>/dev/null | grep -c .)" -gt 10 ] || fail "the recording is lost"
# another recording may have given its buffers back already
rm -rf /dev/shm/softlbr-"$recorder"-*
echo "PASS"
