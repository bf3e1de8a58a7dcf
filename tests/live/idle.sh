#!/bin/bash
# SPDX-License-Identifier: MIT
# idle.sh SOFTLBR: a program with the collector loaded and idle, or switched off in a recording, runs the
# instructions that it runs without, within 0.1 % of 2e9 and more, as valgrind counts them.
set -euo pipefail
softlbr=$(realpath "$1")
library=$(dirname "$softlbr")/libsoftlbr-collector.so
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs valgrind xz
needs_recording
${CC:-cc} -O2 -g "$root"/examples/interpreter/*.c -o interpreter
head -c 900000 "$softlbr" | od -An -tx1 -v >input

# count COMMAND...: its instructions; what it prints goes to the file output
count() {
  "$@" >output 2>said || fail "$*: status $?: $(tail -n 3 said)"
  sed -n 's/.*Collected : \([0-9]*\).*/\1/p' said
}
counted="valgrind --tool=callgrind --callgrind-out-file=/dev/null"

# apart A B: more than 0.1 %
apart() {
  awk "BEGIN { d = $1 - $2; exit !((d < 0 ? -d : d) > $2 / 1000) }"
}

# idle COMMAND...
idle() {
  alone=$(count $counted "$@")
  [ "$alone" -ge 2000000000 ] || fail "$*: only $alone instructions"
  cp output expected
  loaded=$(count env LD_PRELOAD="$library" $counted "$@")
  cmp output expected || fail "$*: other output"
  off=$(count "$softlbr" record -v --delay 1000m -o data -- $counted "$@")
  cmp output expected || fail "$*: other output when switched off"
  grep -q '^softlbr: .*: 0 samples' said && grep -q ' [1-9][0-9]* process' said || fail "not switched off: $(cat said)"
  echo "$1: $alone alone, $((loaded - alone)) more loaded, $((off - alone)) more switched off"
  [ "$loaded" != "$alone" ] && [ "$off" != "$loaded" ] || fail "$*: the collector is not there"
  ! apart "$loaded" "$alone" || fail "$*: loaded"
  ! apart "$off" "$alone" || fail "$*: switched off"
}
idle ./interpreter "$root/examples/interpreter/training.asm" 80
apart "$(count $counted ./interpreter "$root/examples/interpreter/training.asm" 81)" "$alone" ||
  fail "one round of 80 more is not seen"
idle xz -T1 -c input
echo "PASS"
