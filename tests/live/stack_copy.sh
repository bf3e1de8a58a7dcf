#!/bin/bash
# SPDX-License-Identifier: MIT
# record --stack-copy: copies of the stack, from inside and from outside, that softlbr report and perf unwind to main where
# functions run for longer than a trace.
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
assert len(stacks) >= 15, len(stacks) # 165 +- 13 at least
# a sample may stand in the program's start, or in what calls crunch
chains = [["left"], ["left", "right"], ["nested"] * 6 + ["right"], ["large"]]
crunching = 0
for stack in stacks:
    if "main" not in stack:
        assert stack[-1] in ("_start", "_dl_start_user"), stack
        continue
    callers = stack[:stack.index("main")]
    if callers[:1] == ["crunch"]:
        crunching += 1
        assert callers[1:] in chains, stack
    else:
        assert any(chain[len(chain) - len(callers):] == callers for chain in chains), stack
assert crunching >= len(stacks) - 2, stacks
END
  perf report -i deep.data --stdio --no-branch-stack --no-children >report 2>&1 || fail "$(cat report)"
  grep -q "of event 'softlbr:stacks'" report || fail "perf report does not name the event: $(cat report)"
  grep -q -- '--nested' report || fail "perf report has no callers: $(cat report)"
fi

"$softlbr" record -q $how -o plain.data ./deep 6000000 >out 2>err || fail "cannot record"
"$softlbr" show plain.data >shown 2>err || fail "show"
grep -q stacks: shown && fail "a recording without copies has some"
# 8 KiB do not reach beyond large(), of which that is known.
"$softlbr" record -q --stack-copy=8 $how -o small.data ./deep 30000000 >out 2>err || fail "cannot record"
for recording in deep plain small; do
  "$softlbr" report --view=stacks --top 0 --json --to folded=$recording.folded $recording.data >$recording.json 2>err ||
    fail "no report: $(cat err)"
done
python3 - <<'END'
import json
deep, plain, small = (json.load(open(name + ".json")) for name in ("deep", "plain", "small"))
callers = [[], ["left"], ["left", "right"], ["nested"] * 6 + ["right"], ["large"]]

def folded(name):
    """Of the program's own functions, without its start and its end: each stack and its share, and the sum of these."""
    lines = [line.rsplit(" ", 1) for line in open(name + ".folded")]
    lines = [(stack.split(";"), int(count)) for stack, count in lines]
    whole = sum(count for _, count in lines)
    lines = [(stack, count / whole) for stack, count in lines
             if {"main", "left", "right", "nested", "large", "crunch"} & set(stack)]
    own = sum(share for _, share in lines)
    assert own > 0.8, lines
    return lines, own

# a trace that begins before main has what calls it, too
lines, own = folded("deep")
for stack, _ in lines:
    assert stack[::-1][1:-1 - stack.index("main")] in callers, stack
assert deep["stacks_copied"] == deep["samples"] >= 15, deep
assert deep["stacks_rooted"] > own - 1e-3 and deep["copies_whole"] > 0.95, (deep, own)
assert plain["stacks_rooted"] < 0.05 and "stacks_copied" not in plain, plain["stacks_rooted"]
assert "copies_wrong" not in deep and "copies_wrong" not in small
unknown = 0
lines, own = folded("small")
for stack, share in lines:
    if stack[:2] == ["[unknown]", "large"]:
        unknown += share
    else:
        assert stack[0] in ("main", "_start"), stack
assert 0 < unknown and abs(small["stacks_rooted"] + unknown - 1) < 1 - own + 1e-3, (unknown, own, small)
END

# Shares of functions with what they call, against callgrind's of the same work done less often. Each runs at the same
# speed, so that a timer finds them as often as they run.
if command -v callgrind_annotate >/dev/null; then
  valgrind --tool=callgrind --callgrind-out-file=callgrind.out ./deep 20000 >out 2>err || fail "callgrind"
  callgrind_annotate --inclusive=yes --threshold=100 callgrind.out >truth 2>err || fail "callgrind_annotate"
  # some 11,000 samples: a share's standard error is half a point at most
  "$softlbr" record -q --stack-copy=32 -c 250us -n 16 --timer-correction=off $how -o shares.data ./deep 16000000 >out 2>err || fail "cannot record"
  "$softlbr" report --view=stacks --top 0 --json --to folded=shares.folded shares.data >json 2>err || fail "no report: $(cat err)"
  "$here/folded_shares.py" truth shares.folded main main left right large crunch
else
  skip_part "valgrind is not installed"
fi

# Call stacks alone are copied by default: where a trace of them begins, its callers are known.
"$softlbr" record --branches=stack $how -o calls.data ./deep 30000000 >out 2>err || fail "cannot record"
grep -q ' copied stacks -> calls.data' err || fail "call stacks are not copied: $(cat err)"
"$softlbr" record -q --branches=stack --stack-copy=0 $how -o bare.data ./deep 6000000 >out 2>err || fail "cannot record"
for recording in calls bare; do
  "$softlbr" report --view=stacks --top 0 --json --to folded=$recording.folded $recording.data >$recording.json 2>err ||
    fail "no report: $(cat err)"
done
python3 - <<'END'
import json
calls, bare, plain = (json.load(open(name + ".json")) for name in ("calls", "bare", "plain"))
# large() only where a trace begins before it has made its frame: beyond that 8 KiB do not reach, of which that is known
callers = [[], ["left"], ["left", "right"], ["nested"] * 6 + ["right"], ["large"]]
found = unknown = 0
for line in open("calls.folded"):
    stack, count = line.rsplit(" ", 1)
    stack = stack.split(";")
    if "crunch" not in stack:
        continue
    found += int(count)
    if stack[:2] == ["[unknown]", "large"]:
        unknown += int(count)
    else:
        assert stack[0] == "main" and stack[::-1][1:-1] in callers, stack
assert found > 15 and unknown < found, (found, unknown)
assert calls["stacks_copied"] == calls["stack_samples"] == calls["samples"], calls
assert "stacks_missing" not in calls
for sheet in bare, plain:
    assert "--stack-copy=8" in sheet["stacks_missing"] and "stacks_copied" not in sheet, sheet
END

for options in "--stack-copy=64" "--stack-copy=x" "--stack-copy=8 --branches=call" \
  "--stack-copy=8 --aggregate dir"; do
  # shellcheck disable=SC2086
  "$softlbr" record $options -o no.data -- true 2>err && fail "$options is not refused"
  grep -q -e --stack-copy err || fail "$options: does not say why: $(cat err)"
done
