#!/bin/bash
# SPDX-License-Identifier: MIT
# lockstep.sh LOCKSTEP CPU programs|flags: look-ahead of AArch64 beside single steps under QEMU's user mode, each register
# after each step (lockstep.c): nothing is wrong. Either eight of Debian's programs, 40 traces of each (200 where 40 are
# too few to tell), of which 95 % need no stop, and 97 % of all (Cortex-A72: 95 %). Or six small programs, each compiled in four ways.
set -euo pipefail
. "$(dirname "$0")/../prelude.sh"
. "$root/tests/live/workloads.sh"
needs qemu-aarch64 debugfs
lockstep=$1 cpu=$2 what=$3
case $cpu in # as QEMU has it
  max*) zero_block=7 ;;
  *) zero_block=4 ;;
esac
guest=$("$here/packages.sh")
dir=$work

# beside ROOT OPTION... NAME PROGRAM...: prints and adds to `all` what lockstep says
beside() {
  local root=$1 options=() name
  shift
  while [[ $1 == --* ]]; do
    options+=("$1")
    shift
  done
  name=$1
  shift
  "$lockstep" --zero-block=$zero_block "${options[@]}" "$name" qemu-aarch64 -g "$work/socket" -cpu "$cpu" -L "$root" "$@" | tee -a "$work/all" ||
    fail "$name on $cpu"
}

programs() {
  local program name least
  mkdir "$work/root"
  debugfs -R "rdump /usr $work/root" "$guest/root.img" >/dev/null 2>&1
  ln -s usr/lib "$work/root/lib"
  for program in gzip bzip2 lua5.4 perl python3 sqlite3 bash cc1; do
    name=$program command=
    case $program in
      bash) command="bash -c 'while :; do s=0; for i in {1..300}; do s=\$((s + i % 7)); t=\${s//1/x}; done; done'" ;;
      cc1)
        c_source
        command="../lib/gcc/aarch64-linux-gnu/12/cc1 -quiet -O2 -o /dev/null $dir/work.c"
        ;;
      *)
        set +o pipefail # what it reads from is longer than what it takes
        workload $program 2>/dev/null
        set -o pipefail
        ;;
    esac
    eval "set -- ${command#/usr/bin/}"
    beside "$work/root" --traces=40 --free=95 "$name" "$work/root/usr/bin/$@"
  done
  least=97
  [ $cpu != cortex-a72 ] || least=95
  awk -v least=$least '/ traces of / {traces += $2; free += $7}
    END {print "all: " traces " traces, " free " without a stop"; exit free < traces * least / 100}' "$work/all" ||
    fail "more than $((100 - least)) % need a stop"
}

flags() {
  local flag program words
  for flag in -march=armv8-a -march=armv8.2-a+lse -mno-outline-atomics -mbranch-protection=standard; do
    if [ $cpu = cortex-a72 ] && [[ $flag == *lse* ]]; then
      continue # it has none
    fi
    for program in tests/guest/cycle.c examples/interpreter tests/live/{stack_machine,chase,calls,decide}.c; do
      case $program in
        *.c) words=("$root/$program") ;;
        *) words=("$root/$program"/*.c) ;;
      esac
      "$guest/bin/aarch64-linux-gnu-gcc" -O2 $flag -o "$work/program" "${words[@]}" || fail "$program $flag"
      words=(100000000)
      [ $program != examples/interpreter ] || words=("$root/$program/training.asm" 1000000)
      beside "$guest/sysroot" --traces=20 "$program $flag" "$work/program" "${words[@]}"
    done
  done
}

$what
