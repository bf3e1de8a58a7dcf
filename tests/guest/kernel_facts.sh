#!/bin/bash
# SPDX-License-Identifier: MIT
# kernel_facts.sh CPU [KERNEL]: what the collector takes for granted of Linux on AArch64, and what breakpoints cost there,
# shown by a program of its own (kernel_facts.c) on Debian's kernel under QEMU. Time there is instructions: with the
# host's, a sampled program makes no progress where the host is busy.
set -euo pipefail
. "$(dirname "$0")/../prelude.sh"
cpu=$1 kernel=${2:-6.1}
guest=$("$here/packages.sh")
"$guest/bin/aarch64-linux-gnu-gcc" -static -O2 -Wall -Wextra -Werror -D_GNU_SOURCE -o "$work/kernel_facts" \
  "$here/kernel_facts.c"
cat >"$work/script" <<'END'
uname -r
./kernel_facts && ./kernel_facts costs
END
"$here/run.sh" --icount --kernel="$kernel" "$cpu" "$work/script" "$work/kernel_facts"
