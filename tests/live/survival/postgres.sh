# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
postgres=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
group=servers
needs="${postgres:-/usr/lib/postgresql}/postgres pgbench"

title() {
  "$postgres/postgres" --version | sed 's/.*) \([0-9.]*\).*/postgres \1: 4 clients of pgbench, parallel queries, JIT, balances and indexes checked/'
}

# The server refuses to run as root.
as_user() {
  if [ "$(id -u)" = 0 ]; then
    setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups "$@"
  else
    "$@"
  fi
}

prepare() {
  as_user "$postgres/initdb" -D "$input/data" -U user --no-sync -A trust >/dev/null
}

ask() {
  psql -h "$PWD" -U user -d postgres -v ON_ERROR_STOP=1 -qAt "$@"
}

run() {
  [ "$(id -u)" != 0 ] || chown nobody .
  as_user cp -r "$input/data" data
  as_user "$@" "$postgres/postgres" -D data -k "$PWD" -c listen_addresses= -c fsync=off \
    -c min_parallel_table_scan_size=0 -c parallel_setup_cost=0 -c parallel_tuple_cost=0 >log 2>&1 &
  server=$!
  wait_until ask -c 'select 1' || {
    cat log
    return 1
  }
  pgbench -h "$PWD" -U user -i -s 1 -q postgres 2>&1 | grep -i error || :
  pgbench -h "$PWD" -U user -c 4 -j 2 -t 100 -n postgres 2>&1 | grep -i 'error\|actually processed\|failed'
  ask <<'END'
select (select sum(abalance) from pgbench_accounts) = (select sum(bbalance) from pgbench_branches),
  (select sum(tbalance) from pgbench_tellers) = (select sum(delta) from pgbench_history);
set jit_above_cost = 0;
set jit_inline_above_cost = 0;
set jit_optimize_above_cost = 0;
select count(*), sum(aid % 17 * bid), md5(string_agg(aid::text, ',' order by aid)) from pgbench_accounts where aid % 13 < 5;
select bid, count(*), sum(length(filler)) from pgbench_accounts group by bid order by bid;
select md5(string_agg(x::text, '')) from (select sqrt(n) * sin(n) as x from generate_series(1, 20000) n) t;
set jit = off;
do $$ begin for i in 1..1000 loop begin perform 1 / (i % 2); exception when division_by_zero then null; end; end loop; end $$;
create extension amcheck;
select bt_index_check(c.oid, true) from pg_class c join pg_index i on c.oid = i.indexrelid
  join pg_am a on a.oid = c.relam where amname = 'btree' and relname like 'pgbench%';
vacuum full;
select count(*) from pgbench_history;
END
  kill -TERM "$(head -n 1 data/postmaster.pid)" # waits for a session that is not quite gone, as INT does not
  wait $server || {
    echo "status $?"
    cat log
  }
  grep -i 'panic\|fatal\|terminated by\|warning' log | grep -v 'shutting down\|^softlbr\|starting up' || :
  grep '^softlbr' log || :
}
