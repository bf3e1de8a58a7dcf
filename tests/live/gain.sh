#!/bin/sh
# SPDX-License-Identifier: MIT
# gain.sh SOFTLBR: clang-16 makes sqlite3 and tetgen from exact profiles of ours that execute at least
# 6.5 % fewer instructions on input that the profiles have not seen (docs/gains.md: 9.5 and 15.0).
set -eu
softlbr=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
for tool in clang-16 clang++-16 valgrind tclsh; do
  command -v $tool >/dev/null || {
    echo "SKIP: no $tool here"
    exit 77
  }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for package in sqlite3:sqlite tetgen:tetgen; do
  mkdir -p "$work/${package#*:}"
  "$root/scripts/fetch-source.sh" ${package%:*} "$work/${package#*:}/source" || {
    echo "SKIP: ${package%:*}'s source package can't be had"
    exit 77
  }
done
python3 "$root/benchmarks/gain.py" --softlbr "$softlbr" --out "$work" --programs sqlite,tetgen \
  --consumers clang-16 --kinds exact --floor 6.5
