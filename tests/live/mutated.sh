#!/bin/sh
# SPDX-License-Identifier: MIT
# mutated.sh SOFTLBR RUNS [JOBS]: whole commands on damaged inputs (mutated.py).
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
needs python3
python3 "$here/mutated.py" "$softlbr" "$root/tests/fuzz/corpus" "$work" 1 "$2" "${3:-1}" || fail "damaged inputs"
