/* SPDX-License-Identifier: MIT */
/*
 * A program may have set EFLAGS.AC, and the kernel leaves that to handlers: compiled code, which
 * has unaligned accesses, would get SIGBUS. The kernel clears DF and TF itself; sigreturn brings
 * all of them back.
 */
#pragma once

#include <signal.h>

#define HANDLER_ENTRY(entry, handler)	    HANDLER_ENTRY_NOTE(entry, "", handler)
#define HANDLER_ENTRY_NOTED(entry, handler) HANDLER_ENTRY_NOTE(entry, HANDLER_NOTE(entry), handler)

/* struct signal_frame_note, at SIGNAL_FRAME_NOTE */
#define HANDLER_NOTE(entry)      \
	"	mov %rsp, %rax\n"      \
	"	mov %rax, 240(%rsp)\n" \
	"	not %rax\n"            \
	"	mov %rax, 248(%rsp)\n" \
	"	mov %rdi, 256(%rsp)\n" \
	"	mov %rsi, 264(%rsp)\n" \
	"	mov %rdx, 272(%rsp)\n" \
	"	mov (%rsp), %rcx\n"    \
	"	mov %rcx, 280(%rsp)\n" #entry "_noted:\n"

#define HANDLER_ENTRY_NOTE(entry, note, handler)                                              \
	__asm__(".pushsection .text\n"                                                        \
		".globl " #entry "\n.hidden " #entry "\n.type " #entry ", @function\n" #entry \
		":\n" note "	pushfq\n"                                                        \
		"	andq $~0x40000, (%rsp)\n" /* AC */                                    \
		"	popfq\n"                                                                    \
		"	mov (%rsp), %rcx\n"                                                         \
		"	jmp " #handler "\n"                                                   \
		".size " #entry ", . - " #entry "\n"                                          \
		".popsection\n");                                                             \
	void entry(int number, siginfo_t *info, void *context)                                \
		__attribute__((visibility("hidden")));

#define HANDLER_RETURN(name)                                                                    \
	__asm__(".pushsection .text\n"                                                          \
		".globl " #name "\n.hidden " #name "\n.type " #name ", @function\n" #name ":\n" \
		"	mov $15, %rax\n" /* rt_sigreturn */                                     \
		"	syscall\n"                                                                    \
		".size " #name ", . - " #name "\n"                                              \
		".popsection\n");                                                               \
	void name(void) __attribute__((visibility("hidden")));

/* The stack pointer is at the context, as libc's way back to the kernel has it. Where registers
 * are: DW_CFA_def_cfa_expression and DW_CFA_expression with DW_OP_breg7, of offsets in ucontext_t,
 * as SLEB128 of two bytes. */
#define HANDLER_RETURN_BY(name, function)                                                       \
	__asm__("	.pushsection .text\n"                                                         \
		"	.macro handler_saved number, offset\n"                                        \
		"	.cfi_escape 0x10, \\number, 3, 0x77, \\offset & 0x7f | 0x80, \\offset >> 7\n" \
		"	.endm\n"                                                                      \
		"	.cfi_startproc\n"                                                             \
		"	.cfi_signal_frame\n"                                                          \
		"	.cfi_escape 0x0f, 4, 0x77, 160 & 0x7f | 0x80, 160 >> 7, 0x06\n"               \
		"	handler_saved 8, 40\n"                                                        \
		"	handler_saved 9, 48\n"                                                        \
		"	handler_saved 10, 56\n"                                                       \
		"	handler_saved 11, 64\n"                                                       \
		"	handler_saved 12, 72\n"                                                       \
		"	handler_saved 13, 80\n"                                                       \
		"	handler_saved 14, 88\n"                                                       \
		"	handler_saved 15, 96\n"                                                       \
		"	handler_saved 5, 104\n"                                                       \
		"	handler_saved 4, 112\n"                                                       \
		"	handler_saved 6, 120\n"                                                       \
		"	handler_saved 3, 128\n"                                                       \
		"	handler_saved 1, 136\n"                                                       \
		"	handler_saved 0, 144\n"                                                       \
		"	handler_saved 2, 152\n"                                                       \
		"	handler_saved 7, 160\n"                                                       \
		"	handler_saved 16, 168\n"                                                      \
		"	.purgem handler_saved\n"                                                      \
		"	nop\n"                                                                        \
		"	.type " #name ", @function\n" #name ":\n"                               \
		"	pushfq\n"                                                                     \
		"	andq $~0x40000, (%rsp)\n"                                                     \
		"	popfq\n"                                                                      \
		"	call " #function "\n"                                                   \
		"	mov $15, %rax\n"                                                              \
		"	syscall\n"                                                                    \
		"	.size " #name ", . - " #name "\n"                                       \
		"	.cfi_endproc\n"                                                               \
		"	.popsection\n");                                                        \
	void name(void) __attribute__((visibility("hidden")));

#define HANDLER_TAIL(name, function)                                         \
	__asm__(".pushsection .text\n"                                       \
		".globl " #name "\n.type " #name ", @function\n" #name ":\n" \
		"	.cfi_startproc\n"                                          \
		"	sub $8, %rsp\n"                                            \
		"	.cfi_adjust_cfa_offset 8\n"                                \
		"	call " #function "\n"                                \
		"	add $8, %rsp\n"                                            \
		"	.cfi_adjust_cfa_offset -8\n"                               \
		"	jmp *%rax\n"                                               \
		"	.cfi_endproc\n"                                            \
		".size " #name ", . - " #name "\n"                           \
		".popsection\n")
