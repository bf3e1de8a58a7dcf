#!/bin/bash
# SPDX-License-Identifier: MIT
# enter.sh SOFTLBR [RUNS]: programs that the collector can't be in do not notice it: what they print, return and
# find in their environment is as without softlbr, started in every way that libc has. record names
# them. RUNS: so many of each, with more programs; by default few.
set -euo pipefail
softlbr=$1
runs=${2:-1}
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs_recording_inside
softlbr=$(realpath "$softlbr")

# ---- programs of each class ----------------------------------------------------------------------
${CC:-cc} -O1 "$here/execs.c" -o execs
${CC:-cc} -O1 "$here/raw_exec.c" -o raw_exec
${CC:-cc} -O1 -g "$here/shown.c" -o dynamic
${CC:-cc} -O1 -static -DUNENTERED "$here/shown.c" -o static
kinds=static
musl-gcc -O1 -DUNENTERED "$here/shown.c" -o musl 2>log && kinds="$kinds musl" || skip_part "no musl: $(tail -n 1 log)"
${CC:-cc} -m32 -O1 -DUNENTERED "$here/shown.c" -o 32-bit 2>log && ./32-bit >log 2>&1 || [ $? = 7 ] &&
  kinds="$kinds 32-bit" || skip_part "no 32-bit programs: $(tail -n 1 log)"
declare -A reasons=([static]='it is statically linked' [musl]='its libc is not glibc' [32-bit]='it is a 32-bit program')

printf '#!%s/static argument\n' "$work" >script
case $work in *\ *) printf '#!./static argument\n' >script ;; esac
printf '#!./script\n' >script-of-script
printf 'echo shell "$@"; exit 3\n' >shell
printf '#!/does/not/exist\n' >script-gone
head -c 100 dynamic >cut
: >empty
chmod +x script script-of-script shell script-gone cut empty
echo garbage >not-executable
ln -s loop loop
mkdir directory

# ---- every way to start them ---------------------------------------------------------------------
words=(./dynamic ./script ./script-of-script ./shell ./not-executable ./empty ./script-gone ./loop ./directory
  ./gone ./cut dynamic static gone '' /dev/null)
for kind in $kinds; do words+=("./$kind"); done
export PATH="$work:$PATH"
./execs "${words[@]}" >expected 2>expected.err || fail "execs"
for ((run = 0; run < runs; run++)); do
  for options in '' '-c 1ms --timer-correction=off' '-c 250us --timer-correction=off'; do
    "$softlbr" record $options --stats stats.json --force -o data -- ./execs "${words[@]}" >got 2>err ||
      fail "status $?"
    cmp expected got || fail "started programs differ ($options): $(diff expected got | head -n 6)"
    grep -v ^softlbr: err | cmp - expected.err || fail "standard error differs ($options)"
  done
done
for kind in $kinds; do
  grep -q "^softlbr: not recorded: ./$kind: ${reasons[$kind]} ([0-9]* times)$" err || fail "$kind is not named"
done
grep -q '^softlbr: not recorded: [0-9]* more starts of programs$' err || fail "no count of the others"
grep -q '^softlbr: --outside=always records programs that are static' err || fail "no remedy"
[ "$(grep -c '^softlbr: not recorded: [^0-9]' err)" = 5 ] || fail "not five lines"
python3 - $kinds <<'END' || fail "stats.json"
import json, sys
stats = json.load(open("stats.json"))
told = {p["program"]: p for p in stats["not_entered"]}
for kind in sys.argv[1:]:
    # 13 kinds of exec but those of the descriptor, three spawns; a shell is not ours to see
    assert told["./" + kind]["count"] >= 14, told
assert stats["not_entered_starts"] >= sum(p["count"] for p in told.values())
assert stats["processes"] > 15, stats["processes"]  # the dynamic ones
END
"$softlbr" record -q -o quiet.data -- ./execs ./static >got 2>err || fail "status $?"
[ ! -s err ] || fail "-q is not quiet"
for command in 'env -i ./dynamic one' 'env LD_PRELOAD= ./dynamic one'; do
  "$softlbr" record -o data -- $command >got 2>err || true
  grep -q '^softlbr: not recorded: ./dynamic: it is started with another environment' err || fail "$command: $(cat err)"
done

# ---- as command and as child, quiet: nothing at all may differ -----------------------------------
shells='./dynamic one'
for kind in $kinds; do shells="$shells; ./$kind one; ./$kind two | cat; (exec ./$kind three)"; done

# same NAME COMMAND...: by default, often, and from outside
same() {
  name=$1
  shift
  status=0
  "$@" 2>plain.err | normal >plain || status=$?
  normal <plain.err >plain.err2
  for ((run = 0; run < runs; run++)); do
    for options in '' '-c 1ms --timer-correction=off' '-c 250us --timer-correction=off' '--outside=always -c 1ms --timer-correction=off'; do
      rc=0
      rm -f data
      "$softlbr" record -q $options -o data -- "$@" 2>got.err | normal >got || rc=$?
      normal <got.err >got.err2
      [ $rc = $status ] || fail "$name ($options): status $rc, not $status: $(cat got.err)"
      cmp plain got || fail "$name ($options): $(diff plain got)"
      cmp plain.err2 got.err2 || fail "$name ($options): $(diff plain.err2 got.err2)"
    done
  done
  echo "$name: the same, $((4 * runs)) times"
}
normal() { cat; }
same children sh -c "$shells"
for kind in $kinds; do
  [ $kind = 32-bit ] || same "$kind" "./$kind" one
done
normal() { sed 's/process [0-9]*/process/; s/==[0-9]*==//; s/0x[0-9a-f]*/0x/g'; }
command -v strace >/dev/null && strace -o log true 2>/dev/null &&
  same strace sh -c 'strace -f -e trace=openat,execve -o strace.out ./dynamic one; sed "s/^[0-9]* *//" strace.out' ||
  skip_part "no strace"
if [ "$runs" -gt 1 ]; then
  for tool in gdb valgrind; do
    command -v $tool >/dev/null || fail "$tool is not installed"
  done
  same gdb gdb -q -batch -ex 'break main' -ex run -ex bt -ex 'info sharedlibrary' -ex continue --args ./dynamic one
  same valgrind valgrind ./dynamic one
fi

# ---- the second line: what no exec of libc's started ---------------------------------------------
# not_entered REASON COMMAND...: of ./dynamic or another program
not_entered() {
  reason=$1
  shift
  rm -f data
  "$softlbr" record -o data -- "$@" >got 2>err || [ $? = 7 ] || fail "$*: status $?"
  grep -q '7\|variables' got || fail "$*: it did not run"
  grep -q "^softlbr: not recorded: .*: $reason" err || fail "$*: not said that $reason"
}
[ ! -e musl ] || {
  rm -f data
  "$softlbr" record -o data -- sh -c './raw_exec raw ./musl' >got 2>err || [ $? = 7 ] || fail "musl by a system call: $?"
  grep -q variables got || fail "musl by a system call did not run"
  grep -q "not recorded: .*/musl: its libc is not glibc" err || fail "musl by a system call is not named"
}
not_entered 'it runs under a seccomp filter' sh -c './raw_exec filter ./dynamic'
if [ "$(id -u)" = 0 ]; then
  chmod 755 "$work"
  command -v setpriv >/dev/null &&
    not_entered 'it runs as another user' setpriv --reuid 65534 --clear-groups ./dynamic || skip_part "no setpriv"
  not_entered 'it runs as another user' python3 -c 'import os
os.seteuid(65534)
os.execv("./dynamic", ["dynamic"])'
  mkdir -p root/bin
  cp --parents $(ldd dynamic | grep -o '/[^ ]*') root
  cp dynamic static root/bin
  not_entered "the collector can't be loaded from its root directory" chroot root /bin/dynamic
  not_entered 'it is statically linked' chroot root /bin/static
  ! grep -q LD_ got || fail "in another root directory: $(cat got)"
else
  skip_part "other users and root directories: only as root"
fi

# ---- a tracer that comes later -------------------------------------------------------------------
if strace -o log true 2>log; then
  ${CC:-cc} -O1 -pthread "$here/attached.c" -o attached
  "$softlbr" record -c 1ms --timer-correction=off -o late.data -- sh -c 'echo $$ >pid; exec ./attached spin 1' >got 2>err &
  recorder=$!
  # past the loader, which closes files too, and being sampled
  becomes grep -q ready got
  becomes holds late.data 2000
  strace -f -o strace.out -p "$(cat pid)" 2>log &
  tracer=$!
  for ((waited = 0; waited < 300; waited++)); do # until it has closed its events
    # the first trace by breakpoints opens and closes the program's file
    ! grep -A1 'PERF_EVENT_IOC_ID' strace.out 2>/dev/null | grep -q ' close(' || break
    sleep 0.1
  done
  sleep 0.5
  kill -TERM "$(cat pid)"
  wait $tracer || :
  wait $recorder || [ $? = 143 ] || fail "with strace -p: status $?: $(cat got)"
  grep -q '/attached: a debugger or tracer is attached to it' err || fail "strace -p: not seen"
  awk '/ close\(/ { last = NR } /--- SIGTRAP/ { trap = NR } END { exit !(trap && trap < last) }' strace.out ||
    fail "strace -p sees SIGTRAP to the end: $(tail -n 3 strace.out)"
fi

! "$softlbr" record --outside nonsense -- true 2>err || fail "--outside nonsense"
grep -q 'auto, never or always' err || fail "--outside nonsense is not explained"
echo PASS
