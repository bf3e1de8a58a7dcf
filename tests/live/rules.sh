#!/bin/bash
# SPDX-License-Identifier: MIT
# rules.sh SOFTLBR [OPTION OF RECORD]: recordings of a program by each clang, and by gcc 11 and 12, to source profiles, against an independent statement of
# the rules (tests/oracles/stack_counts.py and source_counts.py): equal in every line, count, call and head. The
# number of threads and the fields of perf script's text change nothing.
set -eu
softlbr=$(realpath "$1")
how=${2:-}
. "$(dirname "$0")/../prelude.sh"
needs perf
clangs=$(each clang 16) || skip "clang is not installed"
needs_recording
cd "$work"

# convert PROFILE OUTPUT...: as the recording has it
convert() {
  "$softlbr" convert --binary program --profile "$1" --frequencies=raw --smooth=none "${@:2}" 2>log || fail "$(cat log)"
}

# compared [--plain-discriminators] COMPILER OPTION...: record what it makes, and compare
compared() {
  local plain=
  [ "$1" != --plain-discriminators ] || { plain=$1; shift; }
  "$@" -O2 -g "$root"/examples/interpreter/*.c -o program
  "$softlbr" record $how -e task-clock -c 200us -n 16 --timer-correction=off -o data -- ./program "$root/examples/interpreter/training.asm" 60 \
    >out 2>log || fail "$(cat log)"
  convert data --to llvm-text=ours
  perf script -i data -F pid,ip,brstack --show-mmap-events >script 2>log
  python3 "$oracles/stack_counts.py" script program counts
  LLVM_SYMBOLIZER=${symbolizer:-$(newest llvm-symbolizer)} python3 "$oracles/source_counts.py" $plain counts program theirs
  echo "$1: $(python3 "$here/profile_lines.py" theirs ours 2>&1 | tee lines)"
  [ "$(wc -l <lines)" = 1 ] || fail "other lines than by the rules"
}

for clang in $clangs; do
  symbolizer=llvm-symbolizer${clang#clang}
  if command -v "$symbolizer" >/dev/null; then
    compared "$clang" -fdebug-info-for-profiling
  else
    skip_part "$symbolizer is not installed"
  fi
done
symbolizer=
for gcc in gcc-11 gcc-12; do
  if command -v $gcc >/dev/null; then compared --plain-discriminators $gcc; else skip_part "$gcc is not installed"; fi
done

# Threads count the same; they begin with a recording that is long enough.
"$softlbr" record $how -e task-clock -c 60us -n 16 --timer-correction=off -o data -- ./program "$root/examples/interpreter/training.asm" 200 \
  >out 2>log || fail "$(cat log)"
for threads in 1 2 8; do
  mkdir $threads
  convert data --threads $threads --to llvm-text=$threads/text --to gcov=$threads/gcov --to fdata=$threads/fdata \
    --to preagg=$threads/preagg
  diff -r 1 $threads || fail "the results differ with $threads threads"
done

# The text of perf script, whichever fields it is asked for, gives the same.
convert data --to preagg=of-file
for fields in ip,brstack pid,brstack pid,tid,brstack pid,ip,brstack comm,tid,time,event,ip,sym,dso,brstack \
  comm,pid,tid,time,event,ip,brstack; do
  perf script -i data -F $fields --show-mmap-events --show-task-events >script 2>log
  convert script --to preagg=of-text
  cmp of-text of-file || fail "perf script -F $fields gives another profile"
done
