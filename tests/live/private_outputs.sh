#!/bin/sh
# SPDX-License-Identifier: MIT
# private_outputs.sh SOFTLBR: what a recording writes is its user's alone, never written through a link or into a
# file of somebody else's, and readable when the recorder was killed.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
undo() { [ ! -s "$work/pid" ] || kill -KILL "$(cat "$work/pid")" 2>/dev/null || :; }
cd "$work"
chmod 0755 .

needs_recording
cat >busy.c <<'EOF'
int main(int argc, char **argv)
{
	for (volatile long i = 0; i < (argc > 1 ? 1000 : 1) * 50000000l; i++)
		;
}
EOF
${CC:-cc} -O1 -g -o busy busy.c

record() { "$softlbr" record -q -e task-clock -c 1ms --timer-correction=off "$@" 2>err; }
mode() { stat -c %a "$1"; }
# 100 ms of processor time at 1 ms: 100 +- 10 samples
reads() { [ "$("$softlbr" show "$1" 2>/dev/null | awk '$1 == "samples" { print $2; exit }')" -gt 0 ] || fail "$1 has no samples"; }
rests() { [ -z "$(find . -name '*.tmp-*')" ] || fail "left: $(find . -name '*.tmp-*')"; }

echo "# 0600, whatever the umask, which the command keeps"
for mask in 000 077 277; do
  (umask $mask && record -o data-$mask --stats stats-$mask -- sh -c 'umask >mask; ./busy') || fail "status $?"
  [ "$(mode data-$mask) $(mode stats-$mask)" = "600 600" ] || fail "$mask: $(ls -l data-$mask stats-$mask)"
  [ "$(cat mask)" = 0$mask ] || fail "the command's umask: $(cat mask)"
  rm -f mask
  reads data-$mask
done
(umask 000 && record --aggregate counts -- ./busy) || fail "status $?"
[ "$(mode counts) $(mode counts/busy.preagg)" = "700 600" ] || fail "$(ls -ld counts counts/*)"
(umask 022 && "$softlbr" convert -b busy -i data-000 --to preagg=busy.preagg --force >out 2>&1) || [ -s busy.preagg ] || fail "$(cat out)"
[ "$(mode busy.preagg)" = 644 ] || fail "$(ls -l busy.preagg)"

echo "# the old one is kept as it is"
cp data-000 data
before=$(md5sum <data)
record -o data -- ./busy
[ "$(md5sum <data.old)" = "$before" ] || fail "the old recording is not data.old"
reads data
: >secret
ln -sf secret data.old
record -o data -- ./busy
[ ! -L data.old ] && [ ! -s secret ] || fail "written through data.old"

echo "# a link of one's own is followed, there and nowhere else"
mkdir disk
ln -s disk/there link
record -o link -- ./busy
[ -L link ] && [ "$(mode disk/there)" = 600 ] || fail "$(ls -l . disk)"
record -o link -- ./busy
[ -L link ] && [ -s disk/there.old ] && [ ! -e link.old ] || fail "$(ls -l . disk)"
reads link
ln -s loop loop
! record -o loop -- ./busy || fail "a loop of links is no place"
grep -q 'cannot follow the link' err || fail "loop: $(cat err)"
ln -s secret stats-link
record -o data --stats stats-link -- ./busy
[ ! -L stats-link ] && [ ! -s secret ] || fail "written through stats-link"

if [ "$(id -u)" = 0 ] && id nobody >/dev/null 2>&1; then
  echo "# another user's is not, nor is a file of another's opened, in a directory as /tmp is"
  mkdir sticky
  chmod 1777 sticky
  ln -s "$work/secret" sticky/link
  chown -h nobody sticky/link
  ! record -o sticky/link -- ./busy || fail "another's link is followed"
  grep -q 'a symbolic link of another user: it is not followed' err || fail "$(cat err)"
  [ ! -s secret ] && [ -L sticky/link ] || fail "written through it"
  shared=$(mktemp -u /dev/shm/softlbr-link-XXXXXX)
  ln -s "$work/secret" "$shared"
  chown -h nobody "$shared"
  refused=0
  record -o "$shared" -- ./busy || refused=$?
  rm "$shared"
  [ $refused = 125 ] && [ ! -s secret ] || fail "a link in /dev/shm is followed"
  : >sticky/theirs
  chown nobody sticky/theirs
  record -o sticky/theirs -- ./busy
  [ "$(stat -c %U:%a sticky/theirs)" = root:600 ] || fail "$(ls -l sticky)"
else
  skip_part "another user's links: not root"
fi

echo "# devices and pipes as they are"
record -o /dev/null -- ./busy
[ -c /dev/null ] || fail "/dev/null is gone"
record -o - -- ./busy >piped
reads piped

echo "# it is there, under its name, while it is made and when the recorder is killed"
cp data-000 killed
"$softlbr" record -q -e task-clock -c 1ms --timer-correction=off -o killed -- sh -c 'echo $$ >pid; exec ./busy long' 2>err &
recorder=$!
becomes [ -e killed.old ]
becomes holds killed 5000
kill -KILL $recorder
wait $recorder 2>/dev/null || :
undo
rm -f pid
reads killed
cmp -s killed.old data-000 || fail "the old one is not kept"

echo "# parts take no name that somebody has"
echo mine >parts.1
record --control socket -o parts -- sh -c './busy; "$0" control -s socket rotate; ./busy' "$softlbr" >/dev/null
[ "$(cat parts.1)" = mine ] && [ "$(mode parts.2)" = 600 ] || fail "$(ls -l parts*)"
reads parts.2

rests
