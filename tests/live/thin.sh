#!/bin/sh
# SPDX-License-Identifier: MIT
# thin.sh SOFTLBR: where samples stand for little of a program's time, record says how little, and why.
set -eu
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"

needs_recording_inside
cd "$work"
${CC:-cc} -D_GNU_SOURCE -O2 -g "$here/thin.c" -o thin

# thin WORDS COMMAND...: it is said, with these words
thin() {
  words=$1
  shift
  "$softlbr" record -o data -- "$@" >out 2>err || fail "$*"
  grep -q "^softlbr: warning: samples stand for 0\.[0-9]* s of [0-9.]* s in user code: $words" err || fail "$*"
}

# of a second, all but a hundredth; with nothing of the kind, a quarter is far away
"$softlbr" record -o data -- ./thin open >out 2>err || fail "record"
! grep -q 'samples stand for' err || fail "a program that is sampled is called thin"
"$softlbr" record -v -o data -- ./thin open >out 2>err || fail "record -v"
share=$(sed -n 's/^softlbr:   the samples stand for \([0-9]*\) %.*/\1/p' err)
[ "$share" -ge 50 ] || fail "the samples of a second stand for ${share:-no} % of it"
thin 'the program blocks SIGTRAP' ./thin blocked
thin 'the rest is of programs that are not recorded (above)' env -i ./thin open
thin 'the rest is of programs that are not recorded (above)' env LD_PRELOAD= ./thin open
thin 'the rest is of processes that the collector is not in' ./thin fork
thin 'the rest is of processes that the collector is not in' ./thin clone
thin 'the rest is of processes that the collector is not in' ./thin vfork
if [ "$(uname -m)" = x86_64 ] && has_breakpoints; then
  thin '[0-9]* of [0-9]* samples came inside of a long trace' ./thin fill
else
  skip_part "no breakpoints to follow long instructions by"
fi
# where the session is out of reach
if unshare -m true 2>log; then
  # an exec that is asked about finds no session: another user's, or none
  thin 'the rest is of p' unshare -m sh -c 'mount -t tmpfs none /dev/shm; exec ./thin open'
else
  skip_part "no mount namespaces: $(cat log)"
fi
if bwrap --bind / / --dev /dev true 2>log; then
  thin 'the rest is of p' bwrap --bind / / --dev /dev ./thin open
else
  skip_part "no bwrap: $(tail -n 1 log)"
fi
echo "PASS"
