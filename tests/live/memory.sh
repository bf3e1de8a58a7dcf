#!/bin/sh
# SPDX-License-Identifier: MIT
# memory.sh SOFTLBR SCALE: memory is by what was sampled, not by how many processes or mappings there were (memory.py).
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
needs gcc objdump python3
python3 "$here/memory.py" "$softlbr" "$root/tests/cases/loop.c" "$work" "$2" || fail "too much memory, or time"
