#!/bin/bash
# SPDX-License-Identifier: MIT
# limits.sh SOFTLBR: how often look-ahead is wrong in programs made to mislead it (limits.c).
#
# Every trace is audited (--audit=1) at a period of 1 ms: the share that was wrong, the share that
# needed a breakpoint before its end, and late samples, per kind of program. docs/tracing.md says
# what to expect.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# = 1 ] || { sed -n '3,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
softlbr=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-gcc} -O2 -pthread -o "$work/limits" "$here/limits.c"
printf '%-8s %8s %8s %14s %8s\n' program audited wrong "no breakpoint" late
for kind in spin pause mutex alone protect rewrite syscall blocked; do
  "$softlbr" record -e task-clock -c 1ms --timer-correction=off --audit=1 --stats="$work/stats.json" -o "$work/perf.data" \
    -- "$work/limits" "$kind" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
  python3 - "$kind" "$work/stats.json" <<'END'
import json, sys
kind, file = sys.argv[1:]
stats = json.load(open(file))
counters = stats["counters"]
print("%-8s %8d %7.1f %% %12.1f %% %8d" % (
    kind, counters["audits"], 100 * counters["audits_wrong"] / max(counters["audits"], 1),
    100 * stats["figures"]["breakpoint_free_share"], counters["late"]))
END
done
