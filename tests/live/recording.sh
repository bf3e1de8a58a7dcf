#!/bin/sh
# SPDX-License-Identifier: MIT
# recording.sh SOFTLBR: what `softlbr record` says of a recording is so, perf(1) reads all of it, options are
# perf's, and what can't be recorded is refused by name before it is started.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
cd "$work"
running=
undo() { [ -z "$running" ] || kill -KILL $running 2>/dev/null || :; }

# runs STATUS COMMAND...: the command's exit status; its output in got and err
runs() {
  expected=$1
  shift
  status=0
  "$@" >got 2>err || status=$?
  [ $status = "$expected" ] || fail "status $status, not $expected: $*"
}

says() {
  grep -q -e "$1" err || fail "does not say: $1"
}

lines() {
  [ "$(wc -l <err)" -le "$1" ] || fail "more than $1 lines: $(cat err)"
}

# poor STATUS WHAT: of a few samples a profile may be poor, and is written
poor() {
  [ "$1" = 5 ] || fail "convert: status $1: $2"
}

needs_recording_inside
needs perf python3
${CC:-cc} -O2 -g "$root"/examples/interpreter/*.c -o interpreter
${CC:-cc} -O2 -g -pthread "$here/attached.c" -o attached
cp "$root/examples/interpreter/training.asm" .
program="./interpreter training.asm 150"
short="./interpreter training.asm 20"

# $samples, $branches: what the line says
told() {
  read -r samples branches <<END
$(sed -n 's/^softlbr: recorded.*: \([0-9]*\) samples*, \([0-9]*\) taken branches -> .*/\1 \2/p' err)
END
  [ "${samples:-0}" -gt 0 ] || fail "no line: $(cat err)"
}

echo "# one line, and samples are the same number everywhere; perf reads every stack"
runs 0 "$softlbr" record -e task-clock -- $program
lines 2
says '^softlbr: recorded [0-9.]* s of CPU time at [0-9.]* % overhead: [0-9]* samples'
told
# 2,048 each, 1,024 at least where a loop comes to nothing new, and 4,096 where nothing stops a path, but not in the first
[ "$branches" -ge $((samples * 1024)) ] && [ "$branches" -le $((samples * 4096 - 2048)) ] ||
  fail "$branches branches of $samples samples"
"$softlbr" show perf.data >shown
grep -q "^samples  *$samples$" shown || fail "record says $samples samples, show: $(cat shown)"
"$softlbr" convert -b interpreter -p perf.data --to preagg=counts >converted 2>&1 || poor $? "$(cat converted)"
grep -qE "(^|[^0-9])$samples .*samples" converted || fail "record says $samples samples, convert: $(cat converted)"
perf report -i perf.data --branch-history --stdio >report 2>perf.err || fail "perf report: $(cat perf.err)"
! grep -i 'corrupted\|error' perf.err || fail "perf report skips stacks"
grep -q 'machine_run' report || fail "perf report says nothing"
perf annotate -i perf.data --stdio >annotated 2>perf.err || fail "perf annotate: $(cat perf.err)"
grep -q 'Percent' annotated || fail "perf annotate says nothing"
perf script -i perf.data -F tid,time,brstack >script 2>perf.err || fail "perf script: $(cat perf.err)"
# each part but a trace's first repeats a branch
awk '{ key = $1 $2; if (key != last) traces++; else again++; last = key; all += NF - 2; if (NF - 2 > most) most = NF - 2 }
  END { print traces, all - again, most }' script >read
[ "$(cat read)" = "$samples $branches 127" ] || fail "perf reads '$(cat read)', not $samples samples, $branches branches"

echo "# what is split into records of 127 counts as in one"
runs 0 "$softlbr" record -e task-clock -o whole.data --stack 2048 -- $program
python3 - <<'END'
import struct

STACK, HEAD, BRANCH = 127, 48, 24
raw = open("whole.data", "rb").read()
begin, size = struct.unpack_from("<QQ", raw, 40)
out, at = [], begin
while at < begin + size:
    kind, misc, length = struct.unpack_from("<IHH", raw, at)
    record = raw[at:at + length]
    at += length
    count = struct.unpack_from("<Q", record, HEAD - 8)[0] if kind == 9 else 0
    if count <= STACK:
        out.append(record)
        continue
    newest_first = [record[HEAD + i * BRANCH:HEAD + (i + 1) * BRANCH] for i in range(count)]
    oldest_first, first = newest_first[::-1], 0
    while first < count - 1:
        part = oldest_first[first:first + STACK][::-1]
        body = record[8:HEAD - 8] + struct.pack("<Q", len(part)) + b"".join(part) + record[-8:]
        out.append(struct.pack("<IHH", kind, misc, 8 + len(body)) + body)
        first += len(part) - 1
data = b"".join(out)
moved = len(data) - size
head = bytearray(raw[:begin])
struct.pack_into("<Q", head, 48, len(data))
tail = bytearray(raw[begin + size:])
features = sum(bin(struct.unpack_from("<Q", raw, 72 + 8 * i)[0]).count("1") for i in range(4))
for i in range(features):
    place = struct.unpack_from("<Q", tail, 16 * i)[0]
    struct.pack_into("<Q", tail, 16 * i, place + moved)
open("split.data", "wb").write(bytes(head) + data + bytes(tail))
END
[ "$(stat -c %s split.data)" -gt "$(stat -c %s whole.data)" ] || fail "nothing is split"
for frequencies in raw auto; do
  for data in whole split; do
    "$softlbr" convert -b interpreter -p $data.data --frequencies $frequencies --smooth none --to preagg=$data.$frequencies \
      >/dev/null 2>err || poor $? "convert $data"
  done
  cmp whole.$frequencies split.$frequencies || fail "$frequencies: other counts"
done

echo "# quiet and verbose"
runs 0 "$softlbr" record -q -- $short
[ ! -s err ] || fail "-q: $(cat err)"
runs 0 "$softlbr" record -v -e task-clock -- $program
says 'a sample every [0-9.]* ms (asked: 10 ms) of task-clock:u, [1234][0-9]\{3\}\.[0-9] branches each (at most 4096)'
runs 0 "$softlbr" record -v -e task-clock --duration 100s -- $program
says 'a sample every .* [1234][0-9]\{3\}\.[0-9] branches each (at most 4096)'

echo "# how long to record"
# 20 here: more than none, and fewer than a hundred, on a machine that is several times as fast or slow
runs 0 "$softlbr" record -e task-clock -- $short
says 'record longer: there are only [0-9]* trace'
lines 2
# 20 again: a whole trace takes longer than 2.5 us, a fortieth of that period
runs 0 "$softlbr" record -e task-clock -c 100us -- $short
says 'taken branches (one each .* ms instead of 0.1 ms'
says 'record longer, or with --timer-correction=off (more traces, without weights): there are only [0-9]* trace'

echo "# frequency, periods, all CPUs"
runs 0 "$softlbr" record -v -e task-clock -F 1000 -o frequency -- $short
says '(asked: 1 ms)'
runs 125 "$softlbr" record -F 99999999999999999999 -e task-clock -- true
says 'it overflows'
runs 125 "$softlbr" record -F 100 -c 1ms -- true
says 'give -c or -F'
runs 125 "$softlbr" record -e task-clock -c 1m -- true
says 'period 1m: give a unit of us, ms or s'
runs 125 "$softlbr" record -e task-clock -c 99999999999999999999 -- true
says 'overflows'
runs 125 "$softlbr" record -e task-clock -c nan -- true
says 'period nan'
runs 125 "$softlbr" record -n 99999999999999999999 -- true
says 'overflows'
runs 125 "$softlbr" record --duration 1e30s -- true
says 'overflows'
runs 125 "$softlbr" record -a -- true
says "a whole system can't be recorded.*perf record -a -b"
if ! perf stat -x, -e branches:u true 2>&1 >/dev/null | grep -q '^[0-9]'; then
  runs 125 "$softlbr" record -e branches -- true
  says 'no PMU'
  ! grep paranoid err || fail "of a missing PMU it says that"
fi

echo "# to standard output, for perf and for convert; the command's output goes to standard error"
$program >expected
for ptrace in '' --ptrace; do
  "$softlbr" record $ptrace -e task-clock -o - -- $program 2>err >piped || fail "$ptrace -o -: status $?"
  grep -qxF "$(cat expected)" err || fail "$ptrace -o -: the command's output is not on standard error"
  [ ! -e ./- ] || fail "a file is named -"
  told
  "$softlbr" show - <piped | grep -q "^samples  *$samples$" || fail "$ptrace -o -: other samples than $samples"
  perf script -i - -F tid,brstack <piped 2>perf.err | grep -q / || fail "$ptrace -o -: perf script: $(cat perf.err)"
  "$softlbr" convert -b interpreter -p - --to preagg=piped.counts <piped >/dev/null 2>err || poor $? "$(cat err)"
  grep -q '^B' piped.counts || fail "$ptrace -o -: no branches"
done
runs 125 "$softlbr" record -o - --signals -- true
says 'cannot be rotated'

echo "# a crash is named"
cat >crash.c <<'END'
int main(void)
{
	*(volatile int *)0 = 1;
	return 0;
}
END
${CC:-cc} crash.c -o crash
runs 139 "$softlbr" record -o crash.data -- ./crash
says './crash ended by signal 11: Segmentation fault'

echo "# a static program: said to be recorded from outside, at the default period of inside"
${CC:-cc} -O2 -static "$root"/examples/interpreter/*.c -o static
runs 0 "$softlbr" record -v -o static.data -- ./static "$root/examples/interpreter/training.asm" 40
says '^softlbr: ./static is statically linked: recording from outside, by ptrace'
says '(asked: 10 ms)'

echo "# a 32-bit program: refused by name, whether started or running; it is not harmed"
cat >small.c <<'END'
void _start(void)
{
	for (;;)
		__asm__ volatile("int $0x80" ::"a"(29) : "memory"); /* pause(2) */
}
END
cat >exit.c <<'END'
void _start(void)
{
	__asm__ volatile("int $0x80" ::"a"(1), "b"(7));
}
END
status=0
if ${CC:-cc} -m32 -nostdlib -static -O1 small.c -o small 2>/dev/null && ${CC:-cc} -m32 -nostdlib -static -O1 exit.c -o exit &&
  { ./exit || status=$?; [ $status = 7 ]; }; then
  runs 125 "$softlbr" record -o none -- ./exit
  says './exit is a 32-bit program'
  lines 1
  [ ! -e none ] || fail "a recording of nothing is left"
  ./small &
  running=$!
  # until then it is a shell, which can be recorded
  until [ /proc/$running/exe -ef small ]; do sleep 0.01; done
  runs 125 "$softlbr" record -o none -p $running
  says "process $running is a 32-bit program"
  kill -0 $running || fail "the 32-bit process was harmed"
  kill -KILL $running
  wait $running 2>/dev/null || :
  running=
else
  skip_part "32-bit programs can't be built or run here"
fi

echo "# kill -INT of the recorder alone ends the recording in order"
# as a shell has it that runs it in the background: SIGINT ignored
"$softlbr" record -e task-clock -o interrupted -- ./interpreter "$root/examples/interpreter/training.asm" 100000 >got 2>err &
running=$!
becomes holds interrupted 100000
kill -INT $running
status=0
wait $running || status=$?
running=
[ $status = 143 ] || fail "status $status: $(cat err)"
told
"$softlbr" show interrupted | grep -q "^samples  *$samples$" || fail "the recording is not whole"
perf report -i interrupted --header-only 2>/dev/null | grep -q 'traces=' || fail "the recording has no end"
cat >handler.py <<'END'
import signal, sys
signal.signal(signal.SIGINT, lambda *_: sys.exit(5))
signal.signal(signal.SIGQUIT, lambda *_: sys.exit(6))
print("ready", flush=True)
while True:
    sum(range(10000))
END
for sent in INT 'INT --ptrace' QUIT 'QUIT --ptrace'; do
  number=${sent% *} wanted=5
  ptrace=${sent#$number}
  [ $number = INT ] || wanted=6
  : >got
  # often enough: it may end some 50 ms after its start
  "$softlbr" record $ptrace -e task-clock -c 1ms --timer-correction=off -o handled -- "$(python3 -c 'import sys; print(sys.executable)')" handler.py >got 2>err &
  running=$!
  becomes grep -q ready got
  kill -$number $running
  status=0
  wait $running || status=$?
  running=
  [ $status = $wanted ] || fail "$ptrace: the command does not get SIG$number: status $status: $(cat err)"
  "$softlbr" show handled >/dev/null || fail "$ptrace, SIG$number: the recording is not whole"
done

echo "# one thread of a running program"
if can_attach; then
  ./attached spin 3 >out 2>&1 &
  running=$!
  becomes grep -q ready out
  tid=$(ls /proc/$running/task | sort -n | tail -n 1)
  [ "$tid" != $running ] || fail "no other thread"
  # until it had a processor
  for time in 700ms 4s 25s; do
    runs 0 "$softlbr" record -t "$tid" -c 1ms --timer-correction=off --duration $time -o thread.data
    perf script -i thread.data -F tid,ip 2>/dev/null | awk '{ print $1 }' | sort -u >tids
    [ ! -s tids ] || break
  done
  [ "$(cat tids)" = "$tid" ] || fail "-t $tid: samples of $(cat tids)"
  kill -KILL $running
  wait $running 2>/dev/null || :
  running=
else
  skip_part "no tracing here: -t not tried"
fi
echo PASS
