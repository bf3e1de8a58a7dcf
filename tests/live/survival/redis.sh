# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="redis-server redis-cli redis-benchmark"

title() {
  redis-server --version | sed 's/.*v=\([0-9.]*\).*/redis \1: server with 4 I\/O threads, saving by fork, under redis-benchmark with 4 threads/'
}

prepare() {
  :
}

run() {
  "$@" redis-server --port 0 --unixsocket "$PWD/socket" --io-threads 4 --io-threads-do-reads yes \
    --save '' --appendonly yes --appendfsync no --activedefrag no >log 2>server.err &
  server=$!
  wait_until redis-cli -s socket ping || {
    cat log server.err
    return 1
  }
  ask="redis-cli -s socket"
  # with 8 clients and more the I/O threads work, which spin: slow where processors are few
  {
    "$@" redis-benchmark -s "$PWD/socket" --threads 4 -c 8 -n 300 -t set,get -q 2>>benchmark.err
    "$@" redis-benchmark -s "$PWD/socket" --threads 4 -c 4 -n 1000 -t incr,lpush,lrange_100,zadd -q \
      2>>benchmark.err
  } | tr '\r' '\n' | sed -n 's/\(.*\): [0-9.]* requests per second.*/\1/p' | sort -u
  cat benchmark.err
  $ask flushall
  $ask eval 'for i = 1, 10000 do redis.call("set", "key:" .. i, i * i) redis.call("zadd", "z", i % 100, i)
    redis.call("rpush", "list:" .. i % 10, i) end return redis.call("dbsize")' 0
  $ask debug digest
  $ask bgrewriteaof >/dev/null
  wait_until sh -c "$ask info persistence | tr -d '\r' | grep -q '^aof_rewrite_in_progress:0'"
  $ask save
  $ask debug digest
  $ask info errorstats | tr -d '\r'
  kill $server
  wait $server || return
  redis-check-rdb dump.rdb | grep -o 'RDB looks OK'
  cat server.err
}
