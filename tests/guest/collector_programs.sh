# SPDX-License-Identifier: MIT
# Debian's programs: each trace is audited, 500 or more of each program, none is wrong, and 97 % of them need no
# breakpoint, 95 % of each program's.
# A sample each 250 us, and enough to do for 500 of them.
seq 1 24000 >numbers
for ((i = 0; i < 4; i++)); do
  echo "int f$i(const int *a, int n) {int s = $i; for (int i = 0; i < n; i++) if (a[i] > s) s += a[i] * $i; return s;}"
done >functions.c
same gzip 500 "-c 250us" gzip -9c numbers
same bzip2 500 "-c 250us" bzip2 -c numbers
same lua 500 "-c 250us" lua -e 'local s, t = 0, {} for i = 1, 20000 do s = s + i % 7 t[i % 99] = tostring(i) end print(s)'
same perl 500 "-c 250us" perl -e 'for (1..50000) { $s += length($_ x 3) } print "$s\n"'
same python3 500 "-c 250us" python3 -c 'print(sum(len(str(i)) for i in range(20000)))'
same sqlite3 500 "-c 250us" sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x + 1 from c where x < 15000)
  select sum(x % 7) from c'
same bash 500 "-c 250us" bash -c 's=0; for i in {1..2500}; do s=$((s + i % 7)); done; echo $s'
same cc1 500 "-c 500us" /usr/lib/gcc/aarch64-linux-gnu/12/cc1 -quiet -O2 functions.c -o functions.s
python3 collector_figures.py --free 97 95 {gzip,bzip2,lua,perl,python3,sqlite3,bash,cc1}.json || fail "too many breakpoints"
exit $failed
