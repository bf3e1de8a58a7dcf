#!/bin/sh
# SPDX-License-Identifier: MIT
# storm.sh SOFTLBR: the first samples of many processes and threads, at the shortest period: none comes before the
# handler of the last one can run, or the handler's stack fills up and the process dies.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs_recording_inside
${CC:-cc} -D_GNU_SOURCE -O2 -g -pthread "$here/storm.c" -o storm
ulimit -c 0
period=50us
if ! "$softlbr" record -e task-clock -c $period --timer-correction=off -o data -- true 2>err; then
  grep -q 'too short' err || fail "$period"
  period=500us
fi
# storm CORRECTION LEAST: with so many samples
storm() {
  timeout 300 "$softlbr" record -e task-clock -c $period --timer-correction=$1 -o data -- ./storm 300 >got 2>err ||
    fail "$period, $1: status $?: $(cat got)"
  [ "$(cat got)" = "0 of 300 failed" ] || fail "$period, $1: $(cat got)"
  samples=$(sed -n 's/.*: \([0-9]*\) samples*.*/\1/p' err)
  [ "${samples:-0}" -ge "$2" ] || fail "$period, $1: only ${samples:-no} samples"
}
storm off 100 # 9,100 +- 95, a tenth of that at 500 us
storm auto 1  # how many weights may cost here is for the machine to say
echo "PASS"
