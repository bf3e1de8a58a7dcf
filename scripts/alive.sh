#!/bin/sh
# SPDX-License-Identifier: MIT
# alive.sh, read by other scripts: alive NAME COMMAND... runs a command that is silent for minutes, and says each half
# minute that it does, on the standard error that it finds when it is read.
exec 3>&2

alive() {
  alive_name=$1
  shift
  (
    trap 'kill $! 2>/dev/null; exit' TERM
    seconds=0
    while :; do
      sleep "${SOFTLBR_ALIVE:-30}" >/dev/null 2>&1 3>&- &
      wait $!
      seconds=$((seconds + ${SOFTLBR_ALIVE:-30}))
      echo "$alive_name: still at it after $seconds s" >&3
    done
  ) &
  alive_teller=$!
  alive_status=0
  ("$@") || alive_status=$?
  kill $alive_teller 2>/dev/null || :
  wait $alive_teller 2>/dev/null || :
  return $alive_status
}
