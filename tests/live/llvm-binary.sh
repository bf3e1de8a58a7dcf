#!/bin/bash
# SPDX-License-Identifier: MIT
# llvm-binary.sh SOFTLBR: LLVM's binary profiles are byte for byte what llvm-profdata makes of the
# text profile, and it finds the symbol list.
set -eu
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
needs valgrind
cd "$work"
${CC:-gcc} -O2 -g "$root"/examples/interpreter/*.c -o interpreter
valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --callgrind-out-file=exact \
  ./interpreter "$root/examples/interpreter/training.asm" 2 >log 2>&1
convert() {
  "$softlbr" convert --binary interpreter --profile exact "$@" 2>log || { cat log; exit 1; }
}
convert --to llvm-text=text --to llvm-binary=binary --to llvm-extbinary=extbinary
convert --to llvm-extbinary=md5 --llvm-md5
convert --to llvm-extbinary=compressed --llvm-compress
convert --to llvm-extbinary=symbols --llvm-symbols
tried=0
for profdata in llvm-profdata-16 $(newest llvm-profdata); do
  command -v $profdata >/dev/null || {
    skip_part "$profdata is not installed"
    continue
  }
  tried=$((tried + 1))
  $profdata merge --sample --text text -o peer.text
  $profdata merge --sample --binary text -o peer.binary
  $profdata merge --sample --extbinary text -o peer.extbinary
  $profdata merge --sample --extbinary --use-md5 text -o peer.md5
  $profdata merge --sample --extbinary --compress-all-sections text -o peer.compressed
  for form in text binary extbinary md5 compressed; do
    cmp $form peer.$form
  done
  $profdata show --sample --show-prof-sym-list symbols | grep -qx machine_run
done
[ $tried != 0 ] || skip "no llvm-profdata is installed"
echo "identical to those of $tried versions of llvm-profdata"
