/* SPDX-License-Identifier: MIT */
/*
 * A signal that comes while the frame of another one is on its way to the program's stack: at each
 * instruction between the kernel's entry and the program's handler, both handlers run once, where
 * they belong. The signals are the real kernel's: a child is single-stepped through the first
 * signal's delivery, and gets the second one there.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/inside/handler/handler_state.h"
#include "collector/inside/handler/signal_frame.h"
#include "tests/unit/fake_kernel.h"

/* The functions on the way have larger frames then than the kernel's smallest one, among which the
 * place of a noted call is found. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#elif defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define SANITIZED false
#endif

#define RESTORER 0x04000000u
#define FLAGS	 (SA_SIGINFO | SA_ONSTACK | RESTORER)
/* From here on not each instruction, but each so many, unless the command's argument says so. */
#define ENTRY_INSTRUCTIONS 48u
#define STRIDE		   37u
#define INSTRUCTIONS_MOST  100000u

static unsigned stride = STRIDE;
static volatile unsigned firsts, seconds, faults;
static uintptr_t outermost; /* the stack pointer of who is interrupted is not above it */

static void check_place(uintptr_t on_stack, const ucontext_t *context)
{
	uintptr_t interrupted = signal_frame_interrupted(context);

	faults += altstack_at(on_stack) != NULL;
	faults += interrupted > outermost || interrupted < on_stack;
}

static void on_first(int number, siginfo_t *info, void *context)
{
	char here;

	firsts++;
	faults += number != SIGUSR1 || info->si_signo != SIGUSR1;
	check_place((uintptr_t)&here, context);
}

static void on_second(int number, siginfo_t *info, void *context)
{
	char here;

	seconds++;
	faults += number != SIGUSR2 || info->si_signo != SIGUSR2;
	check_place((uintptr_t)&here, context);
}

static void handle(int number, signal_delivery_handler *handler)
{
	struct kernel_sigaction action = {
		.handler = signal_delivery_entry, .flags = FLAGS, .restorer = trap_return};

	handler_state.delivery.handlers[number] = handler;
	syscall(SYS_rt_sigaction, number, &action, NULL, sizeof(action.mask));
}

/* Stops before each pair of signals, and tells by its status what came of one; ends where none
 * come.
 */
static _Noreturn void take_signals(void)
{
	char here;

	outermost = (uintptr_t)&here + 4096;
	fake_kernel_reset(NULL);
	handler_state.process.pid = fake_kernel.pid;
	altstack_init();
	altstack_enter();
	syscall(SYS_sigaltstack, &fake_thread.stack, NULL);
	handle(SIGUSR1, on_first);
	handle(SIGUSR2, on_second);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(77);
	for (;;) {
		firsts = seconds = 0;
		syscall(SYS_kill, getpid(), SIGSTOP);
		if (!firsts && !seconds)
			exit(faults > 0);
		if (firsts != 1 || seconds != 1 || faults)
			_exit((int)(1 + firsts + 4 * seconds + 16 * (faults > 0)));
	}
}

/* The signal at which it is stopped now; 0: it has ended. */
static int wait_for_stop(pid_t child, int *status)
{
	assert_int_equal(waitpid(child, status, 0), child);
	return WIFSTOPPED(*status) ? WSTOPSIG(*status) : 0;
}

static struct iovec registers_of(pid_t child, struct user_regs_struct *out)
{
	struct iovec into = {out, sizeof(*out)};

	assert_int_equal(ptrace(PTRACE_GETREGSET, child, (void *)NT_PRSTATUS, &into), 0);
	return into;
}

static uintptr_t program_counter(pid_t child)
{
	struct user_regs_struct registers;

	registers_of(child, &registers);
#if defined(__x86_64__)
	return registers.rip;
#else
	return registers.pc;
#endif
}

/* The entry's popf, when stepped, makes the trap flag the program's own. */
static void end_steps(pid_t child)
{
#if defined(__x86_64__)
	struct user_regs_struct registers;
	struct iovec from = registers_of(child, &registers);

	registers.eflags &= ~0x100ull;
	assert_int_equal(ptrace(PTRACE_SETREGSET, child, (void *)NT_PRSTATUS, &from), 0);
#else
	(void)child;
#endif
}

/* The first signal, @steps instructions of its delivery, and the second one. False: the program's
 * handler began before. */
static bool interrupt_at(pid_t child, unsigned steps)
{
	int signal = SIGUSR1, status;
	bool before = true;

	for (unsigned i = 0; i <= steps && before; i++) {
		assert_int_equal(ptrace(PTRACE_SINGLESTEP, child, NULL, signal), 0);
		assert_int_equal(wait_for_stop(child, &status), SIGTRAP);
		signal = 0;
		before = program_counter(child) != (uintptr_t)on_first;
	}
	end_steps(child);
	kill(child, SIGUSR2);
	assert_int_equal(ptrace(PTRACE_CONT, child, NULL, 0), 0);
	assert_int_equal(wait_for_stop(child, &status), SIGUSR2);
	assert_int_equal(ptrace(PTRACE_CONT, child, NULL, SIGUSR2), 0);
	if (wait_for_stop(child, &status) != SIGSTOP)
		fail_msg("status %#x behind %u instructions", (unsigned)status, steps);
	return before;
}

static void both_handlers_run(void **state)
{
	unsigned steps = 0;
	int status;
	pid_t child;

	(void)state;
	if (SANITIZED)
		skip();
	fflush(stdout);
	child = fork();
	if (!child)
		take_signals();
	if (!wait_for_stop(child, &status))
		skip();
	assert_int_equal(WSTOPSIG(status), SIGSTOP);
	assert_int_equal(ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_EXITKILL), 0);
	while (interrupt_at(child, steps) && steps < INSTRUCTIONS_MOST)
		steps += steps < ENTRY_INSTRUCTIONS ? 1 : stride;
	assert_in_range(steps, ENTRY_INSTRUCTIONS, INSTRUCTIONS_MOST - 1);
	assert_int_equal(ptrace(PTRACE_CONT, child, NULL, 0), 0);
	assert_int_equal(wait_for_stop(child, &status), 0);
	assert_int_equal(status, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_handlers_run),
	};

	if (argc > 1)
		stride = (unsigned)atoi(argv[1]);
	alarm(600); /* should a child go on for ever */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
