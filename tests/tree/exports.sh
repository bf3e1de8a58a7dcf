#!/bin/sh
# SPDX-License-Identifier: MIT
# exports.sh BUILD_DIRECTORY [PREFIX]: the collector shows a program what collector/inside/interpose/collector.map names
# and no more, needs nothing but libc, and of glibc nothing newer than 2.35, its handler's code calls nothing outside the
# library, and none of its code calls what it exports.
# PREFIX is what binutils for its CPU begin with, as handlers.py takes it.
set -eu
library=$1/libsoftlbr-collector.so
. "$(dirname "$0")/../prelude.sh"
[ -e "$library" ] || skip "$library is not built here"

expected="__fxstat __fxstat64 __sysv_signal __vfork bsd_signal clone close close_range closefrom dlclose dup dup2
dup3 epoll_pwait epoll_pwait2 execl execle execlp execv execve execveat execvp execvpe fcntl fcntl64
fexecve fstat fstat64 ioctl kill killpg mlockall mmap mmap64 mprotect popen posix_spawn posix_spawnp ppoll prctl prlimit
prlimit64 pselect pthread_create pthread_kill pthread_sigmask pthread_sigqueue ptrace raise setns setrlimit setrlimit64
sigaction sigaltstack sighold sigignore siginterrupt signal signalfd sigpending sigprocmask sigqueue sigrelse sigset
sigsuspend sigtimedwait sigwait sigwaitinfo softlbr_collector_dump softlbr_collector_measure softlbr_collector_reset
softlbr_collector_start softlbr_collector_stop __open_2 __open64_2 __openat_2 __openat64_2 accept accept4 epoll_create1
eventfd fopen fopen64 inotify_init1 memfd_create open open64 openat openat64 opendir pipe pipe2 socket socketpair
timerfd_create ssignal syscall system sysv_signal tgkill thrd_create unshare vfork"
found=$(nm -D --defined-only "$library" | awk '{ print $3 }' | sed 's/@.*//' | sort | tr '\n' ' ')
[ "$found" = "$(echo $expected | tr ' ' '\n' | sort | tr '\n' ' ')" ] || fail "exported: $found"

needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p')
for name in $needed; do
  case $name in
    libc.so.* | libm.so.*) ;;
    ld-linux-aarch64.so.1) ;; # libc's: it has the stack protector's guard there
    *) fail "it needs $name" ;;
  esac
done

# As new a glibc as it must be, and no newer: programs with an older one are recorded from outside.
newest=$(readelf -V "$library" | grep -o 'GLIBC_2\.[0-9]*' | sort -t. -k2 -n | tail -n 1)
[ "${newest#GLIBC_2.}" -le 35 ] || fail "it needs $newest"

# Another libc can load it, to stay out: what that lacks is weak.
musl=/usr/lib/x86_64-linux-musl/libc.so
if [ -e $musl ] && [ -z "${2:-}" ]; then
  nm -D --defined-only $musl | awk '{ print $3 }' | sort >"$work/musl"
  lacking=$(nm -D --undefined-only "$library" | awk '$1 == "U" { print $2 }' | sed 's/@.*//' | sort | comm -23 - "$work/musl")
  [ -z "$lacking" ] || fail "musl has no $(echo $lacking)"
fi

# What its handlers can reach calls nothing outside (freestanding.c).
"$(dirname "$0")/handlers.py" "$@" || fail "handlers"
# And the library does not come in through its own door.
"$(dirname "$0")/own_calls.py" "$@" || fail "own calls"
