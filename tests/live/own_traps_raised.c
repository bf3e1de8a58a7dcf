/* SPDX-License-Identifier: MIT */
/* Parts of own_traps: SIGTRAP that instructions raise, what its handlers are told of it, and where
 * they run. */
#include <execinfo.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "own_traps.h"

static void end_by_int3(void)
{
	__asm__ volatile("int3");
}

static void end_by_int1(void)
{
	__asm__ volatile(".byte 0xf1");
}

static void end_by_step(void)
{
	__asm__ volatile("pushf; orq $0x100, (%%rsp); popf; nop; nop" ::: "memory", "cc");
}

static void end_by_raise(void)
{
	raise(SIGTRAP);
}

static void end_by_builtin(void)
{
	__builtin_trap();
}

static void on_crash(int number)
{
	signal(number, SIG_DFL);
	for (int i = 0; i < 5; i++)
		busy();
	raise(number);
}

static void end_in_handler(void)
{
	signal(SIGTRAP, on_crash);
	__asm__ volatile("int3");
}

void part_ends(void)
{
	void (*const ways[])(void) = {end_by_int3,  end_by_int1,    end_by_step,
				      end_by_raise, end_by_builtin, end_in_handler};
	sigset_t all = everything(), trap = only(SIGTRAP), none;

	sigemptyset(&none);
	for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]) * 4; i++) {
		pid_t child;

		fflush(stdout);
		child = fork();
		if (!child) {
			if (i % 4 == 1)
				signal(SIGTRAP, SIG_IGN);
			if (i % 4 > 1)
				sigprocmask(SIG_BLOCK, i % 4 == 2 ? &all : &trap, NULL);
			busy();
			ways[i / 4]();
			busy();
			_exit(3);
		}
		printf("%u: %d\n", i, wait_for(child));
	}
}

static siginfo_t seen;
static void *addresses[50];
static int frames;
static volatile uint64_t seen_pc;
static char alternate[65536];
static volatile sig_atomic_t on_alternate, in_mask;

static bool is_on_alternate(const void *at)
{
	return (const char *)at >= alternate && (const char *)at < alternate + sizeof(alternate);
}

static void on_trap_info(int number, siginfo_t *info, void *context)
{
	ucontext_t *c = context;
	sigset_t now;

	(void)number;
	seen = *info;
	seen_pc = (uint64_t)c->uc_mcontext.gregs[REG_RIP];
	c->uc_mcontext.gregs[REG_EFL] &= ~0x100;
	on_alternate = is_on_alternate(&now);
	sigprocmask(SIG_BLOCK, NULL, &now);
	in_mask = sigismember(&now, SIGTRAP) + 2 * sigismember(&now, SIGUSR1) +
		  4 * sigismember(&now, SIGHUP);
	if (info->si_code != SI_TKILL) /* raise may be ours */
		frames += backtrace(addresses, 50);
	traps = traps + 1;
}

void part_info(void)
{
	static const int flags[] = {0, SA_RESETHAND, SA_NODEFER, SA_ONSTACK,
				    SA_RESETHAND | SA_ONSTACK};
	stack_t stack = {.ss_sp = alternate, .ss_size = sizeof(alternate)};

	sigaltstack(&stack, NULL);
	backtrace(addresses, 50); /* loads a library */
	for (unsigned i = 0; i < 60; i++) {
		struct sigaction action = {.sa_sigaction = on_trap_info,
					   .sa_flags = SA_SIGINFO | flags[i % 5],
					   .sa_mask = only(SIGUSR1)},
				 now;
		union sigval value = {.sival_int = (int)i};

		sigaction(SIGTRAP, &action, NULL);
		busy();
		memset(&seen, 0, sizeof(seen));
		switch (i % 4) {
		case 0:
			__asm__ volatile("int3");
			break;
		case 1:
			__asm__ volatile("pushf; orq $0x100, (%%rsp); popf; nop" ::
						 : "memory", "cc");
			break;
		case 2:
			sigqueue(getpid(), SIGTRAP, value);
			break;
		case 3:
			raise(SIGTRAP);
			break;
		}
		sigaction(SIGTRAP, NULL, &now);
		if (i >= 40)
			printf("%u: code %d value %d address %d pid %d stack %d mask %d then %d %#x\n",
			       i, seen.si_code, i % 4 == 2 ? seen.si_value.sival_int : 0,
			       i % 4 == 1 && (uint64_t)seen.si_addr == seen_pc,
			       i % 4 > 1 && seen.si_pid == getpid(), (int)on_alternate,
			       (int)in_mask, now.sa_sigaction == on_trap_info,
			       (unsigned)now.sa_flags);
	}
	printf("%d, %d frames\n", (int)traps, frames);
}

static volatile sig_atomic_t astray, blocked;

static void on_timer(int number)
{
	sigset_t now;

	(void)number;
	astray += is_on_alternate(&now);
	sigprocmask(SIG_BLOCK, NULL, &now);
	blocked += sigismember(&now, SIGUSR1);
	traps = traps + 1;
}

void part_bare(void)
{
	struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGTRAP};
	struct itimerspec often = {{0, 70000}, {0, 70000}};
	stack_t stack = {.ss_sp = alternate, .ss_size = sizeof(alternate)};
	timer_t timer;

	syscall(SYS_sigaltstack, &stack, NULL);
	sigaction(SIGTRAP, &action, NULL);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &often, NULL);
	while (traps < 4000)
		sink += work(traps, 500);
	timer_delete(timer);
	printf("on the alternate stack %d, too much blocked %d\n", (int)astray, (int)blocked);
}

void part_steps(void)
{
	handle_traps(0);
	for (int i = 0; i < 100; i++) {
		__asm__ volatile("pushf; orq $0x100, (%%rsp); popf; nop; nop; nop;"
				 "pushf; andq $~0x100, (%%rsp); popf" ::
					 : "memory", "cc");
		busy();
	}
	printf("%d\n", (int)traps);
}

static volatile uint64_t flags_seen;

static void on_alarm(int number)
{
	uint64_t flags;

	(void)number;
	__asm__ volatile("pushf; popq %0; pushf; andq $~0x40000, (%%rsp); popf"
			 : "=r"(flags)
			 :
			 : "memory", "cc");
	flags_seen |= flags & 0x40400;
	traps = traps + 1;
}

void part_alignment(void)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK | SA_RESTART};
	struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
	stack_t stack = {.ss_sp = alternate, .ss_size = sizeof(alternate)};
	uint64_t sum = 0;

	sigaltstack(&stack, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 20; i++) {
		__asm__ volatile("pushf; orq $0x40000, (%%rsp); popf" ::: "memory", "cc");
		sum += work_here((uint64_t)i, 300000);
		__asm__ volatile("pushf; andq $~0x40000, (%%rsp); popf" ::: "memory", "cc");
	}
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%llx %d %llx\n", (unsigned long long)sum, traps > 0,
	       (unsigned long long)flags_seen);
}
