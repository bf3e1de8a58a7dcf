#!/bin/sh
# SPDX-License-Identifier: MIT
# planned.sh SOFTLBR: what options of softlbr record come to (collector/plan), as --stats has it. All that a machine may
# be and all that may be asked of it is in unit/plan.c; here it is whether the options arrive.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
needs python3
needs_recording_inside
cd "$work"

# by time: -e task-clock, since another machine may count branches
failed=0
planned() {
  options=$1
  shift
  # shellcheck disable=SC2086
  "$softlbr" record -q -o recording --stats stats.json $options -- true 2>err || fail "record $options"
  python3 - "$@" 2>differs <<'END' || {
import json, sys
options = json.load(open("stats.json"))["options"]
wrong = [f"{word} is {options[word.split('=')[0]]}" for word in sys.argv[1:]
         if str(options[word.split("=")[0]]) != word.split("=")[1]]
sys.exit("; ".join(wrong) if wrong else 0)
END
    echo "FAIL: record $options: $(cat err differs)"
    failed=1
  }
}
time="-e task-clock"
correction=probe
[ "$(uname -m)" = x86_64 ] || correction=model
planned "$time" event=task-clock:u period=10000019 depth=2048 timer_correction=$correction audit=64 stack=127 buffers=128
planned "$time -c 20ms" period=20000000 depth=2048 timer_correction=$correction stack=127
planned "$time -F 1000" period=1000000 depth=2048 timer_correction=$correction
planned "$time -c 250us --timer-correction off" period=250000 depth=16 timer_correction=off stack=16
planned "$time -n 511" period=10000019 depth=511 timer_correction=$correction
planned "$time -n 512 -c 10ms" period=10000000 depth=512 timer_correction=$correction
planned "$time --timer-correction model -n 16" depth=16 timer_correction=model
planned "$time --timer-correction off" depth=16 timer_correction=off
planned "$time --lookahead static" period=80000152 depth=16 lookahead=static timer_correction=off
planned "$time --memory readv --audit 7 --stack 32 --buffers 9" memory=readv audit=7 stack=32 buffers=9 depth=2048
planned "$time --branches call --stack 64 -n 64" branches=call depth=64 stack=64
planned "$time --stack-copy 8" stack_copy=8192 depth=2048
planned "$time -n auto" depth_auto=True timer_correction=off
[ "$(uname -m)" != x86_64 ] || planned "$time --values=9 --times=8" values_most=9 times_most=8 timer_correction=probe
if can_attach; then
  planned "--ptrace" event=cpu-clock:u period=10000019 depth=2048 timer_correction=$correction
  planned "--outside=always $time -n 64" event=cpu-clock:u depth=64 timer_correction=$correction
else
  skip_part "nothing can be traced from outside here"
fi
exit $failed
