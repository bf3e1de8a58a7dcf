/* SPDX-License-Identifier: MIT */
/*
 * What differs between CPUs for who records on them:
 *
 *	ISA_HOST_MACHINE		the ELF machine of its programs
 *	ISA_HOST_NAME			uname(2)'s name of it
 *	ISA_HOST_TRIPLET		Debian's name of the folders of its libraries
 *	ISA_HOST_LINKER			the name of glibc's dynamic linker
 *	ISA_HOST_BREAKPOINT_BYTES	bp_len of a breakpoint on code
 *	ISA_HOST_PASSES_BREAKPOINT	a thread that goes on from its breakpoint passes it, and is
 *					not stopped there again
 *	ISA_HOST_STOPS_BEHIND		a breakpoint on data stops behind the access, not before
 *	ISA_HOST_QUIET_TIMERS		signals of timers of processor time are sent on the way back
 *					to the program, so that no system call ends by them
 *					(CONFIG_POSIX_CPU_TIMERS_TASK_WORK; x86 since Linux 5.11)
 *	ISA_HOST_HAS_VALUES		values of arguments are recorded (formats/perfdata_write.h)
 *	ISA_HOST_UNWIND_MASK		registers that a stack is unwound by, by the numbers of
 *					arch/CPU/include/uapi/asm/perf_regs.h
 *	ISA_HOST_UNWIND_REGISTERS	how many they are
 *	ISA_HOST_LOADS_..., _SYSTEM_CALL	code that sets a seccomp filter or a signal's
 *handler by a bare system call: loads of ISA_HOST_LOAD_BYTES each, and the call; without
 *LOADS_MASK's bits, the first byte tells which register it is
 *
 * isa_host_taken_branches() is the PMU's raw event of taken branches retired; 0: not known.
 *
 * isa_ticks() is the CPU's own clock, the cheapest time there is, in ticks of a constant but
 * unknown length. isa_line_load_ticks() tells the ticks that a load of a byte of memory takes, the
 * clock's own among them, and isa_line_flush() puts its cache line out of all caches.
 * isa_line_begin_ticks() and isa_line_end_ticks() are the clock before and behind other loads:
 * neither begins before the other is over. Without ISA_LINES_ARE_TIMED a load takes no ticks, and
 * no line is put out.
 *
 * isa_host_copy() and isa_host_fill() are for more bytes than a few, from lower to higher
 * addresses, without a call. isa_host_ask_valgrind() is a request to valgrind: instructions that
 * come to nothing, and that it knows (its manual, "The Client Request mechanism"); 0 without it.
 */
#pragma once

#if defined(__x86_64__)
#include "isa/x86_64/host.h"
#elif defined(__aarch64__)
#include "isa/aarch64/host.h"
#else
#error "softlbr's collector does not know this CPU yet"
#endif
