/* SPDX-License-Identifier: MIT */
/*
 * The kernel's frame, from its lowest address (arch/arm64/kernel/signal.c):
 *
 *	siginfo | ucontext | [registers that find no room in it, EXTRA_CONTEXT] | fp, lr
 *
 * A handler begins with sp at siginfo, whether it is told of it (SA_SIGINFO) or not, x29 at the
 * record of fp and lr, and the way back in x30.
 */
#include <asm/sigcontext.h>
#include <string.h>

#include "base/atomics.h"
#include "collector/inside/handler/signal_frame.h"
#include "collector/kernel/syscall.h"

#define RECORD_BYTES 16u /* fp, lr */
/* Behind the mask, where libc's is longer. */
#define SIGNAL_FRAME_NOTE 176u
_Static_assert(sizeof(siginfo_t) + offsetof(ucontext_t, uc_sigmask) + 8 == SIGNAL_FRAME_NOTE &&
		       SIGNAL_FRAME_NOTE + sizeof(struct signal_frame_note) <=
			       sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext),
	       "handler_entry_aarch64.h");

uintptr_t signal_frame_interrupted(const ucontext_t *context)
{
	return context->uc_mcontext.sp;
}

uintptr_t signal_frame_room(const ucontext_t *context)
{
	return context->uc_mcontext.sp;
}

uintptr_t signal_frame_begin(const ucontext_t *context)
{
	return (uintptr_t)context - sizeof(siginfo_t);
}

/* Where it is said how much more there is; NULL: no more. */
static struct extra_context *extra(ucontext_t *context)
{
	uint8_t *at = context->uc_mcontext.__reserved,
		*end = at + sizeof(context->uc_mcontext.__reserved);
	struct _aarch64_ctx *head = (void *)at;

	while (at + sizeof(*head) <= end && head->magic && head->size >= sizeof(*head)) {
		if (head->magic == EXTRA_MAGIC)
			return (void *)head;
		at += head->size;
		head = (void *)at;
	}
	return NULL;
}

uintptr_t signal_frame_end(const ucontext_t *context, const siginfo_t *info)
{
	const struct extra_context *e = extra((ucontext_t *)context);

	(void)info;
	return (e ? e->datap + e->size : (uintptr_t)(context + 1)) + RECORD_BYTES;
}

struct signal_frame_note *signal_frame_note(uintptr_t frame)
{
	return (void *)(frame + SIGNAL_FRAME_NOTE);
}

ucontext_t *signal_frame_move(uintptr_t to, uintptr_t from, size_t bytes)
{
	ucontext_t *context = (void *)(to + sizeof(siginfo_t));
	struct extra_context *e;

	memcpy((void *)to, (const void *)from, bytes);
	memset(signal_frame_note(to), 0, sizeof(struct signal_frame_note));
	e = extra(context);
	if (e)
		e->datap += to - from;
	return context;
}

struct signal_frame_call signal_frame_call(const ucontext_t *interrupting)
{
	const mcontext_t *at = &interrupting->uc_mcontext;

	return (struct signal_frame_call){
		.number = (int)at->regs[0],
		.info = (void *)at->sp,
		.context = (void *)(at->sp + sizeof(siginfo_t)),
		.back = at->regs[30],
	};
}

void signal_frame_move_call(ucontext_t *interrupting, const struct signal_frame_call *call,
			    uintptr_t to, size_t bytes, signal_frame_handler *handler)
{
	mcontext_t *at = &interrupting->uc_mcontext;

	signal_frame_move(to, signal_frame_begin(call->context), bytes);
	at->regs[0] = (uint64_t)call->number;
	at->regs[1] = to;
	at->regs[2] = to + sizeof(siginfo_t);
	at->regs[29] = to + bytes - RECORD_BYTES;
	at->regs[30] = call->back;
	at->pc = (uintptr_t)handler;
	/* last: until then, a third signal may come and do all this again */
	atomic_write_release(&at->sp, to);
}

/* The mask is put below the frame. */
_Noreturn void signal_frame_enter(signal_frame_handler *handler,
				  const struct signal_frame_call *call, const uint64_t *mask,
				  struct signal_frame_note *note)
{
	register uint64_t number __asm__("x19") = (uint64_t)call->number;
	register siginfo_t *info __asm__("x20") = call->info;
	register ucontext_t *context __asm__("x21") = call->context;
	register signal_frame_handler *entered __asm__("x22") = handler;
	register uintptr_t back __asm__("x23") = call->back;
	register uintptr_t frame __asm__("x24") = signal_frame_begin(call->context);
	register uintptr_t record __asm__("x25") = signal_frame_end(call->context, call->info) -
						   RECORD_BYTES;
	register uint64_t masked __asm__("x26") = mask != NULL;
	register uint64_t blocked __asm__("x27") = mask ? *mask : 0;
	register uintptr_t *noted __asm__("x28") = &note->frame;

	__asm__ volatile("mov sp, %[frame]\n\t"
			 "mov x29, %[record]\n\t"
			 "str xzr, [%[noted]]\n\t"
			 "cbz %[masked], 1f\n\t"
			 "str %[blocked], [sp, #-16]!\n\t"
			 "mov x0, %[how]\n\t"
			 "mov x1, sp\n\t"
			 "mov x2, xzr\n\t"
			 "mov x3, %[bytes]\n\t"
			 "mov x8, %[call]\n\t"
			 "svc #0\n\t"
			 "add sp, sp, #16\n"
			 "1:\n\t"
			 "mov x0, %[number]\n\t"
			 "mov x1, %[info]\n\t"
			 "mov x2, %[context]\n\t"
			 "mov x30, %[back]\n\t"
			 "mov x16, %[handler]\n\t"
			 "br x16\n\t"
			 :
			 : [frame] "r"(frame), [record] "r"(record), [masked] "r"(masked),
			   [blocked] "r"(blocked), [noted] "r"(noted), [number] "r"(number),
			   [info] "r"(info), [context] "r"(context), [handler] "r"(entered),
			   [back] "r"(back), [call] "i"(SYS_rt_sigprocmask), [how] "i"(SIG_SETMASK),
			   [bytes] "i"(sizeof(*mask))
			 : "memory");
	__builtin_unreachable();
}
