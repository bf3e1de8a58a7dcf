/* SPDX-License-Identifier: MIT */
#include "collector/inside/handler/signal_delivery.h"

#include <string.h>

#include "base/atomics.h"
#include "collector/inside/handler/handler_entry.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/inside/handler/altstack.h"
#include "collector/inside/handler/signal_frame.h"
#include "collector/inside/handler/thread.h"
#include "collector/kernel/syscall.h"
#include "isa/evaluate.h"

/* ---- moving a frame ------------------------------------------------------------------------ */

/* Is the frame on a stack of the program's making that we left to the thread, where SIGTRAP's
 * handler without SA_ONSTACK has no place? */
static bool is_astray(const ucontext_t *context, uintptr_t frame, bool on_alternate)
{
	const struct altstack_owner kernel = {.program = context->uc_stack};

	return !on_alternate && altstack_on_program(&kernel, frame) &&
	       !altstack_on_program(&kernel, signal_frame_interrupted(context));
}

/* Where the frame is to be: the same place if it is right there, or nowhere else. */
static uintptr_t destination(const ucontext_t *context, uintptr_t frame, size_t bytes,
			     bool on_alternate)
{
	const struct altstack_owner *o = altstack_at(frame);
	uintptr_t interrupted = signal_frame_interrupted(context), lowest = 0, to;
	uintptr_t top = signal_frame_room(context);

	if (altstack_at(interrupted) || (!o && !is_astray(context, frame, on_alternate)))
		return frame;
	if (o && on_alternate && !(o->program.ss_flags & SS_DISABLE) &&
	    !altstack_on_program(o, interrupted)) {
		lowest = (uintptr_t)o->program.ss_sp;
		top = lowest + o->program.ss_size;
	}
	/* aligned as it was: to 64 bytes, for x86's FPU state */
	to = ((top - bytes - 64) & ~(uintptr_t)63) + frame % 64;
	return bytes + 128 < top && to >= lowest ? to : frame;
}

static bool is_on_alternate(int number)
{
	return atomic_read_relaxed(&handler_state.delivery.on_alternate) >> (number - 1) & 1;
}

/* Less than any frame of the kernel's, and more than our functions below an entry take. */
#define SMALLEST_FRAME 1024u

/* The call that was noted in the frame next above @at on our stack; NULL if none was. What
 * functions have there may look like a note that was: the frame is the last. */
static const struct signal_frame_call *noted_call(uintptr_t at)
{
	const struct signal_frame_call *last = NULL;

	at = (at + 7) & ~(uintptr_t)7;
	for (uintptr_t frame = at; frame < at + SMALLEST_FRAME; frame += 8) {
		const struct signal_frame_note *note = signal_frame_note(frame);

		if (note->frame == frame && note->complement == ~frame)
			last = &note->call;
	}
	return last;
}

/* Had the handler that @interrupting's signal interrupted not begun? At our entry, or between that
 * and the handler. */
static bool had_not_begun(const ucontext_t *interrupting, struct signal_frame_call *out)
{
	const struct signal_frame_call *noted;

	if (!altstack_at(signal_frame_interrupted(interrupting)))
		return false;
	if (signal_delivery_is_beginning(interrupting)) {
		*out = signal_frame_call(interrupting);
		return true;
	}
	noted = noted_call(signal_frame_interrupted(interrupting));
	if (noted)
		*out = *noted;
	return noted;
}

/*
 * Two signals often come at once, or one in the microseconds in which the other's frame is copied:
 * the frame of the second is put below that of the first one, whose handler has not begun. The
 * first frame goes where it belongs, and what the second interrupted is the program's handler
 * there.
 */
static void settle_frame(ucontext_t *interrupting)
{
	struct signal_frame_call call;
	uintptr_t from, to;
	size_t bytes;

	if (!had_not_begun(interrupting, &call))
		return;
	thread_note_signal_current(isa_state_context_pc(call.context));
	settle_frame(call.context);
	from = signal_frame_begin(call.context);
	bytes = signal_frame_end(call.context, call.info) - from;
	to = destination(call.context, from, bytes, is_on_alternate(call.number));
	if (to == from)
		return;
	signal_frame_move_call(interrupting, &call, to, bytes,
			       atomic_read_relaxed(&handler_state.delivery.handlers[call.number]));
	signal_frame_note(from)->frame = 0;
}

/* The frame of @call, to where the handler is to find it. */
static void move_frame(struct signal_frame_call *call, bool on_alternate)
{
	uintptr_t from = signal_frame_begin(call->context);
	size_t bytes = signal_frame_end(call->context, call->info) - from;
	uintptr_t to = destination(call->context, from, bytes, on_alternate);

	if (to == from) {
		memset(signal_frame_note(from), 0, sizeof(struct signal_frame_note));
		return;
	}
	call->context = signal_frame_move(to, from, bytes);
	call->info = (void *)((uintptr_t)call->info + to - from);
}

/* A signal that comes before the handler has begun settles this one, and we don't go on. */
void signal_delivery_pass_on(signal_delivery_handler *handler, bool on_alternate,
			     const uint64_t *mask, int number, siginfo_t *info, ucontext_t *context,
			     uintptr_t back)
{
	struct signal_frame_call call = {number, info, context, back};
	struct signal_frame_note *note = signal_frame_note(signal_frame_begin(context));

	settle_frame(context);
	move_frame(&call, on_alternate);
	signal_frame_enter(handler, &call, mask, note);
}

/* ---- standing before handlers -------------------------------------------------------------- */

static __attribute__((used)) void on_delivery(int number, siginfo_t *info, void *context,
					      uintptr_t back)
{
	thread_note_signal_current(isa_state_context_pc(context));
	signal_delivery_pass_on(atomic_read_relaxed(&handler_state.delivery.handlers[number]),
				is_on_alternate(number), NULL, number, info, context, back);
}
HANDLER_ENTRY_NOTED(signal_delivery_entry, on_delivery)
extern const char signal_delivery_entry_noted[] __attribute__((visibility("hidden")));

bool signal_delivery_is_beginning(const ucontext_t *context)
{
	return isa_state_context_pc(context) - (uintptr_t)signal_delivery_entry <=
	       (uintptr_t)signal_delivery_entry_noted - (uintptr_t)signal_delivery_entry;
}

static long kernel_action(int number, const struct kernel_sigaction *new_action,
			  struct kernel_sigaction *old_action)
{
	return syscall_6(SYS_rt_sigaction, (uint64_t)number, (uintptr_t)new_action,
			 (uintptr_t)old_action, sizeof(new_action->mask), 0, 0);
}

uint64_t signal_delivery_restorer(void)
{
	uint64_t known = atomic_read_relaxed(&handler_state.delivery.restorer);
	struct kernel_sigaction action;

	/* SIGTRAP's is ours */
	for (int number = 1; !known && number < SIGNAL_DELIVERY_SIGNALS; number++)
		if (number != SIGTRAP && !kernel_action(number, NULL, &action) &&
		    (uintptr_t)action.handler > 1)
			known = (uintptr_t)action.restorer;
	atomic_write_release(&handler_state.delivery.restorer, known);
	return known;
}
