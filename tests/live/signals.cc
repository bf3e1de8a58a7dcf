// SPDX-License-Identifier: MIT
// What signals and jumps do to a program that is being recorded, and must not: each part checks
// itself, and the output is the same with and without softlbr. A part's name as argument runs it
// alone.
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "busy.h"

namespace
{

volatile uint64_t sink;

// SIGTRAP blocked by bare system calls, which no library can stand before.
int blocked()
{
	uint64_t trap = 1ull << (SIGTRAP - 1), now = 0, before = 0;
	int bad = 0;

	for (int i = 0; i < 40; i++) {
		syscall(SYS_rt_sigprocmask, SIG_BLOCK, &trap, &before, 8);
		sink = work(i, 300000);
		syscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &now, 8);
		bad += !(now & trap);
		syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, 8);
		sink = work(i, 300000);
		syscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &now, 8);
		bad += now != before;
	}
	return bad;
}

volatile sig_atomic_t traps;

void on_trap(int)
{
	traps = traps + 1;
}

// Ignored, then handled, as the program likes.
int disposition()
{
	int bad = 0;

	for (int i = 0; i < 40; i++) {
		signal(SIGTRAP, i % 2 ? on_trap : SIG_IGN);
		sink = work(i, 300000);
		raise(SIGTRAP);
		struct sigaction seen;
		sigaction(SIGTRAP, nullptr, &seen);
		bad += seen.sa_handler != (i % 2 ? on_trap : SIG_IGN);
	}
	signal(SIGTRAP, SIG_DFL);
	return bad + (traps != 20);
}

sigjmp_buf back;
volatile unsigned alarms;

// Runs the traced code, and leaves it by siglongjmp every other time.
void on_alarm(int)
{
	alarms = alarms + 1;
	sink = work(alarms, 2000);
	if (alarms % 2)
		siglongjmp(back, 1);
}

int jumps()
{
	struct itimerval on = {{0, 1500}, {0, 1500}}, off = {};
	uint64_t expected = work(11, 200000);
	volatile int bad = 0;

	signal(SIGALRM, on_alarm);
	for (volatile int i = 0; i < 200; i++)
		if (!sigsetjmp(back, 1)) {
			if (!i) // not before there is a place to come back to
				setitimer(ITIMER_REAL, &on, nullptr);
			bad = bad + (work(11, 200000) != expected);
		}
	setitimer(ITIMER_REAL, &off, nullptr);
	signal(SIGALRM, SIG_DFL);
	return bad || alarms < 10;
}

jmp_buf out;

__attribute__((noinline)) void leave(int depth)
{
	if (depth)
		leave(depth - 1);
	else
		longjmp(out, 1);
}

int long_jumps()
{
	volatile int left = 0;

	for (volatile int i = 0; i < 300000; i++)
		if (!setjmp(out))
			leave(i % 7);
		else
			left = left + 1;
	return left != 300000;
}

__attribute__((noinline)) int throwing(int depth)
{
	if (!depth)
		throw std::runtime_error("thrown");
	return throwing(depth - 1) + 1;
}

int exceptions()
{
	int caught = 0;

	for (int i = 0; i < 60000; i++)
		try {
			sink = throwing(i % 5);
		} catch (const std::runtime_error &e) {
			caught += !strcmp(e.what(), "thrown");
		}
	return caught != 60000;
}

// Coroutines on stacks that have no room for a signal's frame and a handler.
constexpr size_t small_bytes = 2048, guard_bytes = 16384;
ucontext_t scheduler, coroutines[2];
alignas(64) unsigned char stacks[2][guard_bytes + small_bytes];
volatile uint64_t sums[2];

void coroutine(int number)
{
	for (int i = 0; i < 300; i++) {
		sums[number] = sums[number] + work(number * 1000 + i, 30000);
		swapcontext(&coroutines[number], &scheduler);
	}
}

int small_stacks()
{
	uint64_t expected[2] = {};
	int bad = 0;

	memset(stacks, 0x5a, sizeof(stacks));
	for (int c = 0; c < 2; c++) {
		getcontext(&coroutines[c]);
		coroutines[c].uc_stack.ss_sp = stacks[c] + guard_bytes;
		coroutines[c].uc_stack.ss_size = small_bytes;
		coroutines[c].uc_link = &scheduler;
		makecontext(&coroutines[c], reinterpret_cast<void (*)()>(coroutine), 1, c);
	}
	for (int i = 0; i < 300; i++)
		for (int c = 0; c < 2; c++) {
			expected[c] += work(c * 1000 + i, 30000);
			swapcontext(&scheduler, &coroutines[c]);
		}
	for (int c = 0; c < 2; c++) {
		bad += sums[c] != expected[c];
		for (size_t i = 0; i < guard_bytes; i++)
			bad += stacks[c][i] != 0x5a;
	}
	return bad;
}

const struct {
	const char *name;
	int (*run)();
} parts[] = {
	{"blocked", blocked},	    {"disposition", disposition}, {"jumps", jumps},
	{"long-jumps", long_jumps}, {"exceptions", exceptions},	  {"small-stacks", small_stacks},
};

} // namespace

int main(int argc, char **argv)
{
	int status = 0;

	for (const auto &part : parts)
		if (argc < 2 || !strcmp(argv[1], part.name)) {
			int bad = part.run();

			printf("%s %s\n", part.name, bad ? "changed" : "unchanged");
			fflush(stdout);
			status |= bad != 0;
		}
	return status;
}
