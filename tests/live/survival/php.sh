# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="php"

title() {
  php --version | sed -n '1s/PHP \([0-9.]*\).*/php \1: arrays, PCRE with JIT, generators, sorting/p'
}

prepare() {
  cat >"$input/script.php" <<'END'
<?php
mt_srand(7);
$words = [];
for ($i = 0; $i < 300000; $i++) $words['w' . (mt_rand() % 4999)][] = $i;
ksort($words);
echo md5(serialize($words)), "\n";
$text = implode(' ', array_keys($words));
echo preg_match_all('/w(\d)\d*\1\b/', $text), ' ', strlen(preg_replace('/\d{2}/', 'xyz', $text)), "\n";
function numbers() { for ($i = 0; $i < 300000; $i++) yield $i * $i % 1009; }
$sum = 0;
foreach (numbers() as $n) $sum += $n;
echo $sum, ' ', hash('sha256', gzcompress($text)), "\n";
try { intdiv(1, 0); } catch (DivisionByZeroError $e) { echo get_class($e), "\n"; }
END
}

run() {
  "$@" php -n "$input/script.php"
  "$@" php -n -d opcache.enable_cli=1 "$input/script.php"
}
