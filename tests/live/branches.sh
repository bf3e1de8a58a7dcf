#!/bin/bash
# SPDX-License-Identifier: MIT
# softlbr record --branches: what is left of traces, as perf reads it, and what convert says of it.
# usage: branches.sh SOFTLBR [--ptrace]
set -eu
softlbr=$(realpath "$1")
only=${2:-}
. "$(dirname "$0")/../prelude.sh"
needs python3 perf objdump "${CC:=gcc}"
needs_recording
cd "$work"
$CC -O2 -g -no-pie -o calls "$here/calls.c"
objdump -d --no-show-raw-insn calls >code

# record KIND [OPTION...]
record() {
  kind=$1
  shift
  "$softlbr" record -q -c 10ms -n 2048 --timer-correction=off -j "$kind" -o "$kind.data" "$@" -- ./calls 2000000 >out 2>err ||
    fail "cannot record $kind $*"
  perf evlist -v -i "$kind.data" 2>/dev/null | grep -o 'branch_sample_type: [^,]*' >type || fail "perf evlist $kind"
  perf script -F event,ip,brstack -i "$kind.data" >"$kind.txt" 2>err || fail "perf script $kind"
}

ways="inside --ptrace"
[ -z "$only" ] || ways=$only
for how in $ways; do
  [ "$how" != inside ] || how=
  for kind in call return cond indirect stack any call,return any_ret,any_call,u ind_jmp; do
    record "$kind" $how
    case $kind in
      call) want="USER|ANY_CALL" ;;
      return) want="USER|ANY_RETURN" ;;
      cond) want="USER|COND" ;;
      indirect) want="USER|IND_CALL|IND_JUMP" ;;
      call,return | any_ret,any_call,u) want="USER|ANY_CALL|ANY_RETURN" ;;
      ind_jmp) want="USER|IND_JUMP" ;;
      stack) want="USER|CALL_STACK" ;;
      any) want="USER|ANY" ;;
    esac
    grep -qF "branch_sample_type: $want" type && [ "$(grep -oF "$want" type | head -n 1)" = "$want" ] ||
      fail "$kind: $(cat type)"
    python3 - "$kind" <<'END'
import re, sys
kind = sys.argv[1]
what = {}
for line in open("code"):
    match = re.match(r"\s*([0-9a-f]+):\s+(\w+)\s+(\*?)", line)
    if match:
        address, name, indirect = match.groups()
        if name == "call":
            what[int(address, 16)] = "icall" if indirect else "call"
        elif name == "ret":
            what[int(address, 16)] = "return"
        elif name == "jmp":
            what[int(address, 16)] = "indirect" if indirect else "jump"
        elif name.startswith("j"):
            what[int(address, 16)] = "cond"
wanted = {"call": {"call", "icall"}, "return": {"return"}, "cond": {"cond"}, "indirect": {"icall", "indirect"},
          "call,return": {"call", "icall", "return"}, "any_ret,any_call,u": {"call", "icall", "return"}, "ind_jmp": {"indirect"},
          "stack": {"call", "icall"}, "any": {"call", "icall", "return", "cond", "jump", "indirect"}}[kind]
samples = entries = within = 0
for line in open(f"{kind}.txt"):
    if "-clock" not in line: # a copied stack, unwound
        continue
    samples += 1
    stack = [tuple(int(a, 16) for a in entry.split("/")[:2]) for entry in re.findall(r"0x\w+/0x\w+/\S*", line)]
    entries += len(stack)
    for source, target in stack:
        assert what.get(source, "elsewhere") in wanted | {"elsewhere"}, (kind, hex(source), what.get(source))
    # each of the program's calls is made by the function that the call before it went to; the loader and the
    # libraries, where a trace may begin, have longer functions and jump to others' ends
    if kind == "stack" and all(source in what for source, _ in stack):
        assert len(stack) <= 5, stack
        within += len(stack) > 1
        for inner, outer in zip(stack, stack[1:]):
            assert 0 <= inner[0] - outer[1] < 0x200, (hex(inner[0]), hex(outer[1]))
assert samples > 10, samples # 160 +- 13
assert kind != "stack" or within > 10, (within, samples)
assert kind in ("indirect", "ind_jmp") or entries > samples, (kind, samples, entries)
END
  done
done

"$softlbr" convert --binary calls --profile any.data --to gcov=any.gcov >out 2>err || fail "any: status $?"
status=0
"$softlbr" convert --binary calls --profile cond.data --to preagg=cond.preagg >out 2>err || status=$?
[ $status = 5 ] && grep -q 'only some kinds of branches' out err || fail "cond: status $status"
status=0
"$softlbr" convert --binary calls --profile stack.data --to preagg=stack.preagg >out 2>err || status=$?
[ $status = 4 ] && grep -q 'call stacks' err || fail "stack: status $status"
[ ! -e stack.preagg ] || fail "wrote an empty profile"
status=0
"$softlbr" record --branches=cond --aggregate dir -- ./calls 1 >out 2>err || status=$?
[ $status = 125 ] && grep -q -- '--aggregate' err || fail "with --aggregate: status $status"
for list in calls call,k stack,call; do
  status=0
  "$softlbr" record --branches=$list -- ./calls 1 >out 2>err || status=$?
  [ $status = 125 ] && grep -q 'is unknown, or can.t be with the words before it' err || fail "--branches=$list: status $status, $(cat err)"
done
