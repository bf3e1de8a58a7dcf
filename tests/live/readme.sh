#!/bin/sh
# SPDX-License-Identifier: MIT
# readme.sh BUILD_DIRECTORY [DIRECTORY]: every command of the README's tour works as it is written, but for the
# build (which is what ran this test) and the workload's scale. The README and what it names is DIRECTORY's, by default
# the tree's; BUILD_DIRECTORY has the program.
set -eu
build=$1
softlbr=$build/softlbr
. "$(dirname "$0")/../prelude.sh"
cd "${2:-$root}"
needs valgrind gcc make
needs_recording
ln -s "$build" "$work/build" # whose path may have spaces
export PATH="$build:$PATH" # an installed README has the program there
sed -n '/^## Five minutes/,/^Each step is/p' README.md | awk '/^```/ { in_code = !in_code; next } in_code' |
  grep -v '^scripts/build.sh' |
  sed "s,/tmp/,$work/,g; s,build/softlbr,$work/build/softlbr,g; s,training.asm 150,training.asm 50," >"$work/tour.sh"
[ "$(grep -c . "$work/tour.sh")" -ge 4 ]
sh -eux "$work/tour.sh"
collected() {
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1" examples/interpreter/evaluation.asm 10 2>&1 >/dev/null |
    sed -n 's/.*Collected : //p'
}
before=$(collected "$work/interpreter/.softlbr-pgo/before/1")
after=$(collected "$work/interpreter/interpreter")
[ "$after" -lt "$before" ] || fail "the profile of the README gains nothing: $before and $after instructions"
if [ -z "${2:-}" ]; then
  grep -q 'scripts/demo.sh' README.md
else
  ! grep -e scripts/ -e build/ -e '<!--' README.md || fail "an installed README names what is not installed"
  grep -o '](\([a-z][^)#:]*\)[)#]' README.md | tr -d '](#)' | sort -u | while read -r file; do
    [ -e "$file" ] || fail "an installed README names $file"
  done
fi
