# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="openssl"

title() {
  openssl version | cut -d' ' -f1,2 | sed 's/$/: digests, ciphers there and back, signatures, a chain, TLS/'
}

prepare() {
  head -c 3000000 /dev/zero | openssl enc -aes-128-ctr -K 00 -iv 00 2>/dev/null >"$input/data"
  openssl genrsa -out "$input/rsa" 2048 2>/dev/null
  openssl ecparam -name prime256v1 -genkey -noout -out "$input/ec"
  openssl genpkey -algorithm ed25519 -out "$input/ed"
  cat >"$input/steps" <<'END'
set -eu
input=$1
for digest in sha1 sha256 sha512 sha3-256 blake2b512 md5 sm3; do
  openssl dgst -$digest "$input/data"
done
for cipher in aes-128-cbc aes-256-ctr aes-192-cfb camellia-256-cbc chacha20 aria-128-cbc; do
  openssl enc -$cipher -pbkdf2 -pass pass:x -S 0011223344556677 -in "$input/data" -out secret
  openssl dgst -sha256 secret
  openssl enc -d -$cipher -pbkdf2 -pass pass:x -S 0011223344556677 -in secret | cmp - "$input/data"
done
for key in rsa ec; do
  openssl dgst -sha256 -sign "$input/$key" -out signature "$input/data"
  openssl dgst -sha256 -prverify "$input/$key" -signature signature "$input/data"
done
head -c 10000 "$input/data" >small
openssl pkeyutl -sign -inkey "$input/ed" -rawin -in small -out signature
openssl pkey -in "$input/ed" -pubout -out public
openssl pkeyutl -verify -pubin -inkey public -rawin -in small -sigfile signature
openssl prime -generate -bits 512 | xargs openssl prime | grep -c 'is prime'
openssl genrsa -out new 2048 2>/dev/null
openssl rsa -in new -check -noout
openssl req -x509 -key new -subj /CN=root -days 30 -out root.pem
openssl req -new -key "$input/ec" -subj /CN=localhost -out request
openssl x509 -req -in request -CA root.pem -CAkey new -CAcreateserial -days 30 -out leaf.pem 2>/dev/null
openssl verify -CAfile root.pem leaf.pem
answered() {
  n=0
  until grep -q olleh answer || [ $n = 400 ]; do
    sleep 0.05
    n=$((n + 1))
  done
}
: >server
openssl s_server -cert leaf.pem -key "$input/ec" -accept 127.0.0.1:0 -rev >server 2>&1 &
server=$!
n=0
until grep -q '^ACCEPT 127' server; do
  sleep 0.05
  n=$((n + 1))
  [ $n -lt 400 ]
done
port=$(sed -n 's/^ACCEPT .*:\([0-9]*\)$/\1/p' server)
for i in 1 2 3 4 5; do
  : >answer
  { echo "hello $i"; answered; } | openssl s_client -connect 127.0.0.1:$port -CAfile root.pem -quiet \
    -verify_return_error -no_ign_eof >answer 2>/dev/null
  cat answer
done
kill $server
wait $server 2>/dev/null || :
END
}

run() {
  "$@" sh "$input/steps" "$input"
}
