#!/bin/sh
# SPDX-License-Identifier: MIT
# short_lives.sh SOFTLBR: of threads and processes that live for less than the time between two samples, each moment is
# as likely to be sampled, the first and the last ones too.
set -eu
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"

needs_recording_inside
cd "$work"
${CC:-cc} -D_GNU_SOURCE -O2 -g -pthread "$here/short_lives.c" -o short_lives

# shares PROGRAM_ARGUMENTS OPTION: $early and $late, the shares of the first five tenths and of the last two, in percent
shares() {
  # shellcheck disable=SC2086
  "$softlbr" record -q -e task-clock -o data "$2" -- ./short_lives $1 2>err || fail "record $2"
  "$softlbr" report --group=symbol --csv data >csv 2>err || fail "report"
  # shellcheck disable=SC2046
  set -- $(awk -F, '$1 == "branches" && $6 ~ /^tenth[0-9]$/ {
    all += $2
    if ($6 ~ /[0-4]/) early += $2
    if ($6 ~ /[89]/) late += $2
  } END { printf "%d %d", early * 100 / all, late * 100 / all }' csv)
  early=$1 late=$2
}

# 50 +- 2 and 17 +- 1.5; the late ones were 6 where a trace was lost whose rate was being measured when its thread ended
shares "thread 10000 15000" --outside=never
[ "$late" -ge 10 ] || fail "threads: the last fifth has $late %"
[ "$early" -ge 37 ] && [ "$early" -le 63 ] || fail "threads: the first half has $early %"
outside=--outside=always
can_attach || outside=
for options in --outside=never $outside; do
  shares "fork 150 700000" $options
  [ "$late" -ge 9 ] || fail "processes $options: the last fifth has $late %"
  [ "$early" -ge 35 ] && [ "$early" -le 65 ] || fail "processes $options: the first half has $early %"
done

# Libraries are mapped when a process has begun: from outside, too, the one sample of a process is in them. Most
# of the branches: some are in ld.so. 83 +- 7; 0 to 5 where mappings were looked up only after 10 ms.
[ -n "$outside" ] || skip_part "programs can't be traced here"
if [ -n "$outside" ]; then
  cat >worker.c <<'END'
unsigned worker(unsigned n)
{
	unsigned sum = 0;

	while (n--)
		sum = sum % 3 ? sum + n : sum ^ n;
	return sum;
}
END
  echo 'unsigned worker(unsigned n); int main(void) { return worker(3000000) == 1; }' >brief.c
  ${CC:-cc} -O1 -g -shared -fPIC worker.c -o libworker.so
  ${CC:-cc} -O1 -g brief.c -L. -lworker -Wl,-rpath,"$work" -o brief
  "$softlbr" record -q -e task-clock -o data $outside -- sh -c 'for i in $(seq 120); do ./brief; done' 2>err ||
    fail "record brief"
  "$softlbr" show data >facts || fail "show"
  share=$(awk '/libworker.so$/ { print int($2); exit }' facts)
  [ "${share:-0}" -ge 50 ] || fail "${share:-0} % of the branches are in the library that all time is spent in"
fi
echo "PASS"
