#!/bin/sh
# SPDX-License-Identifier: MIT
# hardening.sh BUILD_DIRECTORY: what reads foreign bytes is built with what compilers have against overflows; what runs
# in signal handlers of other programs is not (CMakeLists.txt says why).
set -eu
build=$1
. "$(dirname "$0")/../prelude.sh"
needs readelf objdump

# imports FILE PATTERN
imports() { readelf --dyn-syms -W "$1" | awk '$7 == "UND" { print $8 }' | grep -qE "$2"; }
for file in softlbr softlbr-full libsoftlbr-profile.so libsoftlbr-collector.so; do
  file=$build/$file
  [ -e "$file" ] || skip "$file is not built here"
  readelf -dW "$file" | grep -q BIND_NOW || fail "$file is bound lazily"
  readelf -lW "$file" | grep -q GNU_RELRO || fail "$file: its table of functions can be written"
  readelf -lW "$file" | grep GNU_STACK | grep -q ' RW ' || fail "$file: its stack is executable"
  case $file in
    *collector*)
      ! imports "$file" '^__stack_chk_fail|_chk(@|$)' || fail "$file: handlers may end the program"
      ;;
    *)
      imports "$file" '^__stack_chk_fail' || fail "$file: no stack protector"
      imports "$file" '_chk(@|$)' || fail "$file: no _FORTIFY_SOURCE"
      [ "$(uname -m)" != x86_64 ] || [ "$(objdump -d "$file" | grep -c endbr64)" -gt 500 ] ||
        fail "$file: no -fcf-protection"
      ;;
  esac
done
for file in softlbr softlbr-full; do
  readelf -hW "$build/$file" | grep -q 'DYN' || fail "$file: always at one address"
done
