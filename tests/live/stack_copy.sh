#!/bin/bash
# SPDX-License-Identifier: MIT
# record --stack-copy: copies of the stack, from inside and from outside, that perf unwinds to main where functions run
# for longer than a trace.
# usage: stack_copy.sh SOFTLBR [--ptrace]
set -eu
softlbr=$(realpath "$1")
how=${2:-}
. "$(dirname "$0")/../prelude.sh"
needs python3 "${CC:=gcc}"
needs_recording
cd "$work"
$CC -O2 -g -fomit-frame-pointer -o deep "$here/deep.c"

"$softlbr" record --stack-copy=32 $how -o deep.data ./deep 30000000 >out 2>err || fail "cannot record: $(cat err)"
grep -q ' copied stacks -> deep.data' err || fail "does not say how many: $(cat err)"
"$softlbr" show --json deep.data >shown 2>err || fail "show"
grep -q 'softlbr:stacks' shown && fail "copies are counted as samples"

# From outside perf lacks what it reads unwinding tables by: the mappings of data.
if [ -n "$how" ] || ! command -v perf >/dev/null; then
  skip_part "perf does not unwind here"
else
  perf script -i deep.data -F event,ip,sym >script 2>perf.err || fail "$(cat perf.err)"
  python3 - <<'END'
stacks = []
for line in open("script"):
    if "softlbr:stacks" in line:
        stacks.append([])
    elif "task-clock" not in line and line.split():
        stacks[-1].append(line.split()[1])
assert len(stacks) >= 15, len(stacks)
for stack in stacks:
    assert stack[0] == "crunch" and "main" in stack, stack
    callers = stack[1:stack.index("main")]
    assert callers in (["left"], ["left", "right"], ["nested"] * 6 + ["right"], ["large"]), stack
END
  perf report -i deep.data --stdio --no-branch-stack --no-children >report 2>&1 || fail "$(cat report)"
  grep -q "of event 'softlbr:stacks'" report || fail "perf report does not name the event: $(cat report)"
  grep -q -- '--nested' report || fail "perf report has no callers: $(cat report)"
fi

"$softlbr" record $how -o plain.data ./deep 300000 >out 2>err || fail "cannot record"
"$softlbr" show plain.data >shown 2>err || fail "show"
grep -q stacks: shown && fail "a recording without copies has some"

for options in "--stack-copy=0" "--stack-copy=64" "--stack-copy=x" "--stack-copy=8 --branches=call" \
  "--stack-copy=8 --aggregate dir"; do
  # shellcheck disable=SC2086
  "$softlbr" record $options -o no.data -- true 2>err && fail "$options is not refused"
  grep -q -e --stack-copy err || fail "$options: does not say why: $(cat err)"
done
