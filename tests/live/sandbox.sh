#!/bin/sh
# SPDX-License-Identifier: MIT
# sandbox.sh SOFTLBR: what only reads and writes files gives up the rest, for root or where that is asked for.
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
needs gcc objdump python3
cases=$root/tests/cases
grep -q '^Seccomp:' /proc/self/status || skip "this kernel has no seccomp"
gcc -O1 -g -o "$work/loop" "$cases/loop.c" && cd "$work" && python3 "$cases/recording.py" loop loop.data || fail "no input"

# filter_of VALUE: what /proc says of a command that waits for its input
filter_of() {
  rm -f wait
  mkfifo wait
  SOFTLBR_SANDBOX=$1 "$softlbr" show - <wait >out 2>err &
  pid=$!
  exec 9>wait
  becomes grep -q softlbr-full "/proc/$pid/comm"
  within 2 grep -q '^Seccomp:.*2' "/proc/$pid/status" || :
  sed -n 's/^\(Seccomp\|NoNewPrivs\):\s*//p' "/proc/$pid/status" | tr '\n' ' '
  cat loop.data >&9
  exec 9>&-
  wait "$pid" || fail "show: $?"
}

case $(filter_of on) in
  "1 2 ") ;;
  "0 0 " | "1 0 ") skip "no filter can be set here" ;;
  *) fail "on: $(filter_of on)" ;;
esac
[ "$(filter_of off)" = "$(sed -n 's/^\(Seccomp\|NoNewPrivs\):\s*//p' /proc/self/status | tr '\n' ' ')" ] || fail "off: a filter"
if [ "$(id -u)" = 0 ]; then
  [ "$(filter_of '')" = "1 2 " ] || fail "root has no filter"
fi

# the same bytes, and none of the calls that are refused is made
for command in "show loop.data" "report loop.data --html=OUT" "convert -b loop -p loop.data --to fdata=OUT --force" \
  "check -b loop loop.data" "diff -b loop loop.data loop.data --html=OUT" "merge -b loop -o OUT --force loop.data"; do
  for value in on off; do
    rm -f "file-$value"
    SOFTLBR_SANDBOX=$value "$softlbr" $(echo "$command" | sed "s/OUT/file-$value/") >"out-$value" 2>&1 || [ $? = 5 ] || fail "$command"
    sed -i "s/file-$value/file/" "out-$value"
  done
  cmp out-on out-off || fail "$command: other output"
  [ ! -e file-on ] || cmp file-on file-off || fail "$command: another file"
done
