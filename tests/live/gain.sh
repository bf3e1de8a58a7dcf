#!/bin/sh
# SPDX-License-Identifier: MIT
# gain.sh SOFTLBR: the newest clang makes sqlite3 and tetgen from exact profiles of ours that execute at least
# 6.5 % fewer instructions on input that the profiles have not seen (docs/results.md, gain-clang: 9.5 and 15.0).
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
clang=$(newest clang)
needs "$clang" "clang++${clang#clang}" valgrind tclsh
for package in sqlite3:sqlite tetgen:tetgen; do
  mkdir -p "$work/${package#*:}"
  "$root/scripts/fetch-source.sh" ${package%:*} "$work/${package#*:}/source" ||
    skip "${package%:*}'s source package can't be had"
done
python3 "$root/benchmarks/gain.py" --softlbr "$softlbr" --out "$work" --programs sqlite,tetgen \
  --consumers "$clang" --kinds exact --floor 6.5
