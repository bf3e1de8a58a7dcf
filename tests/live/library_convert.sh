#!/bin/bash
# SPDX-License-Identifier: MIT
# library_convert.sh SOFTLBR BUILD_DIRECTORY: of a recording of a timer's traces the conversion library
# writes what the command writes, byte by byte: by default, and with the same settings.
set -euo pipefail
softlbr=$(realpath "$1")
build=$(realpath "$2")
. "$(dirname "$0")/../prelude.sh"
needs_recording
cd "$work"
${CC:-cc} -O2 -g -o interpreter "$root"/examples/interpreter/*.c
${CC:-cc} -std=c99 -Wall -Wextra -Werror -pedantic -I"$root/include" -o library_convert \
  "$here/library_convert.c" -L"$build" -lsoftlbr-profile -Wl,-rpath,"$build"
"$softlbr" record -e task-clock -c 500us -n 16 --timer-correction=off -o data -- ./interpreter \
  "$root/examples/interpreter/training.asm" 200 >/dev/null 2>err || fail "$(cat err)"

# convert DIRECTORY FREQUENCIES SMOOTH: by the command and by the library, and compare
formats="gcov llvm-text llvm-binary llvm-extbinary fdata preagg"
convert() {
  mkdir "$1" "$1-library"
  outputs=() options=()
  for format in $formats; do outputs+=(--to "$format=$1/$format"); done
  [ -z "$2" ] || options+=("--frequencies=$2")
  [ -z "$3" ] || options+=("--smooth=$3")
  "$softlbr" convert -v --binary interpreter --profile data "${options[@]}" "${outputs[@]}" 2>"$1/log" ||
    fail "convert $2 $3: $(cat "$1/log")"
  (cd "$1-library" && ../library_convert ../interpreter ../data "$2" "$3") || fail "the library: $2 $3"
  for format in $formats; do
    cmp "$1/$format" "$1-library/$format" || fail "$1: $format"
  done
}
convert default "" ""
convert raw raw none
convert chain chain mcf
convert reweight reweight auto
# the settings matter on this recording
grep -q ' 1  *biased: counts estimated' default/log || fail "not biased: $(cat default/log)"
! cmp -s default/preagg raw/preagg || fail "frequencies estimated are those recorded"
! cmp -s default/llvm-text raw/llvm-text || fail "smoothing changes nothing"
! cmp -s chain/preagg default/preagg || fail "--smooth=mcf changes nothing"
# and where profiles are added, each is added as it is written
"$softlbr" merge -w 2 default/llvm-text -o doubled || fail "merge"
cmp doubled default-library/doubled || fail "a profile added to itself"

echo "# what convert writes is what diff and check judge"
"$softlbr" diff --no-confidence -b interpreter data default/preagg --level edge --fail-under 1 >log ||
  fail "diff: $(cat log)"
! "$softlbr" diff --no-confidence -b interpreter data raw/preagg --level edge --fail-under 1 >log 2>&1 ||
  fail "diff of raw counts: $(cat log)"
"$softlbr" diff --no-confidence -b interpreter data raw/preagg --frequencies raw --level edge \
  --fail-under 1 >log || fail "diff --frequencies: $(cat log)"
for way in auto raw; do
  directory=${way/auto/default}
  "$softlbr" check -j -b interpreter data --frequencies $way >recording || [ $? = 5 ] || fail "check"
  "$softlbr" check -j -b interpreter $directory/preagg >counts || [ $? = 5 ] || fail "check"
  for figure in branches flow_gap call_gap zero_head no_line entry_residual; do
    # sorted: two functions may weigh the same but for what counts are rounded by
    a=$(grep "\"$figure\":" recording | sort) b=$(grep "\"$figure\":" counts | sort)
    [ "$a" = "$b" ] || fail "check --frequencies $way: $figure is $a and $b"
  done
done
echo "PASS"
