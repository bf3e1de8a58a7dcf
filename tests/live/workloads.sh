#!/bin/sh
# Small workloads for the lockstep checker: sourced; `workload NAME` writes its input into $dir and
# sets $command. What is not installed makes lockstep say so.

corpus() {
	[ -s "$dir/corpus" ] && return
	find /usr/include -name '*.h' -type f | sort | head -n 1500 | xargs cat |
		head -c 6000000 > "$dir/corpus"
}

# A program of loops, tables, strings and formatting, in three languages.
scripts() {
	cat > "$dir/work.lua" <<'END'
local t = {}
for round = 1, 1e9 do
  for i = 1, 20000 do t[i % 997] = (t[i % 997] or 0) + i * 1.5 end
  local s = {}
  for i = 1, 2000 do s[i] = string.format("%d:%s", i, string.rep("x", i % 7)) end
  table.sort(s)
  local n = 0
  for w in table.concat(s, " "):gmatch("%d+:x*") do n = n + #w end
end
END
	cat > "$dir/work.py" <<'END'
import json, re
words = open(__file__).read().split() * 40
while True:
    counts = {}
    for w in words:
        counts[w] = counts.get(w, 0) + 1
    text = json.dumps(sorted(counts.items(), key=lambda p: (-p[1], p[0])))
    back = json.loads(text)
    total = sum(len(m.group(0)) for m in re.finditer(r"[a-z]+\d*|\"", text))
    squares = [x * x % 7 + 0.5 * x for x in range(3000) if x & 3]
    parts = "".join(chr(97 + (i * i) % 26) for i in range(2000)).split("b")
END
	cat > "$dir/work.pl" <<'END'
use strict;
open my $f, '<', $0 or die; my $text = join '', <$f>;
while (1) {
    my %n;
    $n{$1}++ while $text =~ /(\w+)/g;
    my @s = sort { $n{$b} <=> $n{$a} || $a cmp $b } keys %n;
    my $out = join ',', map { sprintf "%s=%d", $_, $n{$_} } @s;
    $out =~ s/([a-z])=(\d)/$2-$1/g;
    my $x = 0; $x += ($_ * 7) % 13 for 1 .. 5000;
    my @f = map { lc } grep { length > 2 } split /[,=-]/, $out;
}
END
	cat > "$dir/work.sql" <<'END'
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 30000)
insert into t select i, 'name' || (i * 7919 % 10007), i * 0.37 from n;
create index tb on t(b);
with recursive r(k) as (select 1 union all select k + 1 from r where k < 100000)
select count(*) from r, (select sum(c), b from t where b like 'name1%' and c between 10 and 9000
group by b order by 1 desc limit 50) where k % 7 = 3;
select b, count(*), avg(c) from t group by substr(b, 1, 6) having count(*) > 3 order by 3;
select x.a, y.b from t x join t y on x.b = y.b and x.a < y.a where x.c < 5000;
END
	cat > "$dir/work.awk" <<'END'
{ for (i = 1; i <= NF; i++) n[tolower($i)]++; gsub(/[a-z]_/, "&-"); l += length($0) }
END { for (w in n) if (n[w] > 10) s = s sprintf("%s %d ", w, n[w]); print length(s), l }
END
}

c_source() {
	[ -s "$dir/work.c" ] && return
	{
		echo '#include <stdio.h>'
		echo '#include <stdlib.h>'
		echo '#include <string.h>'
		i=0
		while [ $i -lt 400 ]; do
			echo "struct s$i { int a, b; double c; char d[$((i % 9 + 1))]; };"
			echo "static int f$i(struct s$i *p, int n) { int r = 0;"
			echo "for (int i = 0; i < n; i++) { switch (p[i].a % 5) { case 0: r += p[i].b;"
			echo "break; case 1: r ^= (int)p[i].c; break; case 3: r += strlen(p[i].d); break;"
			echo "default: r = r * $((i * 7 + 3)) + i; } if (r > 1000) r /= 3; } return r; }"
			echo "int g$i(void *p, int n) { return f$i(p, n) + n; }"
			i=$((i + 1))
		done
	} > "$dir/work.c"
}

workload() {
	case $1 in
	bzip2) corpus; command="bzip2 -9 -k -c $dir/corpus" ;;
	bunzip2) corpus; bzip2 -kc "$dir/corpus" > "$dir/c.bz2"; command="bzip2 -dc $dir/c.bz2" ;;
	gzip) corpus; command="gzip -9 -c $dir/corpus" ;;
	gunzip) corpus; gzip -c "$dir/corpus" > "$dir/c.gz"; command="gzip -dc $dir/c.gz" ;;
	zstd) corpus; command="zstd -q -15 --single-thread -c $dir/corpus" ;;
	xz) corpus; command="xz -6 -T1 -c $dir/corpus" ;;
	lua5.4) scripts; command="lua5.4 $dir/work.lua" ;;
	python3) scripts; command="/usr/bin/python3 $dir/work.py" ;;
	perl) scripts; command="perl $dir/work.pl" ;;
	sqlite3) scripts; command="sqlite3 :memory: -init $dir/work.sql .quit" ;;
	clang) c_source; command="clang -O2 -c -o /dev/null $dir/work.c" ;;
	gcc) c_source; command="$(gcc -print-prog-name=cc1) -quiet -O2 -o /dev/null $dir/work.c" ;;
	awk) corpus; scripts; command="awk -f $dir/work.awk $dir/corpus" ;;
	openssl) corpus; command="openssl speed -seconds 1 -evp sha256" ;;
	sort) corpus; command="sort $dir/corpus" ;;
	grep) corpus; command="grep -E -c (int|char).*[a-z]{3}_t $dir/corpus $dir/corpus $dir/corpus" ;;
	git) command="git -C $root log -p --stat" ;;
	*) echo "no workload $1" >&2; return 1 ;;
	esac
}
