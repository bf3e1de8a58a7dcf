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

# 50 +- 2.9 and 20 +- 2.3; the late ones were 6 where a trace was lost whose rate was being measured when its thread ended
shares "thread 4000 15000" --outside=never
[ "$late" -ge 10 ] || fail "threads: the last fifth has $late %"
[ "$early" -ge 37 ] && [ "$early" -le 63 ] || fail "threads: the first half has $early %"
outside=--outside=always
can_attach || outside=
for options in --outside=never $outside; do
  shares "fork 150 700000" $options
  [ "$late" -ge 9 ] || fail "processes $options: the last fifth has $late %"
  [ "$early" -ge 35 ] && [ "$early" -le 65 ] || fail "processes $options: the first half has $early %"
done
echo "PASS"
