# SPDX-License-Identifier: MIT
# prelude.sh: what the test scripts share; sourced before any cd, and after softlbr=... where
# needs_recording is used.
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
oracles=$root/tests/oracles
work=$(mktemp -d)

# A script that leaves more behind than files (a program that runs, a mount) has its own.
undo() { :; }
trap 'undo; rm -rf "$work"' EXIT

fail() {
  echo "FAIL: $*"
  [ ! -e "$work/err" ] || cat "$work/err"
  exit 1
}

# The whole test could not run.
skip() {
  echo "SKIP: $*"
  exit 77
}

# A part of it could not, and it goes on: the summary of scripts/test.sh has this line.
skip_part() {
  echo "PARTLY SKIPPED: $*"
}

# figures KIND RUNS: an attack that found nothing (tests/live/figures.py)
figures() {
  line="attack: $1: $2 runs, 0 crashes, 0 hangs, 0 half-written, 0 statuses"
  echo "$line"
  [ -z "${SOFTLBR_FIGURES:-}" ] || echo "$line" >>"$SOFTLBR_FIGURES"
}

# within SECONDS COMMAND...: whether it comes to be true in that time
within() {
  tries=$(($1 * 20))
  shift
  until "$@" 2>/dev/null; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || return 1
    sleep 0.05
  done
}

# becomes COMMAND...: true within a minute
becomes() {
  within 60 "$@" || fail "never: $*"
}

# holds FILE BYTES: it has so many at least
holds() { [ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -ge "$2" ]; }

# needs TOOL...
needs() {
  for tool; do
    command -v "$tool" >/dev/null || skip "$tool is not installed"
  done
}

# newest TOOL: the newest that is here (clang-19), for `needs`
newest() { "$root/scripts/newest.sh" "$1" || echo "$1"; }

# each TOOL OLDEST: every version that is here from OLDEST on (llvm-bolt-19 llvm-bolt-16); false if none is
each() { "$root/scripts/newest.sh" --all "$2" "$1"; }

needs_recording() {
  "$softlbr" doctor >/dev/null 2>&1 || skip "this machine cannot record (softlbr doctor)"
}

needs_recording_inside() {
  "$softlbr" doctor --json 2>/dev/null | grep -q '"way": *"in-process"' ||
    skip "this machine cannot record in-process (softlbr doctor)"
}

# A hypervisor may let debug registers be set, and not stop at them.
has_breakpoints() {
  ! "$softlbr" doctor 2>/dev/null | grep -q '^bad  *breakpoints'
}

# can_attach: whether programs can be traced from outside; if not, err in the current directory says why
can_attach() {
  has_breakpoints || {
    echo "no breakpoint of this machine is ever hit (softlbr doctor)" >err
    return 1
  }
  ! "$softlbr" record --ptrace -o none -- true 2>err || return 0
  grep -q 'refuses to trace' err || fail "cannot attach"
  return 1
}
