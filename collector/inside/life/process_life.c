/* SPDX-License-Identifier: MIT */
#include "collector/inside/life/process_life.h"

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/utsname.h>

#include "base/atomics.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/inside/handler/signal_delivery.h"
#include "collector/inside/handler/altstack.h"
#include "collector/kernel/task_status.h"
#include "collector/kernel/process_memory.h"
#include "collector/kernel/syscall.h"
#include "collector/inside/life/call_cost.h"
#include "collector/inside/life/trap_action.h"
#include "collector/inside/life/trap_mask.h"
#include "collector/inside/handler/process.h"

/* For how many rounds of quiescence_sleep a thread that begins is waited for. */
#define TAKEN_ROUNDS 1000u
/* Of the decode cache, for programs with the most code. */
#define CACHE_BYTES_MOST (64u << 20)

/* Addresses count where a program has a limit of them: a few megabytes, and more as it is used. */
static int make_memory(struct process *p)
{
	void *code;

	if (p->made)
		return 0;
	thread_init(&p->slots);
	workspace_init(&p->workspaces);
	altstack_init();
	code = arena_map(PROCESS_CACHE_BYTES);
	if (!code)
		return -ENOMEM;
	decode_cache_init_growing(&p->cache, code, PROCESS_CACHE_BYTES, CACHE_BYTES_MOST,
				  arena_map);
	/* acquired in thread_take */
	atomic_write_release(&p->made, true);
	return 0;
}

static uint64_t parse_release(const char *text, const char **end)
{
	uint64_t n = 0;

	for (; *text >= '0' && *text <= '9'; text++)
		n = n * 10 + (uint64_t)(*text - '0');
	*end = text;
	return n;
}

/* Does the kernel keep events' signals while SIGTRAP is blocked (5.18), and not force them? Those
 * of asynchronous events it always does. */
static bool keeps_signals(const struct session_options *o)
{
	struct utsname kernel;
	const char *at;
	uint64_t major, minor;

	if (o->event.asynchronous)
		return true;
	if (syscall_3(SYS_uname, (uintptr_t)&kernel, 0, 0))
		return false;
	major = parse_release(kernel.release, &at);
	minor = parse_release(at + (*at == '.'), &at);
	return major > 5 || (major == 5 && minor >= 18);
}

/* Our own code, from our own program headers. */
static void find_text(struct process *p)
{
	extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));
	const ElfW(Ehdr) *elf = &__ehdr_start;
	uint64_t base = (uintptr_t)elf;
	const ElfW(Phdr) *segment = (const void *)(base + elf->e_phoff);

	for (unsigned i = 0; i < elf->e_phnum; i++, segment++)
		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X) {
			p->text_begin = base + segment->p_vaddr;
			p->text_end = p->text_begin + segment->p_memsz;
		}
}

static int add_thread(struct process *p, uint32_t tid)
{
	struct thread *t = thread_take(p);

	if (!t)
		return -ENOMEM;
	thread_prepare(t, tid);
	return thread_open(t, t->sampler.period);
}

/* The mappings of a session that was left: only now is no handler in them any more. */
static void forget_session(struct process *p)
{
	if (p->control)
		syscall_unmap(p->control, SESSION_PAGE);
	p->control = NULL;
	process_file_forget(p);
}

/* ---- the thread that switches the recording ------------------------------------------------ */

/*
 * A process whose recording is switched on and off: a thread of ours sleeps in it until the
 * session's state changes, and closes or opens the events of all its threads then. While it is off
 * there is no event, no descriptor and no breakpoint of ours.
 */

static int run_switch_thread(void *process)
{
	struct process *p = process;
	struct session_control *c = p->control;

	syscall_3(SYS_prctl, PR_SET_NAME, (uintptr_t) "softlbr", 0);
	while (p->pid && !process_is_excluded(p)) {
		uint32_t changes = atomic_read_acquire(&c->changes);
		uint32_t state = process_state(p);

		if (state == SESSION_STOP) {
			process_leave();
			break;
		}
		process_pause(state != SESSION_RUN);
		/* its writer: trace_writer.c, trace_writer_set_state */
		syscall_6(SYS_futex, (uintptr_t)&c->changes, FUTEX_WAIT, changes, 0, 0, 0);
	}
	return 0;
}

/* Start the thread, and do what the state says. 0 or a negative errno. */
static int start_switch_thread(struct process *p)
{
	char *stack = NULL;

	return own_thread_start(p, run_switch_thread, &stack, &p->switch_tid);
}

/* @p is excluded: wait until the thread is gone, if there is one. */
static void end_switch_thread(struct process *p)
{
	/* cleared by the kernel at its end (CLONE_CHILD_CLEARTID, clone(2)) */
	while (atomic_read_acquire(&p->switch_tid)) {
		/* it sleeps on this word, as others of the session do: they look and sleep again */
		syscall_3(SYS_futex, (uintptr_t)&p->control->changes, FUTEX_WAKE, INT32_MAX);
		quiescence_sleep();
	}
}

/* ---- joining ------------------------------------------------------------------------------- */

/* With the calling thread, or with none while the recording is off. */
static int begin_here(struct process *p)
{
	int rc = 0;

	altstack_enter();
	p->paused = p->options.switched && process_state(p) != SESSION_RUN;
	if (!p->paused)
		rc = trap_install(); /* a fork's parent may have been switched off */
	if (!rc && trap_mask_is_inherited()) {
		trap_install_if_gone();
		trap_mask_begin();
	}
	if (!p->paused && !rc)
		rc = add_thread(p, syscall_tid());
	trap_mask_begin_unnoted();
	return rc || !p->options.switched ? rc : start_switch_thread(p);
}

/* What was loaded with the program began before us: a Go runtime (interpose_signals.c). */
static int check_excluded(const struct process *p)
{
	uint32_t excluded = atomic_read_relaxed(&p->excluded);

	for (uint32_t reason = 1; excluded && reason < EXCLUSION_COUNT; reason++)
		if (excluded & 1u << reason)
			exclusion_note(&p->file.header->exclusions, (enum exclusion)reason,
				       p->program);
	return excluded ? -ECANCELED : 0;
}

int process_join(const char *directory)
{
	struct process *p = &handler_state.process;
	int rc;

	if (strlen(directory) >= sizeof(p->directory))
		return -ENAMETOOLONG;
	forget_session(p);
	strcpy(p->directory, directory);
	rc = control_page_map(directory, &p->control, &p->options);
	if (rc)
		return rc;
	if (process_state(p) == SESSION_STOP)
		return -ECANCELED;
	p->paused = true; /* for threads of other libraries, until begin_here() */
	p->pid = syscall_pid();
	p->cold = !p->session++;
	handler_state.trap.keeps = keeps_signals(&p->options);
	find_text(p);
	syscall_read_link("/proc/self/exe", p->program, sizeof(p->program));
	restartable_scan_watch(&p->restartable, p->pid);
	rc = process_file_make(p) ?: check_excluded(p) ?: make_memory(p);
	if (!rc && !process_memory_can_read())
		rc = -EPERM;
	if (!rc)
		rc = trap_install();
	if (!rc) {
		signal_wrap_install();
		rc = begin_here(p);
	}
	if (rc)
		p->pid = 0;
	return rc;
}

/* Has the thread begun, with a clock or without? */
static bool has_begun(const struct thread *t)
{
	return t->state == THREAD_LIVE || t->state == THREAD_WAITING;
}

static bool has_thread(const struct process *p, uint32_t tid)
{
	for (uint32_t i = 0; i < p->slots_used; i++) {
		const struct thread *t = thread_slot(p, i);

		if (has_begun(t) && t->tid == tid)
			return true;
	}
	return false;
}

static void end_threads(struct process *p)
{
	for (uint32_t i = 0; i < p->slots_used; i++) {
		struct thread *t = thread_slot(p, i);

		if (has_begun(t))
			thread_end(t);
	}
}

/* The child has copies of the descriptors, whose events are the parent's: close them untouched. */
static void forget_threads(struct process *p)
{
	for (uint32_t i = 0; i < p->slots_used; i++) {
		struct thread *t = thread_slot(p, i);

		if (t->state == THREAD_FREE)
			continue;
		t->sampler.by_timer = false; /* the child has none */
		thread_close_events(t);
		t->busy = t->nested = 0; /* of a thread that the child does not have */
		t->tid = 0;
		t->work = NULL;
		t->state = THREAD_FREE;
	}
	workspace_forget(p);
	p->session++;
}

void process_after_fork(void)
{
	struct call_cost cost = call_cost_begin(CALL_COST_JOIN);
	struct process *p = &handler_state.process;
	bool leave;

	if (!p->pid)
		return;
	leave = process_state(p) == SESSION_STOP;
	forget_threads(p);
	altstack_after_fork();
	trap_after_fork();
	p->switching = (struct rwlock){0};
	descriptors_after_fork();
	p->leaving = 0;
	p->switch_tid = 0; /* the parent's */
	late_clock_after_fork(p);
	p->has_writer = 0; /* the same */
	process_file_lend(p);
	p->share = 0;
	p->cold = 0; /* what the parent decoded and touched is there */
	p->traced = 0;
	p->pid = syscall_pid();
	restartable_scan_watch(&p->restartable, p->pid);
	/* A tracer that comes with the parent's (PTRACE_O_TRACEFORK) is noticed as the parent's is:
	 * reading /proc would cost more than most children do. Who attaches looks for the file, and
	 * again behind that (sandboxing.c: silence). */
	if (leave || begin_here(p))
		p->pid = 0;
	else
		process_count(p, COUNTER_FORKS, 1);
	call_cost_end(&cost);
}

void process_move_descriptor(int fd)
{
	struct process *p = &handler_state.process;

	for (uint32_t i = 0; i < p->slots_used; i++)
		thread_move_descriptor(thread_slot(p, i), fd);
}

/*
 * A thread that begins looks whether the recording is on and opens its events in one step for who
 * switches it off: behind that no event is open that nobody knows of. Threads that begin do not
 * wait for each other: hundreds may begin at once.
 */
void process_open_thread(struct thread *t, uint64_t period)
{
	struct process *p = t->process;
	uint64_t before = rwlock_read(&p->switching);

	if (p->paused || !p->pid || process_state(p) == SESSION_STOP)
		thread_give_back(t);
	else
		thread_open(t, period);
	rwlock_read_end(&p->switching, before);
}

void process_begin_thread(struct thread *t)
{
	thread_prepare(t, syscall_tid());
	if (!late_clock_may_wait(t, process_open_thread))
		process_open_thread(t, t->sampler.period);
}

static void add_existing(uint32_t tid, void *process)
{
	struct process *p = process;
	struct thread *t = NULL;

	if (tid != p->switch_tid && tid != p->late.tid && !has_thread(p, tid))
		t = thread_take(p);
	if (!t)
		return;
	thread_prepare(t, tid);
	process_open_thread(t, t->sampler.period);
}

void process_add_existing_threads(void)
{
	quiescence_each_thread(0, add_existing, &handler_state.process);
}

/* The program's signals are its own again, as soon as none of ours can come. */
static void release_signals(struct process *p)
{
	uint32_t excluded = atomic_read_relaxed(&p->excluded);

	if (!quiescence_wait(0))
		return; /* the handler stays: without it, that one would end the program */
	/* a thread that blocks SIGTRAP virtually needs the handler */
	if (!trap_mask_others_are_virtual())
		trap_remove();
	/* Other threads keep our stack. Where it stands before one of the program's, handlers still
	 * need us; but a Go runtime takes it for its own when it finds it. */
	if (excluded & 1u << EXCLUSION_GO || !altstack_others_matter())
		signal_wrap_remove();
}

void process_pause(bool pause)
{
	struct process *p = &handler_state.process;
	uint64_t before;

	if (p->paused == pause)
		return;
	if (!pause)
		trap_install();
	before = rwlock_write(&p->switching);
	p->paused = pause;
	rwlock_write_end(&p->switching, before);
	end_threads(p); /* also a thread that began while it was off */
	/* a handler of its own may be for its own alternate stack: it is reached through ours */
	if (pause && !trap_program_handles() && !trap_mask_others_are_virtual() &&
	    quiescence_wait(0))
		trap_remove();
	else if (!pause)
		process_add_existing_threads();
}

bool process_give_up_breakpoints(void)
{
	struct process *p = &handler_state.process;

	if (process_is_excluded(p) || !handler_state_is_own() ||
	    !atomic_swap_if(&p->without_breakpoints, 0, 1))
		return false;
	end_threads(p);
	process_add_existing_threads();
	return true;
}

void process_trap_matters(const sigset_t *set)
{
	if (!trap_mask_matters(set))
		return;
	end_threads(&handler_state.process);
	if (atomic_read_relaxed(&handler_state.trap.installed))
		trap_forget_ours();
	process_add_existing_threads();
}

/* Before the program ends there is no time to wait, and no need. */
void process_end(void)
{
	struct process *p = &handler_state.process;
	uint64_t before;

	if (!p->pid)
		return;
	before = rwlock_write(&p->switching);
	p->pid = 0; /* new threads are left alone from here on */
	rwlock_write_end(&p->switching, before);
	end_threads(p);
}

void process_leave(void)
{
	if (!handler_state.process.pid)
		return;
	process_end();
	trap_mask_leave();
	release_signals(&handler_state.process);
	altstack_leave();
}

/* Threads between their creation and their first event, or being given up: one that began before
 * `excluded` was set goes on to make system calls. Slots behind `slots_used` may be taken already.
 * False if one still does. */
static bool wait_for_taken(const struct process *p)
{
	uint32_t rounds = TAKEN_ROUNDS;
	const struct thread *t;

	for (uint32_t i = 0; i < PROCESS_THREADS_MAX && (t = thread_slot(p, i));) {
		if (atomic_read_acquire(&t->state) != THREAD_TAKEN)
			i++;
		else if (rounds--)
			quiescence_sleep();
		else
			return false;
	}
	return true;
}

/* A handler of the program's may leave by longjmp, or come here again: none runs meanwhile. SIGTRAP
 * does, as it may be ours. */
static uint64_t begin_leaving(struct process *p)
{
	uint64_t before = syscall_signal_mask(SIG_SETMASK, ~(1ull << (SIGTRAP - 1)));

	while (!atomic_swap_if(&p->leaving, 0, 1))
		quiescence_sleep();
	return before;
}

static void end_leaving(struct process *p, uint64_t before)
{
	/* acquired in begin_leaving */
	atomic_write_release(&p->leaving, 0);
	syscall_signal_mask(SIG_SETMASK, before);
}

/* Later pieces are mappings of their own. */
static void return_cache(struct decode_cache *c)
{
	uintptr_t first = (uintptr_t)c->slots;

	for (unsigned i = 0; i < DECODE_CACHE_PIECES; i++) {
		uint8_t *piece = c->pieces[i];

		if (piece && (uintptr_t)piece - first >= PROCESS_CACHE_BYTES)
			syscall_unmap(piece, DECODE_CACHE_PIECE);
		c->pieces[i] = NULL;
	}
	syscall_unmap(c->slots, PROCESS_CACHE_BYTES);
	c->slots = NULL;
}

/*
 * The memory of a process that was left for good: its addresses count where the program has a limit
 * (ulimit -v, mlockall). What following needs is unmapped: decoded code, workspaces, and the
 * chunks of the session's file. What a late signal or a call of the program's may still look at
 * stays: slots, alternate stacks, the file's header. No thread has a slot, nor gets one any more.
 */
static void return_memory(struct process *p)
{
	if (!p->made)
		return;
	p->made = false;
	return_cache(&p->cache);
	arena_unmap(&p->workspaces);
	process_file_return_chunks(p);
}

void process_exclude(enum exclusion reason)
{
	struct process *p = &handler_state.process;
	uint64_t before;

	/* there may be a filter by now: no system call */
	if (process_is_excluded(p) && !atomic_read_acquire(&p->leaving)) {
		__atomic_fetch_or(&p->excluded, 1u << reason, __ATOMIC_RELEASE);
		return;
	}
	before = begin_leaving(p);
	if (p->pid)
		exclusion_note(&p->file.header->exclusions, reason, p->program);
	/* acquired in process_is_excluded */
	__atomic_fetch_or(&p->excluded, 1u << reason, __ATOMIC_RELEASE);
	if (p->pid) {
		end_switch_thread(p);
		wait_for_taken(p);
		late_clock_leave(p);
		process_leave();
		/* a limit of addresses may be of what there was when it was asked for */
		if (reason != EXCLUSION_MEMORY && wait_for_taken(p))
			return_memory(p);
	}
	end_leaving(p, before);
}

/* ---- forks --------------------------------------------------------------------------------- */

/* What pthread_atfork is in glibc. Weak: another libc lacks it, and would not start the program. */
int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *) __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

bool process_can_watch_forks(void)
{
	return __register_atfork != NULL;
}

int process_watch_forks(void (*after)(void))
{
	if (!process_can_watch_forks())
		return -1;
	return __register_atfork(NULL, NULL, after, &__dso_handle);
}
