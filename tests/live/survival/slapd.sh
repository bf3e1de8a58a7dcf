# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=servers
needs="/usr/sbin/slapd ldapadd ldapsearch slapadd"

title() {
  dpkg-query -W -f 'slapd (OpenLDAP) ${Version}\n' slapd | sed 's/[+-].*/: 1000 entries added and searched by 4 clients/'
}

prepare() {
  cat >"$input/entries" <<'END'
dn: dc=example
objectClass: dcObject
objectClass: organization
dc: example
o: example

END
  for i in $(seq 1000); do
    printf 'dn: cn=p%d,dc=example\nobjectClass: person\ncn: p%d\nsn: s%d\n\n' $i $i $((i % 17))
  done >>"$input/entries"
}

ask() {
  ldapsearch -LLL -x -H "ldapi://$(pwd | sed 's|/|%2f|g')%2fsocket" -b dc=example "$@"
}

run() {
  mkdir data
  cat >conf <<END
include /etc/ldap/schema/core.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile $PWD/pid
database mdb
suffix dc=example
rootdn cn=root,dc=example
rootpw secret
directory $PWD/data
dbnosync
index sn eq
END
  socket="ldapi://$(pwd | sed 's|/|%2f|g')%2fsocket"
  "$@" /usr/sbin/slapd -d 0 -f "$PWD/conf" -h "$socket" >log 2>&1 &
  server=$!
  wait_until listens socket
  ldapadd -x -H "$socket" -D cn=root,dc=example -w secret -f "$input/entries" | sha256sum
  clients=
  for client in 1 2 3 4; do
    for i in 1 2 3 4 5; do
      ask "(sn=s$((client + i)))" cn | sort | sha256sum
    done >"client$client" &
    clients="$clients $!"
  done
  wait $clients
  cat client?
  ask '(&(cn=p1*)(!(sn=s3)))' sn | sort | sha256sum
  kill $server
  status=0
  wait $server || status=$?
  echo "status $status"
}
