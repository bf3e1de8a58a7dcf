#!/bin/bash
# SPDX-License-Identifier: MIT
# many.sh SOFTLBR: 400 threads at once: each is sampled, nothing is dropped, and the memory per thread is
# what docs/tracing.md says.
set -euo pipefail
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs_recording
${CC:-cc} -O2 -g -pthread "$here/many.c" -o many
rounds=500000000
./many 400 $rounds >expected 2>plain
"$softlbr" record -e task-clock -c 500us --timer-correction=off --stats stats.json -o data -- ./many 400 $rounds >got 2>err ||
  fail "status $?: $(cat err)"
cmp got expected || fail "other output"
perf script -i data -F tid 2>perf.err | sort | uniq -c >threads
# each thread has 4 ms: 8 +- 3 samples, the first after 750 us at most
[ "$(wc -l <threads)" -gt 390 ] || fail "samples of $(wc -l <threads) threads only"
python3 - <<'END'
import json, re
counters = json.load(open("stats.json"))["counters"]
assert counters["threads"] == 401 and counters["threads_failed"] == 0, counters
assert counters["dropped"] == 0, counters
plain, recorded = ([int(kb) for kb in re.search(r"memory (\d+) KB, shared (\d+) KB", open(name).read()).groups()]
                   for name in ("plain", "err"))
own, shared = recorded[0] - plain[0], recorded[1] - plain[1]
print("per thread: %.1f KB, and %.1f KB of buffers" % (own / 400, shared / 400))
assert own < 400 * 16 and shared < 400 * 40, (plain, recorded)
END
echo "PASS"
