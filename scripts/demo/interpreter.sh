# SPDX-License-Identifier: MIT
# What the demo must know about the bundled program. Sourced by scripts/demo.sh, which sets $root.
program_title="the bundled interpreter, examples/interpreter"
program_minutes="about 2 minutes"
train_scale=${DEMO_TRAIN_SCALE:-600}
count_arguments="'$root/examples/interpreter/evaluation.asm' 10"
time_arguments="'$root/examples/interpreter/evaluation.asm' 200"
count_input=/dev/null
time_input=/dev/null

program_prepare() {
  :
}

# program_build COMPILER FLAGS OUTPUT
program_build() {
  $1 $2 "$root"/examples/interpreter/*.c -o "$3"
}

# program_train COMMAND...: run the training workload with COMMAND, the program last
program_train() {
  "$@" "$root/examples/interpreter/training.asm" "$train_scale"
}
