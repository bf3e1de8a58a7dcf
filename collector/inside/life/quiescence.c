/* SPDX-License-Identifier: MIT */
#include "collector/inside/life/quiescence.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "collector/kernel/syscall.h"
#include "collector/inside/life/threads_of.h"

#define ROUNDS	 1000u
#define ROUND_NS 1000000
/* From the interrupt to the handler it takes a few us; more if the machine itself is a guest. */
#define RUN_NS 5000000u
#define BYTES  2048u

struct wait {
	uint32_t pid; /* 0: this process */
	unsigned rounds;
};

/* The file of thread @tid under /proc, as text; empty if it is gone. Threads of ours run this that
 * are none of libc's: it is not called here. */
static void read_file(uint32_t pid, uint32_t tid, const char *name, char text[BYTES])
{
	char path[THREADS_OF_PATH];
	long fd, got = 0;

	threads_of_path(path, pid, tid, name);
	fd = syscall_3(SYS_openat, (uint64_t)AT_FDCWD, (uintptr_t)path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		got = syscall_3(SYS_read, (uint64_t)fd, (uintptr_t)text, BYTES - 1);
		syscall_3(SYS_close, (uint64_t)fd, 0, 0);
	}
	text[got > 0 ? got : 0] = 0;
}

static const char *member(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? at + strlen(name) : "";
}

static uint64_t hexadecimal(const char *text)
{
	uint64_t n = 0;

	for (; (*text >= '0' && *text <= '9') || (*text >= 'a' && *text <= 'f'); text++)
		n = n * 16 + (uint64_t)(*text <= '9' ? *text - '0' : *text - 'a' + 10);
	return n;
}

/* How long it has had a processor: the file's first number. */
static uint64_t run_ns(uint32_t pid, uint32_t tid)
{
	char text[BYTES];
	uint64_t n = 0;

	read_file(pid, tid, "schedstat", text);
	for (const char *at = text; *at >= '0' && *at <= '9'; at++)
		n = n * 10 + (uint64_t)(*at - '0');
	return n;
}

/* Has the thread had all its signals? @running: it was about to run, and has not since. */
static bool is_quiet(uint32_t pid, uint32_t tid, bool *running)
{
	char status[BYTES];

	read_file(pid, tid, "status", status);
	if (hexadecimal(member(status, "SigPnd:\t")) & 1u << (SIGTRAP - 1))
		return false;
	*running = *member(status, "State:\t") == 'R';
	return !*running;
}

void quiescence_sleep(void)
{
	struct timespec t = {.tv_nsec = ROUND_NS};

	syscall_3(SYS_nanosleep, (uintptr_t)&t, 0, 0);
}

static void wait_for(uint32_t tid, void *context)
{
	struct wait *w = context;
	uint64_t before;
	bool running = false;

	if (!w->pid && tid == (uint32_t)syscall_3(SYS_gettid, 0, 0, 0))
		return;
	before = run_ns(w->pid, tid);
	while (w->rounds && !is_quiet(w->pid, tid, &running)) {
		if (running && run_ns(w->pid, tid) - before > RUN_NS)
			return;
		w->rounds--;
		quiescence_sleep();
	}
}

bool quiescence_wait(uint32_t pid)
{
	struct wait w = {.pid = pid, .rounds = ROUNDS};

	threads_of_process(pid, wait_for, &w);
	return w.rounds != 0;
}
