/* SPDX-License-Identifier: MIT */
#include "collector/inside/handler/altstack.h"

#include <errno.h>
#include <sys/mman.h>

#include "base/atomics.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/kernel/syscall.h"

#define PAGE	       4096u
#define SEGMENT_STACKS 8u /* mapped at once: half a megabyte */

void altstack_init(void)
{
	arena_init(&handler_state.altstacks.stacks, ALTSTACK_BYTES, SEGMENT_STACKS);
}

static stack_t kernel_stack(void)
{
	stack_t now = {.ss_flags = SS_DISABLE};

	syscall_3(SYS_sigaltstack, 0, (uintptr_t)&now, 0);
	return now;
}

struct altstack_owner *altstack_at(uintptr_t address)
{
	uint32_t i = arena_find(&handler_state.altstacks.stacks, address);

	return i < ALTSTACK_MAX ? &handler_state.altstacks.owners[i] : NULL;
}

bool altstack_is_low(uintptr_t address)
{
	uint32_t i = arena_find(&handler_state.altstacks.stacks, address);

	return i < ALTSTACK_MAX &&
	       address - (uintptr_t)arena_at(&handler_state.altstacks.stacks, i) <
		       ALTSTACK_BYTES / 2;
}

bool altstack_on_program(const struct altstack_owner *o, uintptr_t address)
{
	return !(o->program.ss_flags & SS_DISABLE) &&
	       address - (uintptr_t)o->program.ss_sp - 1 < o->program.ss_size;
}

struct altstack_owner *altstack_current(void)
{
	return altstack_at((uintptr_t)kernel_stack().ss_sp);
}

static uint32_t used_owners(void)
{
	return atomic_read_relaxed(&handler_state.altstacks.used);
}

/* Raised before the owner has its number. */
static void use_owner(uint32_t i)
{
	uint32_t used;

	while ((used = used_owners()) <= i)
		atomic_swap_if(&handler_state.altstacks.used, used, i + 1);
}

const struct altstack_owner *altstack_of(uint32_t tid)
{
	for (uint32_t i = 0; i < used_owners(); i++)
		if (handler_state.altstacks.owners[i].tid == tid)
			return &handler_state.altstacks.owners[i];
	return NULL;
}

static bool is_gone(uint32_t tid)
{
	return syscall_3(SYS_tgkill, syscall_pid(), tid, 0) == -ESRCH;
}

/* A thread may end without telling us, and its number come again: its stack is its successor's. */
static struct altstack_owner *find_owner(uint32_t tid)
{
	for (uint32_t i = 0; i < ALTSTACK_MAX; i++) {
		uint32_t owner = atomic_read_relaxed(&handler_state.altstacks.owners[i].tid);

		use_owner(i);
		if (owner == tid ||
		    (!owner && atomic_swap_if(&handler_state.altstacks.owners[i].tid, 0, tid)))
			return &handler_state.altstacks.owners[i];
	}
	for (uint32_t i = 0; i < ALTSTACK_MAX; i++) {
		uint32_t owner = atomic_read_relaxed(&handler_state.altstacks.owners[i].tid);

		if (is_gone(owner) &&
		    atomic_swap_if(&handler_state.altstacks.owners[i].tid, owner, tid))
			return &handler_state.altstacks.owners[i];
	}
	return NULL;
}

/* What to give to the kernel in place of @program, which is off; false if there is none for this
 * thread. */
static bool stack_of(uint32_t tid, const stack_t *program, stack_t *out)
{
	struct altstack_owner *o = find_owner(tid);
	uintptr_t base;

	if (!o)
		return false;
	base = (uintptr_t)arena_make(&handler_state.altstacks.stacks,
				     (uint32_t)(o - handler_state.altstacks.owners));
	if (!base) {
		atomic_write_release(&o->tid, 0);
		return false;
	}
	if (!o->guarded)
		o->guarded = !syscall_3(SYS_mprotect, base, PAGE, PROT_NONE);
	o->program = (stack_t){.ss_flags = program->ss_flags};
	o->trap = (struct trap_mask){0};
	*out = (stack_t){.ss_sp = (void *)(base + PAGE), .ss_size = ALTSTACK_BYTES - PAGE};
	return true;
}

void altstack_enter(void)
{
	stack_t now = kernel_stack(), ours;

	if (now.ss_flags & SS_DISABLE && stack_of(syscall_tid(), &now, &ours))
		syscall_3(SYS_sigaltstack, (uintptr_t)&ours, 0, 0);
}

void altstack_leave(void)
{
	struct altstack_owner *o = altstack_at((uintptr_t)kernel_stack().ss_sp);

	/* refused while the thread is on it: it stays the thread's */
	if (o && !syscall_3(SYS_sigaltstack, (uintptr_t)&o->program, 0, 0))
		atomic_write_release(&o->tid, 0);
}

void altstack_enter_at_return(ucontext_t *context)
{
	stack_t ours;

	if (context->uc_stack.ss_flags & SS_DISABLE &&
	    stack_of(syscall_tid(), &context->uc_stack, &ours))
		context->uc_stack = ours;
}

void altstack_after_fork(void)
{
	struct altstack_owner *mine = altstack_at((uintptr_t)kernel_stack().ss_sp);

	for (uint32_t i = 0; i < used_owners(); i++)
		if (handler_state.altstacks.owners[i].tid)
			handler_state.altstacks.owners[i].tid =
				&handler_state.altstacks.owners[i] == mine ? syscall_tid() : 0;
}

bool altstack_others_matter(void)
{
	uint32_t self = syscall_tid();

	for (uint32_t i = 0; i < used_owners(); i++)
		if (handler_state.altstacks.owners[i].tid &&
		    handler_state.altstacks.owners[i].tid != self &&
		    !(handler_state.altstacks.owners[i].program.ss_flags & SS_DISABLE) &&
		    !is_gone(handler_state.altstacks.owners[i].tid))
			return true;
	return false;
}

struct altstack_owner *altstack_other_in(enum trap_mask_state state, uint32_t *i)
{
	uint32_t self = syscall_tid();

	for (; *i < used_owners(); (*i)++) {
		struct altstack_owner *o = &handler_state.altstacks.owners[*i];

		if (o->tid && o->tid != self && o->trap.state == state && !is_gone(o->tid))
			return o;
	}
	return NULL;
}
