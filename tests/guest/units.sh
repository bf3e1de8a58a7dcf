#!/bin/bash
# SPDX-License-Identifier: MIT
# units.sh BUILD_DIRECTORY: softlbr's converter, built for AArch64 there, passes its unit tests on that CPU: those that
# need no other tools, under QEMU's user mode.
set -euo pipefail
. "$(dirname "$0")/../prelude.sh"
needs qemu-aarch64 cmake ninja
guest=$("$here/packages.sh")
tests="aggregate base branch_sums callgrind circulation compress demangle distribution equivalence fdata
  file_growing file_guard frequencies gcc_dump gcda ip_runs json library perfdata preagg step_counter"
"$here/build.sh" "$1" $(printf 'unit-%s ' $tests) >"$work/err" 2>&1 || fail "the build for AArch64"
cd "$root"
passed=0
for test in $tests; do
  qemu-aarch64 -L "$guest/sysroot" "$1/tests/unit-$test" >"$work/err" 2>&1 || fail "unit-$test on AArch64"
  passed=$((passed + $(grep -c '       OK ' "$work/err")))
done
[ $passed -gt 100 ] || fail "only $passed tests ran"
echo "$(echo $tests | wc -w) files of unit tests pass on AArch64: $passed tests"
