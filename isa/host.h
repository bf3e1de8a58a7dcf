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
 *	ISA_HOST_QUIET_TIMERS		the kernel sends the signals of timers of processor time
 *when it returns to the program, so that no system call ends by them
 *(CONFIG_POSIX_CPU_TIMERS_TASK_WORK; x86 since Linux 5.11, which is older than sigtrap events)
 *	ISA_HOST_HAS_VALUES		values of arguments are recorded (formats/perfdata_write.h)
 *	ISA_HOST_UNWIND_MASK		registers that a stack is unwound by, by the numbers of
 *					arch/CPU/include/uapi/asm/perf_regs.h
 *	ISA_HOST_UNWIND_REGISTERS	how many they are
 *
 * isa_host_taken_branches() is the PMU's raw event of taken branches retired; 0: not known.
 */
#ifndef ISA_HOST_H
#define ISA_HOST_H

#if defined(__x86_64__)
#include "isa/x86_64/host.h"
#elif defined(__aarch64__)
#include "isa/aarch64/host.h"
#else
#error "softlbr's collector does not know this CPU yet"
#endif

#endif
