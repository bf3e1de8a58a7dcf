# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
fpm=$(ls /usr/sbin/php-fpm* 2>/dev/null | tail -n 1)
needs="${fpm:-/usr/sbin/php-fpm} cgi-fcgi"

title() {
  $fpm -v | sed -n '1s/PHP \([0-9.]*\).*/php-fpm \1: 2 workers, 60 requests by FastCGI/p'
}

prepare() {
  cat >"$input/page.php" <<'END'
<?php
$n = (int)$_GET['n'];
$words = [];
mt_srand($n);
for ($i = 0; $i < 20000; $i++) $words['w' . (mt_rand() % 997)][] = $i * $n % 31;
ksort($words);
echo md5(json_encode($words)), ' ', preg_match_all('/w1\d(?=")/', json_encode($words)), "\n";
END
  chmod a+rX "$input" "$input/page.php"
}

run() {
  cat >conf <<END
[global]
error_log = $PWD/errors
daemonize = no
[www]
listen = $PWD/socket
$([ "$(id -u)" != 0 ] || echo "user = nobody
group = nogroup
listen.mode = 0666")
pm = static
pm.max_children = 2
END
  "$@" $fpm -n -F -y "$PWD/conf" >log 2>&1 &
  server=$!
  wait_until listens socket
  for n in $(seq 60); do
    SCRIPT_FILENAME="$input/page.php" REQUEST_METHOD=GET QUERY_STRING="n=$n" cgi-fcgi -bind -connect "$PWD/socket" |
      tail -n 1
  done | sha256sum
  SCRIPT_FILENAME="$input/page.php" REQUEST_METHOD=GET QUERY_STRING="n=5" cgi-fcgi -bind -connect "$PWD/socket" | tail -n 1
  kill -QUIT $server
  status=0
  wait $server || status=$?
  echo "status $status"
  grep -i 'error\|signal' errors || :
}
