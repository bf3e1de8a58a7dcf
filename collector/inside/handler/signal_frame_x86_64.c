/* SPDX-License-Identifier: MIT */
/*
 * The kernel's frame, from its lowest address (arch/x86/kernel/signal_64.c):
 *
 *	return address | ucontext | siginfo | ... | FPU state
 */
#include <string.h>

#include "base/atomics.h"
#include "collector/inside/handler/signal_frame.h"
#include "collector/kernel/syscall.h"

#define RED_ZONE 128u
/* In what is reserved of the context, behind the address of the FPU state. */
#define SIGNAL_FRAME_NOTE 240u
_Static_assert(sizeof(void *) + offsetof(ucontext_t, uc_mcontext.__reserved1) ==
			       SIGNAL_FRAME_NOTE &&
		       sizeof(struct signal_frame_note) <= sizeof(((mcontext_t *)0)->__reserved1),
	       "handler_entry_x86_64.h");

/* struct _fpx_sw_bytes at the end of FXSAVE's area tells how much more there is. */
#define FXSAVE_BYTES   512u
#define SOFTWARE_BYTES 464u
#define XSTATE_MAGIC   0x46505853u

uintptr_t signal_frame_interrupted(const ucontext_t *context)
{
	return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
}

uintptr_t signal_frame_room(const ucontext_t *context)
{
	return signal_frame_interrupted(context) - RED_ZONE;
}

/* The frame begins with the return address, before the context. */
uintptr_t signal_frame_begin(const ucontext_t *context)
{
	return (uintptr_t)context - sizeof(void *);
}

uintptr_t signal_frame_end(const ucontext_t *context, const siginfo_t *info)
{
	const uint8_t *fpu = (const void *)context->uc_mcontext.fpregs;
	uint32_t magic, bytes;

	if (!fpu)
		return (uintptr_t)(info + 1);
	memcpy(&magic, fpu + SOFTWARE_BYTES, sizeof(magic));
	memcpy(&bytes, fpu + SOFTWARE_BYTES + sizeof(magic), sizeof(bytes));
	return (uintptr_t)fpu + (magic == XSTATE_MAGIC ? bytes : FXSAVE_BYTES);
}

struct signal_frame_note *signal_frame_note(uintptr_t frame)
{
	return (void *)(frame + SIGNAL_FRAME_NOTE);
}

ucontext_t *signal_frame_move(uintptr_t to, uintptr_t from, size_t bytes)
{
	ucontext_t *context = (void *)(to + sizeof(void *));

	memcpy((void *)to, (const void *)from, bytes);
	memset(signal_frame_note(to), 0, sizeof(struct signal_frame_note));
	if (context->uc_mcontext.fpregs)
		context->uc_mcontext.fpregs = (void *)((uintptr_t)context->uc_mcontext.fpregs + to -
						       from);
	return context;
}

struct signal_frame_call signal_frame_call(const ucontext_t *interrupting)
{
	const greg_t *at = interrupting->uc_mcontext.gregs;

	return (struct signal_frame_call){
		.number = (int)at[REG_RDI],
		.info = (void *)at[REG_RSI],
		.context = (void *)at[REG_RDX],
		.back = *(const uintptr_t *)at[REG_RSP],
	};
}

/* What the kernel clears at a handler's entry: DF, RF, TF (arch/x86/kernel/signal.c). */
#define ENTRY_CLEARS UINT64_C(0x10500)

void signal_frame_move_call(ucontext_t *interrupting, const struct signal_frame_call *call,
			    uintptr_t to, size_t bytes, signal_frame_handler *handler)
{
	greg_t *at = interrupting->uc_mcontext.gregs;
	const greg_t *before = call->context->uc_mcontext.gregs;
	uintptr_t from = signal_frame_begin(call->context);

	signal_frame_move(to, from, bytes);
	*(uintptr_t *)to = call->back;
	at[REG_RDI] = call->number;
	at[REG_RSI] = (greg_t)((uintptr_t)call->info + to - from);
	at[REG_RDX] = (greg_t)((uintptr_t)call->context + to - from);
	at[REG_RAX] = 0;
	at[REG_RBP] = before[REG_RBP];
	at[REG_EFL] = before[REG_EFL] & ~(greg_t)ENTRY_CLEARS;
	at[REG_RIP] = (greg_t)(uintptr_t)handler;
	/* last: until then, a third signal may come and do all this again */
	atomic_write_release(&at[REG_RSP], (greg_t)to);
}

/* The stack pointer at the frame's return address, rbp untouched, the flags those of the
 * interrupted code (AC, which the entry took away, included). The mask is put below the frame. */
_Noreturn void signal_frame_enter(signal_frame_handler *handler,
				  const struct signal_frame_call *call, const uint64_t *mask,
				  struct signal_frame_note *note)
{
	const greg_t *at = call->context->uc_mcontext.gregs;
	uintptr_t frame = signal_frame_begin(call->context);
	register uint64_t rbp __asm__("r8") = (uint64_t)at[REG_RBP];
	register uint64_t flags __asm__("r9") = (uint64_t)at[REG_EFL] & ~ENTRY_CLEARS;
	register uint64_t bytes __asm__("r10") = sizeof(*mask);
	register uint64_t number __asm__("r12") = (uint64_t)call->number;
	register siginfo_t *info __asm__("r13") = call->info;
	register ucontext_t *context __asm__("r14") = call->context;
	register signal_frame_handler *entered __asm__("r15") = handler;

	*(uintptr_t *)frame = call->back;
	__asm__ volatile(
		"mov %%rax, %%rsp\n\t"
		"mov %[rbp], %%rbp\n\t"
		"movq $0, (%%rdx)\n\t"
		"test %%rsi, %%rsi\n\t"
		"jz 1f\n\t"
		"mov %%rcx, -8(%%rsp)\n\t"
		"lea -8(%%rsp), %%rsi\n\t"
		"mov %[call], %%eax\n\t"
		"mov %[how], %%edi\n\t"
		"xor %%edx, %%edx\n\t"
		"syscall\n"
		"1:\n\t"
		"mov %[number], %%rdi\n\t"
		"mov %[info], %%rsi\n\t"
		"mov %[context], %%rdx\n\t"
		"xor %%eax, %%eax\n\t"
		"push %[flags]\n\t"
		"popf\n\t"
		"jmp *%[handler]\n\t"
		:
		: "a"(frame), "S"(mask), "c"(mask ? *mask : 0), "d"(&note->frame),
		  "r"(bytes), [number] "r"(number), [info] "r"(info), [context] "r"(context),
		  [handler] "r"(entered), [rbp] "r"(rbp), [flags] "r"(flags),
		  [call] "i"(SYS_rt_sigprocmask), [how] "i"(SIG_SETMASK)
		: "memory");
	__builtin_unreachable();
}
