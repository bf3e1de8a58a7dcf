#!/bin/sh
# SPDX-License-Identifier: MIT
# selected.sh SOFTLBR: `softlbr record --name` and `--cgroup` record the running processes that these select, those that
# come later, and no others.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
. "$here/family.sh"
groups=
undo() {
  [ -z "$masters" ] || kill -KILL $masters 2>/dev/null || :
  for group in $groups; do # the innermost first
    within 30 rmdir "$group" || :
  done
}

# begin PID RECORD...: a recording that this process is in
begin() {
  pid=$1
  shift
  rm -f late.data
  record "$@" -o late.data &
  recorder=$!
  within 60 grep -q 'TracerPid:.*[1-9]' "/proc/$pid/status" || fail "$what: not traced"
}

# joined PID...: the recording is ended; each has samples, and goes on
joined() {
  for pid; do
    within 60 grep -q 'TracerPid:.*[1-9]' "/proc/$pid/status" || fail "$what: $pid does not join"
  done
  size=$(stat -c %s late.data)
  within 60 holds late.data $((size + 60000)) || fail "$what: nothing more is recorded"
  kill -INT "$(sed -n 's/TracerPid:[[:space:]]*//p' "/proc/$1/status")"
  wait $recorder || fail "$what: status $?"
  has late.data 1 "$@" || fail "$what: not all of $*: $(cat pids)"
  go_on "$@"
}

what="a name that nothing has"
for wrong in --name=softlbr-nothing --cgroup=/softlbr-nothing; do
  status=0
  record $wrong -o absent.data || status=$?
  [ $status = 125 ] && [ ! -e absent.data ] || fail "$what: status $status"
  grep -q "softlbr-nothing: \(start it first\|give its path\)" err || fail "$what: it is not said"
done

what="a thread's name, and a program's"
cp family softlbr-program
start named softlbr-one
one=$master
start named softlbr-two
two=$master
start workers 1
others="$master $(children_of $master)"
./softlbr-program workers 1 >said 2>&1 &
master=$!
masters="$masters $master"
becomes grep -q ready said
worker=$(children_of $master)
records 20 "$one $two" --name='softlbr-[ot]*'
[ "$(wc -l <pids)" = 2 ] || fail "$what: others are in: $(cat pids)"
go_on "$one" "$two" $others
records 20 "$worker" --name=softlbr-program
[ "$(wc -l <pids)" = 1 ] || fail "$what: others are in: $(cat pids)"
records 20 "$one $worker" -p "$one" --name=softlbr-program

what="a process of that name that comes later"
begin "$one" --name=softlbr-one
start named softlbr-one
joined "$one" "$master"

what="all of that name end, and another one comes"
begin "$one" --name=softlbr-one
kill -KILL "$one" "$master"
start named softlbr-one
joined "$master"

# a cgroup of ours, of version 2 or 1
for mount in $(awk '$3 == "cgroup2" || ($3 == "cgroup" && $4 ~ /pids|freezer|systemd/) { print $2 }' /proc/self/mounts); do
  group=$mount/softlbr-$$
  ! mkdir "$group" 2>/dev/null || break
  group=
done
if [ -n "${group:-}" ] && sh -c 'echo $$ >"$0/cgroup.procs"' "$group" 2>/dev/null; then
  groups="$group/inner $group"
  mkdir "$group/inner"
  what="a cgroup, and those below it"
  start named in
  in=$master
  echo "$in" >"$group/cgroup.procs"
  start named inner
  inner=$master
  echo "$inner" >"$group/inner/cgroup.procs"
  for name in "$group" "/softlbr-$$" "softlbr-$$"; do
    records 20 "$in $inner" --cgroup="$name"
    [ "$(wc -l <pids)" = 2 ] || fail "$what: others are in: $(cat pids)"
  done
  records 20 "$inner" --cgroup="/softlbr-$$/inner"
  [ "$(wc -l <pids)" = 1 ] || fail "$what: others are in: $(cat pids)"

  what="a process that joins a cgroup"
  begin "$in" --cgroup="$group"
  start named joins
  echo "$master" >"$group/inner/cgroup.procs"
  joined "$in" "$inner" "$master"

  what="a cgroup without processes"
  kill -KILL "$inner" "$master"
  within 30 sh -c '! grep -q . "$0/inner/cgroup.procs"' "$group" || fail "$what: they do not end"
  status=0
  record --cgroup="$group/inner" -o absent.data || status=$?
  [ $status = 125 ] && grep -q 'start it first' err || fail "$what: status $status"
else
  [ -z "${group:-}" ] || groups=$group
  skip_part "no cgroup can be made here"
fi

what="options that contradict each other"
for options in "--name=x -t 1" "--name=x -- true" "--cgroup= " "--no-children -- true" "--name=x --outside=never"; do
  status=0
  record $options 2>err || status=$?
  [ $status = 125 ] || fail "$what: $options: status $status"
done
status=0
"$softlbr" record -a -- true 2>err || status=$?
[ $status = 125 ] && grep -q -e '-p PID .*--name=PATTERN, or --cgroup=PATH' err || fail "-a: status $status"
echo "PASS"
