#!/bin/bash
# SPDX-License-Identifier: MIT
# words.sh WORDS [PROGRAM...]: every word of arm64's libc, or of PROGRAMs of Debian's packages (python3, cc1), is decoded
# as objdump does it: kind of branch and target. What look-ahead can't evaluate is said to be unknown.
set -euo pipefail
. "$(dirname "$0")/../prelude.sh"
words=$1
shift
guest=$("$here/packages.sh")

# take PACKAGE FILE: of a package of arm64
take() {
  dpkg-deb --fsys-tarfile "$guest"/debs/"$1"_*_arm64.deb | tar -xOf - "./$2" >"$work/${2##*/}"
  echo "$work/${2##*/}"
}

for program in "${@:-libc}"; do
  case $program in
    libc) file=$guest/sysroot/usr/lib/aarch64-linux-gnu/libc.so.6 ;;
    python3) file=$(take python3.11-minimal usr/bin/python3.11) ;;
    cc1) file=$(take cpp-12 usr/lib/gcc/aarch64-linux-gnu/12/cc1) ;;
    *) fail "$program: libc, python3 or cc1" ;;
  esac
  "$guest/bin/aarch64-linux-gnu-objdump" -d "$file" | "$words" >"$work/out" || fail "$program: $(cat "$work/out")"
  echo "$program: $(cat "$work/out")"
done
