#!/bin/bash
# SPDX-License-Identifier: MIT
# convert.sh SOFTLBR BUILD: three programs are recorded on AArch64 (neoverse-n1, softlbr built in BUILD), where time is
# instructions, and converted here by SOFTLBR. Taken branches, gcov, fdata and LLVM's profile of two of them have at
# least 95 % in common with exact counts of the same runs by QEMU's user mode (tests/oracles/qemu_edges.c). Those of
# stack_machine are only printed: they scatter, and traces have no weights here.
set -euo pipefail
. "$(dirname "$0")/../prelude.sh"
needs qemu-aarch64 gcc llvm-profdata-16 llvm-symbolizer-16
softlbr=$1 build=$2
guest=$("$here/packages.sh")
"$here/build.sh" "$build" softlbr softlbr-full softlbr-collector >"$work/err" 2>&1 || fail "the build for AArch64"
export OBJDUMP=$guest/bin/aarch64-linux-gnu-objdump
cd "$work"
compile() {
  "$guest/bin/aarch64-linux-gnu-gcc" -O2 -g -Wl,-q -o "$@"
}
compile cycle "$here/cycle.c"
compile interpreter "$root"/examples/interpreter/*.c
compile stack_machine "$root/tests/live/stack_machine.c"
gcc -O2 -shared -fPIC -fvisibility=hidden -o qemu_edges.so "$oracles/qemu_edges.c"
cp "$root/examples/interpreter/training.asm" .
cat >script <<'END2'
for program in "cycle 2000" "interpreter training.asm 8" "stack_machine 100000"; do
  ./softlbr record -e task-clock --depth=256 --stack=256 -c 1ms -o out/${program%% *}.data -- ./$program >/dev/null ||
    exit 1
done
END2
"$here/run.sh" --icount --limit=800 --out=out neoverse-n1 script "$build"/softlbr "$build"/softlbr-full \
  "$build"/libsoftlbr-collector.so.0 cycle interpreter stack_machine training.asm || fail "recording"

# least NAME PERCENT: printed, and $bar or more
least() {
  echo "$1: $2 %"
  awk -v x="$2" -v bar="$bar" 'BEGIN {exit !(x >= bar)}' || fail "$1: $2 % in common with exact counts"
}
# line A B: source lines in common
line() {
  "$softlbr" diff --no-confidence --level=line "$@" | awk '$1 == "line" {print $2 + 0}'
}
for program in "cycle 2000" "interpreter training.asm 8" "stack_machine 100000"; do
  name=${program%% *} bar=95
  [ $name != stack_machine ] || bar=0
  qemu-aarch64 -L "$guest/sysroot" -plugin ./qemu_edges.so,out=$name.edges ./$program >/dev/null || fail "$name under QEMU"
  "$oracles/exact_ranges.py" $name.edges $name $name.exact
  "$softlbr" convert -b $name -p out/$name.data -t preagg=$name.preagg -t gcov=$name.gcov -t fdata=$name.fdata \
    -t llvm-extbinary=$name.extbinary 2>err || fail "convert $name"
  "$softlbr" convert -b $name -p $name.exact --frequencies=raw -t gcov=exact.gcov -t fdata=exact.fdata 2>err ||
    fail "convert exact counts of $name"
  least "$name, taken branches" "$("$oracles/overlap.py" $name.preagg $name.edges)"
  least "$name, gcov" "$(line -b $name $name.gcov exact.gcov)"
  least "$name, fdata" "$("$softlbr" diff --no-confidence -b $name $name.fdata exact.fdata | awk '$1 == "edge" {print $2 + 0}')"
  # names of clones (.constprop) differ between the oracle's profile and ours: stack_machine has one
  [ $name != stack_machine ] || continue
  "$oracles/source_counts.py" --plain-discriminators $name.edges $name exact.text
  llvm-profdata-16 merge --sample --text $name.extbinary -o $name.text || fail "LLVM does not read $name's profile"
  least "$name, llvm-extbinary" "$(line $name.text exact.text)"
done
