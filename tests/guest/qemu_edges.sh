#!/bin/bash
# SPDX-License-Identifier: MIT
# The oracle tests/oracles/qemu_edges.c on programs whose counts are known beforehand: of AArch64 and of x86-64, of fixed
# addresses and position-independent, with two threads at once; and of a whole program against callgrind, which counts in another way.
set -euo pipefail
. "$(dirname "$0")/../prelude.sh"
needs qemu-aarch64 qemu-x86_64 gcc valgrind
guest=$("$here/packages.sh")
gcc -O2 -Wall -Wextra -Werror -shared -fPIC -fvisibility=hidden -o "$work/qemu_edges.so" "$oracles/qemu_edges.c"
cd "$work"

# kinds, with the labels of known_counts.c: 100,000 turns in one thread, 60,001 in the other
cat >known <<'END'
E bottom out 2 fall
E bottom top 159999 cond
E even leaf 160001 call
E indirect leaf 2 icall
E leaf back 160001 ret
E leaf behind 2 ret
E split even 80000 cond
E split odd 80001 fall
I fill 2
I leaf 160003
I odd 80001
I out 2
I top 160001
END

# check QEMU NM PROGRAM
check() {
  rm -f edges
  "$1" -plugin ./qemu_edges.so,out=edges "$3" || fail "$3 under $1"
  "$2" "$3" | awk 'FILENAME == "-" {sub(/^0+/, "", $1); name[$1] = $3; next}
    $1 == "I" && $2 in name {print $1, name[$2], $3}
    $1 == "E" && $2 in name && $3 in name {print $1, name[$2], name[$3], $4, $5}' - edges |
    awk 'NR == FNR {wanted[$1 " " $2 " " ($1 == "E" ? $3 : "")]; next} ($1 " " $2 " " ($1 == "E" ? $3 : "")) in wanted' \
      known - | LC_ALL=C sort | diff known - || fail "counts of $3 under $1"
  echo "ok $1 $3: $(wc -l <edges) records"
}

for kind in static static-pie; do
  "$guest/bin/aarch64-linux-gnu-gcc" -O1 -pthread -$kind -o aarch64-$kind "$here/known_counts.c"
  check qemu-aarch64 "$guest/bin/aarch64-linux-gnu-nm" ./aarch64-$kind
  gcc -O1 -pthread -$kind -o x86_64-$kind "$here/known_counts.c"
  check qemu-x86_64 nm ./x86_64-$kind
done
gcc -O1 -pthread -o x86_64-dynamic "$here/known_counts.c"
check qemu-x86_64 nm ./x86_64-dynamic

# All branches that gzip took, but returns, which callgrind does not tell, and those into other modules.
taken() {
  awk '$1 == "E" && $5 !~ /^(fall|ret|xcall)$/ {sub("tail", "jump", $5); print}' "$1" | LC_ALL=C sort
}
gzip=$(command -v gzip)
head -c 30000 "$gzip" >input
valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no --callgrind-out-file=callgrind.out \
  "$gzip" -c input >/dev/null 2>err || fail "gzip under valgrind"
"$oracles/exact_edges.py" callgrind.out "$gzip" callgrind.edges
rm -f edges
qemu-x86_64 -plugin ./qemu_edges.so,out=edges "$gzip" -c input >/dev/null || fail "gzip under QEMU"
diff <(taken callgrind.edges) <(taken edges) || fail "QEMU's counts of gzip are not callgrind's"
[ "$(taken edges | wc -l)" -gt 100 ] || fail "only few branches of gzip were seen"
echo "ok gzip: $(taken edges | wc -l) branches as by callgrind"
