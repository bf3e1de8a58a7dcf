#!/bin/bash
# SPDX-License-Identifier: MIT
# instructions_aarch64.sh [ENCODINGS [INPUTS]]: evaluation of AArch64's instructions is what qemu-user does: nothing
# comes out wrong, whatever is known before. instructions_aarch64.c has how.
set -euo pipefail
. "$(dirname "$0")/../prelude.sh"
needs qemu-aarch64
guest=$("$root/tests/guest/packages.sh") || exit $?

flags="-std=gnu11 -O2 -ffp-contract=off -fno-math-errno -static"
cd "$root"
sources=$(find isa/aarch64 -name '*.c' ! -name jump_table.c)
"$guest/bin/aarch64-linux-gnu-gcc" $flags -I. -o "$work/instructions" tests/live/instruction{s,_classes}_aarch64.c \
  isa/shadow.c isa/spins.c $sources -lm
qemu-aarch64 -cpu max,pauth-impdef=on "$work/instructions" "${1:-100000}" "${2:-32}"
