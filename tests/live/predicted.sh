#!/bin/bash
# SPDX-License-Identifier: MIT
# predicted.sh SOFTLBR: `doctor -- COMMAND` says how record will go about a command, and record does that, for each
# class of programs in docs/survival.md ("What happens to which program").
set -euo pipefail
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs_recording_inside
softlbr=$(realpath "$softlbr")
user=env

# predicted HOW WHY COMMAND: doctor's word, and record's deed; as $user
predicted() {
  how=$1
  why=$2
  shift 2
  rc=0
  $user "$softlbr" doctor --json -- "$1" >doctor.json || rc=$?
  python3 - "$how" "$why" <<'END' || fail "$1: doctor does not say $how, $why: $(cat doctor.json)"
import json, sys
told = json.load(open("doctor.json"))["command"]
sys.exit(told["how"] != sys.argv[1] or sys.argv[2] not in told["why"])
END
  [ $rc = $([ "$how" = refused ] && echo 1 || echo 0) ] || fail "$1: doctor's status $rc"
  rc=0
  rm -f data
  $user "$softlbr" record -c 1ms --timer-correction=off -o data -- "$@" >got 2>err || rc=$?
  case $how in
    refused) [ $rc = 125 ] && [ ! -e data ] || fail "$1: not refused: status $rc" ;;
    outside) [ $rc = 7 ] && grep -q 'recording from outside' err || fail "$1: status $rc, or not from outside" ;;
    inside) [ $rc = 7 ] && ! grep -q 'recording from outside' err || fail "$1: status $rc, or from outside" ;;
  esac
  rm -f data
  rc=0
  $user "$softlbr" record --outside never -o data -- "$@" >got 2>err || rc=$?
  case $how in
    inside) [ $rc = 7 ] || fail "$1: --outside never: status $rc" ;;
    *) [ $rc = 125 ] && [ ! -e data ] && [ ! -s got ] || fail "$1: --outside never: status $rc" ;;
  esac
  echo "$1: $how${why:+: $why}"
}

# has WHAT COMMAND...: it makes the program of a class; where it can't, the class is left out
has() {
  what=$1
  shift
  "$@" >log 2>&1 || {
    skip_part "no $what here: $(tail -n 1 log)"
    return 1
  }
}

compile() { ${CC:-cc} -O1 -g "$@" "$here/shown.c"; }

compile -o dynamic
predicted inside '' ./dynamic
compile -static -o static
predicted outside 'statically linked' ./static
! has static-pie compile -static-pie -o static-pie || predicted outside 'statically linked' ./static-pie
! has musl musl-gcc "$here/shown.c" -o musl || predicted outside 'its libc is not glibc' ./musl
! has '32-bit programs' compile -m32 -o 32-bit || predicted refused '32-bit program' ./32-bit

# of the ELF header: e_machine is AArch64's
cp dynamic foreign
printf '\267\0' | dd of=foreign bs=1 seek=18 conv=notrunc 2>log
predicted refused 'for another processor' ./foreign

cat >program.go <<'END'
package main

import "os"

func main() { os.Exit(7) }
END
export GOCACHE=$work/cache GO111MODULE=off HOME=$work
! has Go go build -o go program.go || predicted outside 'Go runtime' ./go
cat >library.go <<'END'
package main

import "C"

//export work
func work() C.int { return 7 }

func main() {}
END
echo 'int work(void); int main(void) { return work(); }' >linked.c
if has 'libraries of Go' go build -buildmode=c-shared -o libwork.so library.go; then
  ${CC:-cc} linked.c -o linked -L. -lwork -Wl,-rpath,"$work"
  predicted outside 'Go runtime' ./linked
fi
if has 'archives of Go' go build -buildmode=c-archive -o work.a library.go; then
  ${CC:-cc} linked.c -o archived work.a -pthread
  predicted outside 'Go runtime' ./archived
fi

for clang in $(each clang 16); do
  ! has "ThreadSanitizer of $clang" "$clang" -fsanitize=thread "$here/shown.c" -o thread ||
    predicted outside 'sanitizer' ./thread
done
export ASAN_OPTIONS=detect_leaks=0
! has 'AddressSanitizer' compile -fsanitize=address -o address || predicted inside '' ./address

# prctl(PR_SET_SECCOMP) by the program's own instruction, to be told EFAULT
cat >filters.c <<'END'
int main(void)
{
	long rc = 157;

	__asm__ volatile("syscall" : "+a"(rc) : "D"(22l), "S"(2l), "d"(0l) : "rcx", "r11", "memory");
	return rc < 0 ? 7 : 1;
}
END
${CC:-cc} -O2 filters.c -o filters
predicted outside 'seccomp filter' ./filters

# SIGTRAP's handler by the program's own instruction
if [ "$(uname -m)" = x86_64 ]; then
  ${CC:-cc} -O2 -DOWN_ACTIONS "$here/unnoticed.c" -o actions
  "$softlbr" doctor --json -- ./actions >doctor.json
  grep -q 'sets signal handlers by system calls' doctor.json ||
    fail "bare handlers are not predicted"
fi

case $work in *\ *) ;; *)
  for program in dynamic static; do
    printf '#!%s/%s\n' "$work" $program >script-$program
    printf '#!%s/script-%s\n' "$work" $program >twice-$program
  done
  chmod +x script-* twice-*
  predicted inside '' ./script-dynamic
  predicted inside '' ./twice-dynamic
  predicted outside 'statically linked' ./script-static
  predicted outside 'statically linked' ./twice-static
  ;;
esac

if command -v valgrind >/dev/null; then
  predicted inside '' valgrind -q ./dynamic
  grep -q 'not recorded: .*' err || fail "valgrind's client is entered"
fi
if command -v strace >/dev/null && strace -o log true 2>log; then
  predicted inside '' strace -o log ./dynamic
  python3 -c 'import json, sys; sys.exit(not json.load(open("doctor.json"))["command"]["traces"])' ||
    fail "strace: doctor does not say that it traces"
fi

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  for bit in u g; do
    cp dynamic set${bit}id
    chown 65534:65534 set${bit}id
    chmod $bit+s set${bit}id
    predicted outside 'setuid, setgid' ./set${bit}id
  done
  cp dynamic capable
  mkdir softlbr
  cp "$softlbr" "$(dirname "$softlbr")"/softlbr-full "$(dirname "$softlbr")"/libsoftlbr-collector.so.0 softlbr
  softlbr=$work/softlbr/softlbr
  chmod 777 "$work"
  chown 0:0 set*id
  chmod u+s setuid
  chmod g+s setgid
  user='setpriv --reuid 65534 --regid 65534 --clear-groups'
  predicted refused 'setuid, setgid' ./setuid
  predicted refused 'setuid, setgid' ./setgid
  ! has 'file capabilities' setcap cap_net_raw+ep capable || predicted refused 'file capabilities' ./capable
  predicted inside '' ./dynamic
else
  skip_part "not root: nothing setuid"
fi
echo PASS
