/* SPDX-License-Identifier: MIT */
/*
 * When may SIGTRAP be given back? An event that is closed may have its signal under way still: to a
 * thread that was interrupted by it and lost its processor before it came back to its code. A
 * thread that sleeps, or that has run since, has had all its signals.
 */
#include "collector/inside/life/process_life.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>

#include "collector/kernel/clock.h"
#include "collector/kernel/syscall.h"
#include "collector/kernel/task_status.h"

/* ---- the threads of a process ---------------------------------------------------------------- */

struct directory_entry { /* struct linux_dirent64 */
	uint64_t inode;
	int64_t offset;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

static uint32_t parse_number(const char *text)
{
	uint32_t n = 0;

	while (*text >= '0' && *text <= '9')
		n = n * 10 + (uint32_t)(*text++ - '0');
	return n;
}

void quiescence_each_thread(uint32_t pid, void (*each)(uint32_t tid, void *context), void *context)
{
	char path[TASK_PATH_BYTES] = "/proc/self/task";
	uint8_t bytes[4096] __attribute__((aligned(8))) = {0};
	long fd, got;

	if (pid)
		task_path(path, pid, "task");
	fd = syscall_open(path, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return;
	while ((got = syscall_3(SYS_getdents64, (uint64_t)fd, (uintptr_t)bytes, sizeof(bytes))) > 0)
		for (long at = 0; at < got;) {
			const struct directory_entry *d = (const void *)(bytes + at);
			uint32_t tid = parse_number(d->name);

			if (tid)
				each(tid, context);
			at += d->bytes;
		}
	syscall_close(fd);
}

/* ---- have they had all their signals? ------------------------------------------------------- */

#define ROUNDS	 1000u
#define ROUND_NS 1000000
/* From the interrupt to the handler it takes a few us; more if the machine itself is a guest. */
#define RUN_NS 5000000u

struct wait {
	uint32_t pid; /* 0: this process */
	unsigned rounds;
};

/* How long it has had a processor, in nanoseconds: the file's first number. */
static uint64_t run_ns(uint32_t tid)
{
	char path[TASK_PATH_BYTES], text[32] = "";
	uint64_t n = 0;
	long fd;

	task_path(path, tid, "schedstat");
	fd = syscall_open(path, O_RDONLY);
	if (fd >= 0) {
		syscall_read(fd, text, sizeof(text) - 1);
		syscall_close(fd);
	}
	for (const char *at = text; *at >= '0' && *at <= '9'; at++)
		n = n * 10 + (uint64_t)(*at - '0');
	return n;
}

/* Has the thread had all its signals? @running: it was about to run, and has not since. */
static bool is_quiet(uint32_t tid, bool *running)
{
	struct task_status status;

	task_status_of(tid, &status);
	if (status.pending & 1u << (SIGTRAP - 1))
		return false;
	*running = status.state == 'R';
	return !*running;
}

void quiescence_sleep(void)
{
	clock_sleep_ns(ROUND_NS);
}

static void wait_for(uint32_t tid, void *context)
{
	struct wait *w = context;
	uint64_t before;
	bool running = false;

	if (!w->pid && tid == syscall_tid())
		return;
	before = run_ns(tid);
	while (w->rounds && !is_quiet(tid, &running)) {
		if (running && run_ns(tid) - before > RUN_NS)
			return;
		w->rounds--;
		quiescence_sleep();
	}
}

bool quiescence_wait(uint32_t pid)
{
	struct wait w = {.pid = pid, .rounds = ROUNDS};

	quiescence_each_thread(pid, wait_for, &w);
	return w.rounds != 0;
}
