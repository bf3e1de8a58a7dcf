#!/bin/bash
# SPDX-License-Identifier: MIT
# collector.sh CPU BUILD PART [KERNEL]: softlbr record on AArch64, built in BUILD, on Debian's kernel (6.1) under QEMU. The
# part is paths, habits, programs or stress: collector_PART.sh runs in the guest, with collector_record.sh. For stress the
# guest has two processors, whose instructions QEMU does not count.
set -euo pipefail
. "$(dirname "$0")/../prelude.sh"
cpu=$1 build=$2 part=$3 kernel=${4:-6.1}
guest=$("$here/packages.sh")
"$here/build.sh" "$build" softlbr softlbr-full softlbr-collector >"$work/err" 2>&1 || fail "the build for AArch64"
compile() {
  "$guest/bin/aarch64-linux-gnu-gcc" -O2 -Wall -Wextra -Werror -D_GNU_SOURCE "$@"
}
compile -no-pie -o "$work/cycle" "$here/cycle.c"
compile -static -o "$work/cycle_branches" "$here/cycle_branches.c"
compile -funwind-tables -fno-plt -pthread -o "$work/habits" "$here/habits.c"
compile -o "$work/in_kernel" "$here/../live/in_kernel.c"
begin=$("$guest/bin/aarch64-linux-gnu-nm" "$work/cycle" | awk '$3 == "cycle_begin" {print $1}')
{
  echo "begin=$begin cpu=$cpu"
  cat "$here/collector_record.sh" "$here/collector_$part.sh"
} >"$work/script"
machine=--icount
[ $part != stress ] || machine=--smp=2
"$here/run.sh" $machine --kernel=$kernel --limit=800 "$cpu" "$work/script" "$build"/softlbr "$build"/softlbr-full \
  "$build"/libsoftlbr-collector.so.0 "$work"/{cycle,cycle_branches,habits,in_kernel} "$here"/collector_{cycle,figures}.py
