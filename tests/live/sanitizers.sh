#!/bin/bash
# SPDX-License-Identifier: MIT
# sanitizers.sh SOFTLBR: programs that gcc and clang build with AddressSanitizer, ThreadSanitizer and
# UndefinedBehaviorSanitizer are recorded, and run as without softlbr.
set -euo pipefail
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs_recording
tested=
for compiler in gcc $(each clang 16); do
  for sanitizer in address thread undefined; do
    $compiler -O1 -g -fsanitize=$sanitizer -pthread "$here/sanitizers.c" -o program 2>log && ./program >expected 2>log || {
      skip_part "$compiler, $sanitizer: $(tail -n 1 log)"
      continue
    }
    timeout 300 "$softlbr" record -c 1ms --timer-correction=off -o data -- ./program >got 2>err ||
      fail "$compiler, $sanitizer: status $?: $(cat got err)"
    cmp got expected || fail "$compiler, $sanitizer: other output: $(cat err)"
    # 240 +- 16
    [ "$(perf script -i data -F ip,sym 2>perf.err | grep -c ' work$')" -gt 20 ] ||
      fail "$compiler, $sanitizer: few samples: $(cat err)"
    # as a child it is entered, or left alone where its runtime would not have that
    timeout 300 "$softlbr" record -q -c 1ms --timer-correction=off -o data -- sh -c './program; true' >got 2>err ||
      fail "$compiler, $sanitizer, as a child: status $?: $(cat got err)"
    cmp got expected || fail "$compiler, $sanitizer, as a child: other output: $(cat err)"
    # then nothing was recorded, which is said
    ! grep -v '^softlbr: nothing was recorded: data is left as it was$' err ||
      fail "$compiler, $sanitizer, as a child: it says more"
    tested="$tested $compiler,$sanitizer"
  done
done
[ -n "$tested" ] || skip "no compiler with a sanitizer that works here"
echo "tested:$tested"
echo "PASS"
