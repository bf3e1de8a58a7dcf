#!/bin/bash
# SPDX-License-Identifier: MIT
# softlbr report against perf's own views of the same file: perf report -b, --total-cycles and --branch-history, and
# perf script -F brstackinsn. docs/report.md says what is different by what the two are.
# usage: perf_views.sh SOFTLBR own|shared
set -eu
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
needs python3 perf nm addr2line readelf objdump
data=${SOFTLBR_SHARED:-}/data
export SOFTLBR="$softlbr" PERF="${PERF:-perf}"

views() {
  python3 "$here/perf_views.py" "$@" 2>err || fail "$1 of $2"
}

# cycles RECORDING BINARY. perf 6.1 of Debian 12 reads freed memory as soon as blocks have symbols and cycles.
cycles() {
  views branches "$1"
  views blocks "$1" "$2" 1
  status=$( ("$PERF" report -i "$1" -b --total-cycles --stdio >/dev/null; echo $?) 2>err)
  if [ $status = 0 ]; then
    views totals "$1" "$2"
  else
    skip_part "$("$PERF" --version) report --total-cycles ends with status $status (6.12 does not)"
  fi
}

own() {
  needs_recording
  needs "${CC:=gcc}"
  $CC -O1 -g -no-pie -fno-if-conversion -fno-if-conversion2 -o decide "$here/decide.c"
  "$softlbr" record -q -c 50ms --timer-correction=off --depth 2048 -o long.data ./decide 2>err || fail "cannot record"
  views branches long.data
  views blocks long.data decide 4
  "$softlbr" record -q -c 20ms --timer-correction=off --depth 16 -o short.data ./decide 2>err || fail "cannot record"
  views history short.data decide

  # Synthetic: the same stacks as of hardware that counts cycles and mispredictions.
  "$PERF" script -i short.data -F brstack 2>err | awk '{
    for (i = 1; i <= NF; i++) {
      n++
      sub("/-/-/-/0/[A-Z_]*(/-)?$", (n % 7 ? "/P" : "/M") "/-/-/" 1 + n * n % 40, $i)
    }
    print
  }' >text
  python3 "$here/../cases/recording.py" decide cycles.data --stacks text
  cycles cycles.data decide
}

shared() {
  lbr=$data/hardware-lbr/gzip_westmere
  [ -r "$lbr/test.lbr" ] || skip "SOFTLBR_SHARED names no folder with $data"
  mkdir -p sys/export/hda3/tmp
  cp "$lbr/test.binary" sys/export/hda3/tmp
  views branches "$lbr/test.lbr" sys "$lbr/test.binary"
  views blocks "$lbr/test.lbr" "$lbr/test.binary" 25 sys
  cp "$data/profgen/cmov_3.perfbin" "$data/profgen/cmov_3.perfscript" .
  python3 "$here/../cases/recording.py" cmov_3.perfbin cycles.data --stacks cmov_3.perfscript
  cycles cycles.data cmov_3.perfbin
}

cd "$work"
"$2"
