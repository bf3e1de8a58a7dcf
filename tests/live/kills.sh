#!/bin/sh
# SPDX-License-Identifier: MIT
# kills.sh SOFTLBR RUNS: signals end commands at any moment (kills.py).
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
needs gcc python3
cd "$work"
in=$work cases=$root/tests/cases
export in cases
bash -e "$cases/inputs.sh" >err 2>&1 || fail "no inputs"
"$softlbr" gcc-keys -o keys --root="$work" -- gcc -O1 -g -fno-if-conversion -o keyed "$cases/loop.c" 2>err || fail "no keys"
${CC:-cc} -O2 -g -pthread -o kills "$here/kills.c" && ${CC:-cc} -O2 -o kills_at "$here/kills_at.c" ||
  fail "no program"
./kills_at 15 0 true >err || skip "nothing can be traced here"
ways=
if "$softlbr" doctor --json 2>/dev/null | grep -q '"way": *"in-process"'; then
  ways=inside
else
  skip_part "this machine cannot record in-process"
fi
if can_attach; then
  ways="$ways outside attached"
else
  skip_part "$(cat err)"
fi
rm -f err
python3 "$here/kills.py" "$softlbr" "$work" "$2" $ways || fail "ended by signals"
