#!/bin/sh
# SPDX-License-Identifier: MIT
# hostile.sh SOFTLBR [SEEDS [ROUNDS]]: programs that attack the session that records them: the recorder ends as the
# command does, its recording can be read, and what others ran is in it. SEEDS by random numbers (10), and in each mode
# ROUNDS (1).
set -eu
softlbr=$1
seeds=${2:-10}
rounds=${3:-1}
. "$(dirname "$0")/../prelude.sh"
cd "$work"
chmod 0755 .

needs_recording_inside
${CC:-cc} -O1 -g -o hostile "$here/hostile.c"
cat >busy.c <<'EOF'
int main(void)
{
	for (volatile long i = 0; i < 40000000; i++)
		;
}
EOF
${CC:-cc} -O1 -g -o busy busy.c

# attacked SEED WHAT: by a child, beside another one
attacked() {
  status=0
  timeout -s KILL 300 "$softlbr" record -e task-clock -c 1ms --timer-correction=off -o data -- \
    sh -c './hostile '"$1 $2"' & ./busy; wait; exit 7' >out 2>err || status=$?
  # whoever cuts another program's buffers off as that writes into them ends it, as by kill(2): SIGBUS
  case $2.$status in
  *.7 | cut.135) ;;
  *) fail "seed $1 $2: status $status" ;;
  esac
  shown=0
  "$softlbr" show data >shown 2>&1 || shown=$?
  # 4: who may write everything may end everybody's recording
  case $2.$shown in
  *.0 | [!O]*.4) ;;
  *) fail "seed $1 $2: $(cat shown)" ;;
  esac
}

before=$(md5sum </etc/passwd)

echo "# $seeds seeds: by their own buffers and files, and by everything that their user may write"
empty=0
for seed in $(seq 1 "$seeds"); do
  if [ $((seed % 2)) = 1 ]; then
    attacked "$seed" OWN
    grep -q '/busy$' shown || fail "seed $seed: nothing of the other program: $(cat shown)"
  else
    attacked "$seed" ALL
    [ $shown = 0 ] || empty=$((empty + 1))
  fi
done
# A half of the latter have no samples: of 20 more in a row all of them by a chance of one in a million.
while [ $empty -ge $((seed / 2)) ] && [ $seed -lt $((seeds + 40)) ]; do
  seed=$((seed + 2))
  attacked "$seed" ALL
  [ $shown = 0 ] || empty=$((empty + 1))
done
[ $empty -lt $((seed / 2)) ] || fail "never a sample"
[ "$(md5sum </etc/passwd)" = "$before" ] || fail "written through a link"

echo "# each mode, $rounds times"
mkdir precious
echo precious >precious/file
export PRECIOUS="$work/precious/file"
attacks=0
for mode in $(./hostile); do
  for seed in $(seq 1 "$rounds"); do
    attacked "$seed" "$mode"
    while read -r left; do
      case $left in
      */softlbr-*) rm -rf "$left" ;;
      esac
    done <out
    [ "$(ls precious) $(cat precious/file)" = "file precious" ] || fail "$mode: written through a link"
    attacks=$((attacks + 1))
  done
done
figures "hostile programs of $(./hostile | wc -l) modes" $attacks

echo "# counters that can't be true"
cat >liar.c <<'EOF'
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096], path[4096], lies[1 << 14];

	/* the recorder has looked at what it counts by then */
	while (clock() < CLOCKS_PER_SEC)
		;
	memset(lies, 0xff, sizeof(lies));
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%*s %*s %*s %*s %*s %s", path) == 1 && strstr(path, "/softlbr") &&
		    !strstr(path, ".so")) {
			int fd = open(path, O_WRONLY);

			if (fd >= 0 && pwrite(fd, lies, sizeof(lies), 0) > 0)
				close(fd);
		}
	return 0;
}
EOF
${CC:-cc} -O1 -g -o liar liar.c
"$softlbr" record -e task-clock -c 1ms --timer-correction=off -o data -- ./liar 2>err || fail "a liar: $?"
grep -q 'not believable' err || fail "counts are believed"

if [ "$(id -u)" = 0 ]; then
  echo "# root records what drops its privileges"
  for seed in 1 2 3; do
    status=0
    timeout -s KILL 300 "$softlbr" record -e task-clock -c 1ms --timer-correction=off -o data -- ./hostile $seed DROP 2>err || status=$?
    [ $status = 0 ] || fail "seed $seed: status $status"
    shown=0
    "$softlbr" show data >shown 2>&1 || shown=$?
    # its own samples are its to spoil
    [ $shown = 0 ] || [ $shown = 4 ] || fail "seed $seed: not readable: $(cat shown)"
  done

  echo "# programs of another user: as they are, and nothing of theirs in the session"
  library=$("$softlbr" record -e task-clock -q -o data -- sh -c 'echo "$LD_PRELOAD"')
  cat >become.c <<'EOF'
#include <unistd.h>

int main(int argc, char **argv)
{
	(void)argc;
	return setgid(65534) || setuid(65534) || execv(argv[1], argv + 1);
}
EOF
  ${CC:-cc} -O1 -o become become.c
  "$softlbr" record -e task-clock -q -o data -- sh -c './become ./busy; echo $?; find "$SOFTLBR_SESSION" -user nobody' \
    >out 2>err
  [ "$(cat out)" = 0 ] || fail "another user's program: $(cat out)"

  echo "# root is led nowhere by another user's session"
  mkdir theirs
  mkfifo theirs/control
  chown -R nobody theirs
  SOFTLBR_SESSION=$work/theirs LD_PRELOAD=$library timeout 300 ./busy || fail "status $? at a pipe"
  rm theirs/control
  head -c 4096 /dev/zero >theirs/control
  chown nobody theirs/control
  SOFTLBR_SESSION=$work/theirs LD_PRELOAD=$library timeout 300 ./busy || fail "status $? at another's file"
  [ "$(ls theirs)" = control ] || fail "left: $(ls -l theirs)"
else
  skip_part "dropped privileges and other users: not root"
fi
