# SPDX-License-Identifier: MIT
# What programs do and must not be disturbed at (habits.c), from inside and from outside. A handler of the program's for
# SIGTRAP blocks it, and it spends its time there: from outside its traces are not checked.
sve=$(grep -c -m 1 -w sve /proc/cpuinfo)
same signals 40 "-c 1ms" ./habits signals
# again and again, as a signal seldom comes while the frame of another is moved: they are longest here
for round in {1..8}; do
  same vectors "$((sve * 20))" "-c 500us" ./habits vectors
done
same trap 0 "-c 1ms" ./habits trap
same tasks 20 "-c 1ms" ./habits tasks
same waits 20 "-c 1ms" ./habits waits
same outside_signals 15 "--ptrace -c 1ms" ./habits signals
same outside_vectors "$((sve * 15))" "--ptrace -c 1ms" ./habits vectors
same outside_trap 0 "--ptrace -c 1ms" ./habits trap
same outside_tasks 15 "--ptrace -c 1ms" ./habits tasks
same outside_waits 15 "--ptrace -c 1ms" ./habits waits
# gdb finds the caller behind a handler of the program's, and libc's start of main (main's call is a jump)
for what in abort abort_trap; do
  (ulimit -c unlimited && timeout 60 ./softlbr record -q -e task-clock -c 1ms --timer-correction=off -o core.data -- ./habits $what) >core.out 2>&1
  gdb -q -batch -ex bt ./habits core >bt 2>&1
  frames=$(sed -nE 's/^#.*( end| do_abort|__libc_start_main) .*/\1/p; s/.*(<signal handler called>).*/\1/p' bt | paste -sd ' ')
  [ "$frames" = " end <signal handler called>  do_abort __libc_start_main" ] || fail "$what: gdb's frames: $(cat bt)"
  rm -f core
done
# threads that are made and processes that end, again and again
for round in {1..10}; do
  timeout 60 ./softlbr record -q -e task-clock --ptrace --audit=1 --depth=16 -c 1ms --timer-correction=off -o round.data -- ./habits tasks \
    >round.out 2>&1 || fail "round $round of tasks from outside: status $?: $(tail -n 2 round.out)"
done
exit $failed
