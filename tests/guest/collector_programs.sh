# SPDX-License-Identifier: MIT
# Debian's programs: each trace is audited, none is wrong, and 97 % of them need no breakpoint, 95 % of each program's.
seq 1 6000 >numbers
for ((i = 0; i < 4; i++)); do
  echo "int f$i(const int *a, int n) {int s = $i; for (int i = 0; i < n; i++) if (a[i] > s) s += a[i] * $i; return s;}"
done >functions.c
same gzip 30 "-c 1ms" gzip -9c numbers
same bzip2 50 "-c 1ms" bzip2 -c numbers
same lua 200 "-c 1ms" lua -e 'local s, t = 0, {} for i = 1, 30000 do s = s + i % 7 t[i % 99] = tostring(i) end print(s)'
same perl 100 "-c 1ms" perl -e 'for (1..30000) { $s += length($_ x 3) } print "$s\n"'
same python3 200 "-c 1ms" python3 -c 'print(sum(len(str(i)) for i in range(20000)))'
same sqlite3 40 "-c 1ms" sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x + 1 from c where x < 5000)
  select sum(x % 7) from c'
same bash 200 "-c 1ms" bash -c 's=0; for i in {1..3000}; do s=$((s + i % 7)); done; echo $s'
same cc1 100 "-c 1ms" /usr/lib/gcc/aarch64-linux-gnu/12/cc1 -quiet -O2 functions.c -o functions.s
python3 collector_figures.py --free 97 95 {gzip,bzip2,lua,perl,python3,sqlite3,bash,cc1}.json || fail "too many breakpoints"
exit $failed
