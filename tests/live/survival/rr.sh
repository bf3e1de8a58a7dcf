# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=hostile
needs="rr gcc"

title() {
  rr --version | sed -n '1s/.*version \([0-9.]*\).*/rr \1: a program of threads recorded, and replayed/p'
}

prepare() {
  gcc -O1 -g -pthread -o "$input/hazards" "$root"/tests/live/hazards/*.c
  # it counts branches with the processor's counters
  _RR_TRACE_DIR="$input/try" rr record -n true >"$input/said" 2>&1 || {
    tr '\n' ' ' <"$input/said"
    return 75
  }
}

run() {
  export _RR_TRACE_DIR="$PWD/traces"
  "$@" rr record -n "$input/hazards" unmap || return
  "$@" rr replay -a || return
}
