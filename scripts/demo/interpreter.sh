# SPDX-License-Identifier: MIT
# What the demo must know about the bundled program. Sourced by scripts/demo.sh, which sets $root.
program_title="the bundled interpreter, examples/interpreter"
program_run='./interpreter training.asm 60'
program_test='./interpreter evaluation.asm 10'
# At least, in percent: fewer instructions by gcc and by clang; fewer taken branches by llvm-bolt.
program_floors="gcc 2 clang 5 bolt 15"

# program_prepare DIR: its sources are there, and nothing is built
program_prepare() {
  cp -r "$root/examples/interpreter" "$1"
  make -s -C "$1" clean
}
