/* SPDX-License-Identifier: MIT */
/*
 * Where the kernel enters a signal handler of ours. A program may have set EFLAGS.AC, and the
 * kernel leaves that to handlers: compiled code, which has unaligned accesses, would get SIGBUS.
 * The kernel clears DF and TF itself; sigreturn brings all of them back.
 */
#ifndef COLLECTOR_INSIDE_HANDLER_ENTRY_H
#define COLLECTOR_INSIDE_HANDLER_ENTRY_H

#include <signal.h>

#if defined(__x86_64__)
/* Define @entry, which makes the flags ordinary and goes to @handler, a static function with the
 * attribute `used`. */
#define HANDLER_ENTRY(entry, handler)                          \
	__asm__(".pushsection .text\n"                         \
		".type " #entry ", @function\n" #entry ":\n"   \
		"	pushfq\n"                                    \
		"	andq $~0x40000, (%rsp)\n" /* AC */     \
		"	popfq\n"                                     \
		"	jmp " #handler "\n"                    \
		".size " #entry ", . - " #entry "\n"           \
		".popsection\n");                              \
	void entry(int number, siginfo_t *info, void *context) \
		__attribute__((visibility("hidden")));
#else
#error "say how handlers are entered on this CPU"
#endif

#endif
