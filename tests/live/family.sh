# SPDX-License-Identifier: MIT
# family.sh: processes of family.c, and what recording them has to show; sourced behind prelude.sh.
masters=
undo() { [ -z "$masters" ] || kill -KILL $masters 2>/dev/null || :; }
cd "$work"
can_attach || skip "$(cat err)"
${CC:-cc} -O2 -g -pthread "$here/family.c" -o family
family=family

# start FORM...: a family, whose master is in the variable of that name
start() {
  rm -f said
  ./$family "$@" >said 2>&1 &
  master=$!
  masters="$masters $master"
  becomes grep -q ready said
}

children_of() { cat /proc/[0-9]*/stat 2>/dev/null | awk -v parent="$1" '$4 == parent { print $1 }'; }
has_child() { [ -n "$(children_of "$1")" ]; }
record() { timeout -s KILL 300 "$softlbr" record -c 1ms --timer-correction=off "$@" 2>err; }

# recorded FILE: "samples pid" of each process
recorded() {
  perf script -i "$1" -F pid,ip,sym 2>perf.err | awk 'NF > 1 { print $1 }' | sort | uniq -c
}

# has FILE LEAST PID...: so many samples of each
has() {
  file=$1
  least=$2
  shift 2
  recorded "$file" >pids
  for pid; do
    awk -v pid="$pid" -v least="$least" '$2 == pid && $1 >= least { found = 1 } END { exit !found }' pids || return 1
  done
}

# records LEAST PIDS RECORD...: longer each time until each has so many; on a busy machine it may have a thirtieth of it
records() {
  least=$1
  wanted=$2
  shift 2
  for time in 700ms 4s 25s; do
    record "$@" -o data --duration $time || [ $? = 4 ] || fail "$what: status $?"
    ! has data "$least" $wanted || return 0
  done
  fail "$what: not of each of $wanted: $(cat pids)"
}

# go_on PID...: none of them is traced or stopped
go_on() {
  for pid; do
    within 30 grep -q 'TracerPid:[[:space:]]*0' "/proc/$pid/status" || fail "$what: $pid is still traced"
    grep -q 'State:[[:space:]]*[RSD]' "/proc/$pid/status" || fail "$what: $pid does not run"
  done
}
