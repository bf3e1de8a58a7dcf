# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="sqlite3"

title() {
  echo "sqlite3 $(sqlite3 --version | cut -d' ' -f1): scripts on a file, FTS5, JSON, integrity_check, dump"
}

prepare() {
  cat >"$input/script" <<'END'
.bail on
pragma journal_mode = wal;
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 40000)
insert into t select i, 'name' || (i * 7919 % 10007), i * 0.37 from n;
create index tb on t(b);
select b, count(*), round(avg(c), 3) from t group by substr(b, 1, 6) having count(*) > 30 order by 3 limit 20;
create virtual table words using fts5(body);
insert into words select b || ' and ' || (a * 31 % 977) from t;
select count(*) from words where words match '"101" OR name7*';
select sum(json_extract(json_array(a, b, c), '$[0]')) from t where a % 3 = 0;
begin;
update t set c = c * 2 where b like 'name1%';
delete from t where a % 7 = 3;
rollback;
update t set b = upper(b) where a % 5 = 0;
select count(*) from t x join t y on x.b = y.b and x.a < y.a where x.c < 1500;
with recursive mandel(x, y, cx, cy, i) as (
  select 0.0, 0.0, -2.0 + 0.06 * (a % 50), -1.0 + 0.05 * (a / 50), 0 from t where a < 2000
  union all
  select x * x - y * y + cx, 2 * x * y + cy, cx, cy, i + 1 from mandel
  where x * x + y * y < 4 and i < 40)
select sum(i), max(i), count(*) from mandel;
vacuum;
pragma integrity_check;
pragma foreign_key_check;
END
}

run() {
  "$@" sqlite3 database <"$input/script" || return
  "$@" sqlite3 database .dump | sha256sum
}
