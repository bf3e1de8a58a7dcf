/* SPDX-License-Identifier: MIT */
/*
 * The frame that the kernel puts on a stack for a signal: where it is, moving it to another stack,
 * and calling a handler on it as the kernel does.
 */
#pragma once

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* What a handler is called with. */
struct signal_frame_call {
	int number;
	siginfo_t *info; /* in the frame, as the context is */
	ucontext_t *context;
	uintptr_t back; /* where the handler returns to: code that calls rt_sigreturn(2) */
};

typedef void signal_frame_handler(int, siginfo_t *, void *);

/* An entry of ours leaves it in the frame (handler_entry.h), where neither the kernel nor programs
 * have anything. A frame that says where it is has a handler that did not begin yet. */
struct signal_frame_note {
	uintptr_t frame, complement;
	struct signal_frame_call call;
};

/* The stack pointer of what the signal interrupted; and below which a frame leaves that alone. */
uintptr_t signal_frame_interrupted(const ucontext_t *context);
uintptr_t signal_frame_room(const ucontext_t *context);
/* Its lowest byte, where a handler's stack pointer is at its beginning; and behind its highest. */
uintptr_t signal_frame_begin(const ucontext_t *context);
uintptr_t signal_frame_end(const ucontext_t *context, const siginfo_t *info);
/* What was noted in the frame that begins at @frame, or may be. */
struct signal_frame_note *signal_frame_note(uintptr_t frame);
/* Copy it, without the note, with @to as it is aligned at @from; the context there. */
ucontext_t *signal_frame_move(uintptr_t to, uintptr_t from, size_t bytes);

/* Where @interrupting's signal came at the first instruction of another one's handler: what that is
 * called with. */
struct signal_frame_call signal_frame_call(const ucontext_t *interrupting);
/* Have @interrupting go back to the beginning of @handler, called with @call, whose frame of @bytes
 * is copied to @to. */
void signal_frame_move_call(ucontext_t *interrupting, const struct signal_frame_call *call,
			    uintptr_t to, size_t bytes, signal_frame_handler *handler);

/* As the kernel enters a handler. When our stack is free, @note's frame becomes 0, and signals that
 * @mask, if it is not NULL, lets in come. */
_Noreturn void signal_frame_enter(signal_frame_handler *handler,
				  const struct signal_frame_call *call, const uint64_t *mask,
				  struct signal_frame_note *note);
