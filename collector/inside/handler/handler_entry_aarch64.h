/* SPDX-License-Identifier: MIT */
/*
 * The kernel enters with the way back in x30, and tells of siginfo and context only who asked by
 * SA_SIGINFO: they are where the stack pointer is (arch/arm64/kernel/signal.c, setup_return). In a
 * program that is protected by BTI the entry has to be a place to branch to.
 */
#pragma once

#include <signal.h>

#define HANDLER_ENTRY(entry, handler)	    HANDLER_ENTRY_NOTE(entry, "", handler)
#define HANDLER_ENTRY_NOTED(entry, handler) HANDLER_ENTRY_NOTE(entry, HANDLER_NOTE(entry), handler)

/* struct signal_frame_note, at SIGNAL_FRAME_NOTE */
#define HANDLER_NOTE(entry)          \
	"	mvn x16, x1\n"             \
	"	stp x1, x16, [sp, #176]\n" \
	"	stp x0, x1, [sp, #192]\n"  \
	"	stp x2, x3, [sp, #208]\n" #entry "_noted:\n"

#define HANDLER_ENTRY_NOTE(entry, note, handler)                                              \
	__asm__(".pushsection .text\n"                                                        \
		".globl " #entry "\n.hidden " #entry "\n.type " #entry ", %function\n" #entry \
		":\n"                                                                         \
		"	hint #34\n" /* bti c */                                               \
		"	mov x1, sp\n"                                                               \
		"	add x2, sp, #128\n"                                                         \
		"	mov x3, x30\n" note "	b " #handler "\n"                             \
		".size " #entry ", . - " #entry "\n"                                          \
		".popsection\n");                                                             \
	void entry(int number, siginfo_t *info, void *context)                                \
		__attribute__((visibility("hidden")));

/* libgcc and gdb look for these two instructions where a handler returns to, and nothing else may
 * say how to unwind from there. */
#define HANDLER_RETURN(name)                                                                    \
	__asm__(".pushsection .text\n"                                                          \
		".globl " #name "\n.hidden " #name "\n.type " #name ", %function\n" #name ":\n" \
		"	mov x8, #139\n" /* rt_sigreturn */                                      \
		"	svc #0\n"                                                                     \
		".size " #name ", . - " #name "\n"                                              \
		".popsection\n");                                                               \
	void name(void) __attribute__((visibility("hidden")));

/* The stack pointer is at struct rt_sigframe: a siginfo of 128 bytes, and the ucontext, whose
 * mcontext has x0 at 184. DW_CFA_def_cfa_expression and DW_CFA_expression with DW_OP_breg31, of
 * offsets as SLEB128 of two bytes; the pc is in libgcc's column for it. Unwinders look at the
 * instruction before; 139 is rt_sigreturn. */
#define HANDLER_RETURN_BY(name, function)                                                       \
	__asm__("	.pushsection .text\n"                                                         \
		"	.macro handler_saved number, offset\n"                                        \
		"	.cfi_escape 0x10, \\number, 3, 0x8f, \\offset & 0x7f | 0x80, \\offset >> 7\n" \
		"	.endm\n"                                                                      \
		"	.cfi_startproc\n"                                                             \
		"	.cfi_return_column 96\n"                                                      \
		"	.cfi_signal_frame\n"                                                          \
		"	.cfi_escape 0x0f, 4, 0x8f, 560 & 0x7f | 0x80, 560 >> 7, 0x06\n"               \
		"	handler_saved 19, 464\n"                                                      \
		"	handler_saved 20, 472\n"                                                      \
		"	handler_saved 21, 480\n"                                                      \
		"	handler_saved 22, 488\n"                                                      \
		"	handler_saved 23, 496\n"                                                      \
		"	handler_saved 24, 504\n"                                                      \
		"	handler_saved 25, 512\n"                                                      \
		"	handler_saved 26, 520\n"                                                      \
		"	handler_saved 27, 528\n"                                                      \
		"	handler_saved 28, 536\n"                                                      \
		"	handler_saved 29, 544\n"                                                      \
		"	handler_saved 30, 552\n"                                                      \
		"	handler_saved 96, 568\n"                                                      \
		"	.purgem handler_saved\n"                                                      \
		"	nop\n"                                                                        \
		"	.type " #name ", %function\n" #name ":\n"                               \
		"	bl " #function "\n"                                                     \
		"	mov x8, #139\n"                                                               \
		"	svc #0\n"                                                                     \
		"	.size " #name ", . - " #name "\n"                                       \
		"	.cfi_endproc\n"                                                               \
		"	.popsection\n");                                                        \
	void name(void) __attribute__((visibility("hidden")));

#define HANDLER_TAIL(name, function)                                         \
	__asm__(".pushsection .text\n"                                       \
		".globl " #name "\n.type " #name ", %function\n" #name ":\n" \
		"	.cfi_startproc\n"                                          \
		"	hint #34\n" /* bti c */                              \
		"	stp x29, x30, [sp, #-16]!\n"                               \
		"	.cfi_def_cfa_offset 16\n"                                  \
		"	.cfi_offset 29, -16\n"                                     \
		"	.cfi_offset 30, -8\n"                                      \
		"	bl " #function "\n"                                  \
		"	mov x16, x0\n"                                             \
		"	ldp x29, x30, [sp], #16\n"                                 \
		"	.cfi_restore 29\n"                                         \
		"	.cfi_restore 30\n"                                         \
		"	.cfi_def_cfa_offset 0\n"                                   \
		"	br x16\n"                                                  \
		"	.cfi_endproc\n"                                            \
		".size " #name ", . - " #name "\n"                           \
		".popsection\n")
