#!/bin/sh
# SPDX-License-Identifier: MIT
# starts.sh SOFTLBR: threads and children that have no clock or no file at first are sampled by their time all the same.
set -eu
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"

needs_recording_inside
needs python3
cd "$work"
${CC:-cc} -D_GNU_SOURCE -O2 -g -pthread "$here/starts.c" -o starts

# shares ARGUMENTS: the branches of $lone, $brief and $steady
shares() {
  "$softlbr" record -q -e task-clock -c 2ms --timer-correction=off --outside=never --stats=stats -o data -- \
    ./starts "$@" 2>err || fail "record $*"
  "$softlbr" report --group=symbol --csv data >csv 2>err || fail "report $*"
  for name in lone brief steady; do
    eval "$name=$(awk -F, -v name=$name '$1 == "branches" && $6 == name { print int($2); exit }' csv)"
  done
}
counted() {
  sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p" stats
}

# Each interval is 3 ms at most, and the thread takes 60, alone: it has samples, whatever chance does.
for how in lone bursts; do
  shares $how
  [ "${lone:-0}" -gt 0 ] || fail "$how: a thread of 60 ms has no sample"
done

# As much time in short threads as in the main one: the half, +- 1.5 % of 1,200 samples; chance stays within six of these.
shares thread 20000 20000
[ "$(counted threads_brief)" -ge 15000 ] || fail "$(counted threads_brief) of 20000 threads were short"
half=$((100 * brief / (brief + steady)))
[ $half -ge 40 ] && [ $half -le 60 ] || fail "short threads have $half % of what they and the main thread have in halves"
shares fork 1000 500000
[ "$(counted forks)" = 1000 ] || fail "$(counted forks) of 1000 children were met"
[ "$(counted forks_sampled)" -lt 1000 ] || fail "each child has a file"
half=$((100 * brief / (brief + steady)))
[ $half -ge 40 ] && [ $half -le 60 ] || fail "children have $half % of what they and their parent have in halves"

# Each end of a thread wakes who polls the rings of process events. Of all, and of what the recorder waits for, few do.
waits() {
  python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw)' "$@"
}
plain=$(waits ./starts thread 10000 100)
recorded=$(waits "$softlbr" record -q --outside=never -o data -- ./starts thread 10000 100)
[ "$recorded" -lt $((plain + 5000)) ] || fail "$recorded waits where $plain are the program's"
echo "PASS"
