#!/bin/sh
# SPDX-License-Identifier: MIT
# smooth.sh SOFTLBR: after `convert --smooth=mcf` what runs into a branch leaves by it, exactly; and what
# runs from a place came there, but for calls and returns, which are other functions' business.
# By default what clang and llvm-bolt read is smoothed, and nothing else; llvm-bolt finds flow conserved. Both flow solvers reach the same cost.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
needs_recording
cd "$work"
${CC:-gcc} -O2 -g -fno-reorder-blocks-and-partition -Wl,-q "$root"/examples/interpreter/*.c -o program
"$softlbr" record -e task-clock -c 1ms -- ./program "$root/examples/interpreter/training.asm" 100 \
  >out 2>err
for mode in none mcf auto; do
  "$softlbr" convert -v --force --binary program --profile perf.data --smooth=$mode --to preagg=$mode \
    --to llvm-text=$mode.text --to fdata=$mode.fdata --to gcov=$mode.gcov 2>$mode.err ||
    [ $? = 5 ] || {
    cat $mode.err
    exit 1
  }
done
grep -q smoothed mcf.err
for kind in text fdata gcov; do
  ! cmp -s none.$kind mcf.$kind || {
    echo "smoothing changes nothing in $kind: nothing is shown"
    exit 1
  }
done
cmp auto none
cmp auto.gcov none.gcov
cmp auto.text mcf.text
cmp auto.fdata mcf.fdata
bolt=$(newest llvm-bolt)
if [ "${bolt##*-}" -ge 22 ] 2>/dev/null; then # the versions that print it
  "$bolt" program -data=auto.fdata -o moved >moved.log 2>&1 || fail "$bolt: $(cat moved.log)"
  grep -qE 'CFG flow conservation gap 0\.[0-9]+% \(weighted\) 0\.[0-9]+% \(worst\)' moved.log || fail "$bolt: $(cat moved.log)"
else
  skip_part "no llvm-bolt of version 22 or later: whether it finds flow conserved"
fi
"$softlbr" convert --binary program --profile perf.data --to gcov=alone.gcov 2>err || [ $? = 5 ]
cmp alone.gcov none.gcov
"$softlbr" convert --binary program --profile perf.data --to llvm-text=alone.text 2>err || [ $? = 5 ]
cmp alone.text mcf.text
for solver in simplex glpk; do
  "$softlbr" convert -v --force --binary program --profile perf.data --smooth=mcf --flow-solver=$solver \
    --to preagg=$solver 2>$solver.err || [ $? = 5 ]
  grep -E "^ *[1-9][0-9]* 100.00 %      by $solver$" $solver.err
  sed -n 's/ *cost of the flow.*//p' $solver.err >$solver.cost
done
cmp mcf simplex # the default
cmp simplex.cost glpk.cost
[ "$(cat glpk.cost)" -gt 0 ]
objdump -d --no-show-raw-insn program >code
python3 - <<'END'
import collections
import re

# places behind calls and starts of functions: flow comes to them from elsewhere; the stubs of the PLT are
# no function, and stay as they were recorded: a trace may begin in one, at a branch that no range ends in
elsewhere, stubs, after_call, section = set(), set(), False, ""
for line in open("code"):
    section = line if line.startswith("Disassembly") else section
    start = re.match(r"([0-9a-f]+) <", line)
    insn = re.match(r"\s+([0-9a-f]+):\s+(\S+)", line)
    if start or (insn and after_call):
        elsewhere.add(int((start or insn)[1], 16))
    if insn:
        after_call = insn[2] == "call"
        if ".plt" in section:
            stubs.add(int(insn[1], 16))

def gaps(path):
    arrive, leave, begin, end = (collections.Counter() for _ in range(4))
    for line in open(path):
        kind, a, b, count = line.split()[:4]
        if kind == "B":
            if not a.startswith("X"):
                leave[int(a, 16)] += int(count)
            if not b.startswith("X"):
                arrive[int(b, 16)] += int(count)
        else:
            begin[int(a, 16)] += int(count)
            end[int(b, 16)] += int(count)
    inside = (set(arrive) | set(begin)) - elsewhere - stubs
    return (sum(abs(arrive[x] - begin[x]) for x in inside),
            sum(abs(leave[x] - end[x]) for x in (set(leave) | set(end)) - stubs))

raw, smooth, glpk = gaps("none"), gaps("mcf"), gaps("glpk")
print("gaps at begins and ends: raw %d and %d, smoothed %d and %d" % (raw + smooth))
assert raw[0] and raw[1], "the recording is without gaps: nothing is shown"
assert smooth == (0, 0), "flow is not conserved"
assert glpk == (0, 0), "flow is not conserved by glpk"
END
