#!/bin/sh
# SPDX-License-Identifier: MIT
# stats.sh SOFTLBR: what `softlbr record --stats` says of a recording is so: perf(1) counts the samples
# and branches in it, the summary says the same, and times add up. Its audits judge how code that changes
# is followed.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
cd "$work"

needs_recording
needs perf
${CC:-cc} -O2 -g -pthread "$here/threads.c" -o threads

for mode in full static; do
  rc=0
  "$softlbr" record -e task-clock -c 1ms --timer-correction=off --audit 4 --lookahead $mode --stats $mode.json -- ./threads \
    >/dev/null 2>err || rc=$?
  [ $rc = 42 ] || fail "status $rc: $(cat err)"
  [ "$(wc -l <err)" -le 2 ] || fail "the summary is long: $(cat err)"
  perf script -i perf.data -F brstack 2>/dev/null | awk 'NF { n++; b += NF } END { print n, b }' >counted
  read -r traces branches <counted
  python3 - $mode "$traces" "$branches" <<'END' || fail "$mode: the account is wrong"
import json, re, sys
mode, traces, branches = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
stats = json.load(open(mode + ".json"))
c, f, t = stats["counters"], stats["figures"], stats["time"]
assert (stats["schema_version"], stats["command"], stats["options"]["lookahead"]) == (1, ["./threads"], mode)
assert (c["traces"], c["branches"]) == (traces, branches), (c, traces, branches)
said = [int(n) for n in re.search(r"(\d+) samples?, (\d+) taken", open("err").read()).groups()]
assert said == [traces, branches], said
assert c["resolved_static"] <= c["resolved_taken"] <= c["resolved"], c
assert c["unresolved_taken"] <= c["unresolved"] and c["unresolved_standing"] <= c["unresolved"], c
used = c["unresolved"] - c["unresolved_standing"] + c["skipped"] + c["audits"] + c["spurious"]
assert used <= c["hits"], (used, c)
assert 0 < f["taken_fraction"] < 1 and 0 <= f["static_fraction"] < 1, f
if mode == "static":
    assert c["resolved"] == c["resolved_static"] and c["audits"] == 0, c
    assert f["breakpoint_free_share"] < 0.5, f
    assert f["predicted_usefulness"] / 2 < f["usefulness"] < 2 * f["predicted_usefulness"], f
else:
    assert f["breakpoint_free_share"] > 0.5 and c["audits"] > 0, (f, c)
parts = [t[p + "_s"] for p in ("application", "breakpoints", "decoding", "evaluation", "sampling")]
assert all(p >= 0 for p in parts) and abs(sum(parts) - t["total_s"]) < 1e-4, t
assert t["handler_s"] > 0 and stats["calibration"]["sample_us"] > 1, stats
print(mode, {k: round(v, 3) for k, v in f.items() if v is not None})
END
done

echo "# what a fork's child is in the middle of was its parent's: each hit is counted once, and what it was for"
${CC:-cc} -O2 -g "$here/forks.c" -o forks
"$softlbr" record -e task-clock -c 200us --lookahead static --stats forks.json -- ./forks 2>err || fail "status $?: $(cat err)"
python3 -c "
import json
c = json.load(open('forks.json'))['counters']
used = c['unresolved'] - c['unresolved_standing'] + c['spurious']
print('%d hits, %d used' % (c['hits'], used))
# 96,000 +- 1,400 hits
assert c['hits'] == used > 10000 and c['resolved'] == c['resolved_static'], c" || fail "hits are counted wrong"

echo "# --depth=auto"
"$softlbr" record -v -e task-clock -c 1ms --depth auto --stats auto.json -- ./threads >/dev/null 2>err || true
depth=$(sed -n 's/.*(at most \([0-9]*\), by auto).*/\1/p' err)
[ "$depth" -ge 16 ] && [ "$depth" -le 1024 ] || fail "depth $depth: $(cat err)"
perf report -i perf.data --header-only 2>/dev/null | grep -q "depth=$depth (auto)" ||
  fail "the recording's header does not say depth=$depth (auto)"
python3 -c "
import json
o = json.load(open('auto.json'))['options']
assert o['depth'] == $depth and o['depth_auto'] is True, o" || fail "the account has another depth"
rc=0
"$softlbr" record --depth auto --lookahead static true 2>err || rc=$?
[ $rc = 125 ] && grep -q 'give a number' err || fail "auto without look-ahead: status $rc"

echo "# time of the kernel, whose interrupts wait until a system call returns, is not what comes behind it"
${CC:-cc} -O1 -g "$here/in_kernel.c" -o in_kernel
${CC:-cc} -O1 -g -static "$here/in_kernel.c" -o in_kernel-static # from outside
for program in in_kernel in_kernel-static; do
  "$softlbr" record -e task-clock -c 200us -n 16 --timer-correction=off --stats in_kernel.json -- ./$program 3000000 2>err || fail "status $?: $(cat err)"
  python3 -c "
import json
c = json.load(open('in_kernel.json'))['counters']
print('$program: %d traces, %d samples were the kernel\'s' % (c['traces'], c['in_kernel']))
# 1,300 +- 36 and 600 +- 24
assert c['traces'] > 100 and c['in_kernel'] > 20, c" || fail "$program: nothing was the kernel's"
  perf script -i perf.data -F sym,ip,symoff 2>/dev/null | awk '$2 == "behind+0x0"' >begun
  [ ! -s begun ] || fail "$program: $(wc -l <begun) traces begin where a system call returns"
  perf script -i perf.data -F ip,sym 2>/dev/null | grep -q . || fail "perf does not name what runs"
done

echo "# code that is written anew is decoded anew"
if [ "$(uname -m)" = x86_64 ]; then
  ${CC:-cc} -O1 -Wall "$here/rewrite.c" -o rewrite
  rc=0
  "$softlbr" record -e task-clock -c 2ms --timer-correction=off --audit 1 --stats rewrite.json -- ./rewrite 2>err || rc=$?
  [ $rc = 3 ] || fail "status $rc: $(cat err)"
  python3 -c "
import json
c = json.load(open('rewrite.json'))['counters']
# 240 +- 16, and none wrong
assert c['audits'] > 20 and c['audits_wrong'] * 100 <= c['audits'], c" || fail "stale code was evaluated"
fi

rc=0
"$softlbr" record --stats /nonexistent/x true 2>err || rc=$?
[ $rc = 125 ] && grep -q /nonexistent/x err || fail "no place to write: status $rc: $(cat err)"
echo PASS
