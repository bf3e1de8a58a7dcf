# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="mariadbd mariadb mariadb-install-db"

title() {
  mariadbd --version | sed 's/.*Ver \([0-9.]*\).*/mariadb \1: InnoDB, joins, transactions of 4 clients at once, checks/'
}

server_options="--no-defaults --skip-networking --socket=$PWD/socket --innodb-buffer-pool-size=32M --user=$(id -un)
  --innodb-flush-log-at-trx-commit=0 --pid-file=$PWD/pid"

prepare() {
  mariadb-install-db --no-defaults --datadir="$input/data" --user="$(id -un)" --auth-root-authentication-method=normal \
    --skip-test-db >"$input/log" 2>&1
}

ask() {
  mariadb --no-defaults -S socket -u root -N "$@"
}

add() {
  for i in $(seq 150); do
    echo "start transaction; update accounts set n = n + $i where id = $1;
      update accounts set n = n - $i where id = $1 + 4; commit;"
  done | ask shop
}

run() {
  cp -r "$input/data" data
  "$@" mariadbd $server_options --datadir="$PWD/data" >log 2>&1 &
  server=$!
  wait_until ask -e 'select 1' || {
    cat log
    return 1
  }
  ask <<'END'
create database shop;
use shop;
create table accounts(id int primary key, n bigint) engine=innodb;
insert into accounts select seq, 0 from seq_1_to_8;
create table goods(id int primary key auto_increment, name varchar(40), price decimal(10, 2), key(name));
insert into goods(name, price) select concat('item', seq * 7919 % 1009), seq * 0.37 from seq_1_to_20000;
select count(*), sum(price), md5(group_concat(name order by id)) from goods where price > 100;
select a.name, count(*) from goods a join goods b on a.name = b.name and a.id < b.id group by a.name order by 2 desc, 1 limit 5;
END
  for client in 1 2 3 4; do
    add $client &
    clients="${clients:-} $!"
  done
  wait $clients
  ask shop -e 'select * from accounts; select sum(n) from accounts; check table accounts, goods'
  ask -e shutdown
  wait $server
}
