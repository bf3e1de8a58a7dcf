#!/bin/bash
# SPDX-License-Identifier: MIT
# convert.sh SOFTLBR BUILD: three programs are recorded on AArch64 (neoverse-n1, softlbr built in BUILD), where time is
# instructions, and converted here by SOFTLBR. Taken branches, gcov, fdata and LLVM's profile of two of them have at
# least 95 % in common with exact counts of the same runs by QEMU's user mode (tests/oracles/qemu_edges.c). Without the
# traces' weights (raw) they have less; that is printed. llvm-bolt finds nothing stale in fdata, and gcc makes a program
# that runs fewer instructions of gcov.
set -euo pipefail
. "$(dirname "$0")/../prelude.sh"
profdata=$(newest llvm-profdata) bolt=$(newest llvm-bolt)
needs qemu-aarch64 gcc "$profdata" "$(newest llvm-symbolizer)"
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
# each for 40 to 70 s: a trace costs 2 ms, and there are to be some hundred
runs=("cycle 320000" "interpreter training.asm 200" "stack_machine 9000000")
for run in "${runs[@]}"; do
  echo "./softlbr record -e task-clock --depth=512 --stack=512 -c 1ms --timer-correction=model -o out/${run%% *}.data \
    -- ./$run >/dev/null || exit 1"
done >script
"$here/run.sh" --icount --limit=800 --out=out neoverse-n1 script "$build"/softlbr "$build"/softlbr-full \
  "$build"/libsoftlbr-collector.so.0 cycle interpreter stack_machine training.asm || fail "recording"

# least NAME PERCENT: printed, and 95 or more
least() {
  echo "$1: $2 %"
  awk -v x="$2" 'BEGIN {exit !(x >= 95)}' || fail "$1: $2 % in common with exact counts"
}
# line A B: source lines in common
line() {
  "$softlbr" diff --no-confidence --level=line "$@" | awk '$1 == "line" {print $2 + 0}'
}
# bolt NAME: llvm-bolt takes all of NAME.fdata
bolt() {
  command -v "$bolt" >/dev/null || {
    skip_part "$bolt is not installed"
    return
  }
  "$bolt" $1 -o $1.bolt -data=$1.fdata -reorder-blocks=ext-tsp -split-functions -stale-threshold=0 -report-stale \
    >err 2>&1 || fail "llvm-bolt refuses $1.fdata"
  ! grep 'invalid (possibly stale)' err || fail "llvm-bolt: $1.fdata is stale"
  sed -nE "s/.*INFO: ([0-9]+) out of .* non-empty execution profile/$1, llvm-bolt: \1 functions, none stale/p" err
}
for run in "${runs[@]}"; do
  name=${run%% *}
  qemu-aarch64 -L "$guest/sysroot" -plugin ./qemu_edges.so,out=$name.edges ./$run >/dev/null || fail "$name under QEMU"
  "$oracles/exact_ranges.py" $name.edges $name $name.exact
  "$softlbr" convert -b $name -p out/$name.data -t preagg=$name.preagg -t gcov=$name.gcov -t fdata=$name.fdata \
    -t llvm-extbinary=$name.extbinary 2>err || fail "convert $name"
  "$softlbr" convert -b $name -p $name.exact --frequencies=raw -t gcov=exact.gcov -t fdata=exact.fdata 2>err ||
    fail "convert exact counts of $name"
  least "$name, taken branches" "$("$oracles/overlap.py" $name.preagg $name.edges)"
  "$softlbr" convert -b $name -p out/$name.data --frequencies=raw -t preagg=raw.preagg 2>err ||
    fail "convert $name without weights"
  echo "$name, taken branches without weights: $("$oracles/overlap.py" raw.preagg $name.edges) %"
  least "$name, gcov" "$(line -b $name $name.gcov exact.gcov)"
  least "$name, fdata" \
    "$("$softlbr" diff --no-confidence -b $name $name.fdata exact.fdata | awk '$1 == "edge" {print $2 + 0}')"
  bolt $name
  # names of clones (.constprop) differ between the oracle's profile and ours: stack_machine has one
  [ $name != stack_machine ] || continue
  LLVM_SYMBOLIZER=$(newest llvm-symbolizer) "$oracles/source_counts.py" --plain-discriminators $name.edges $name exact.text
  "$profdata" merge --sample --text $name.extbinary -o $name.text || fail "LLVM does not read $name's profile"
  least "$name, llvm-extbinary" "$(line $name.text exact.text)"
done

# count NAME OPTION...: $instructions that examples/interpreter executes, libc's included, when it is built so
count() {
  local name=$1
  shift
  compile $name -static "$@" "$root"/examples/interpreter/*.c
  qemu-aarch64 -plugin ./qemu_edges.so,out=$name.edges ./$name training.asm 4 >$name.out || fail "$name under QEMU"
  instructions=$(awk '$1 == "I" {n += $3} END {printf "%.0f\n", n}' $name.edges)
}
count plain
plain=$instructions
count optimized -fauto-profile=interpreter.gcov
cmp plain.out optimized.out || fail "other output by the profile"
echo "interpreter, instructions: $plain by gcc 12, $instructions with the profile"
[ "$instructions" -lt "$plain" ] || fail "the profile gains nothing"
