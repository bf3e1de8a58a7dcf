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
#include <string.h>

#include "collector/kernel/clock.h"
#include "collector/kernel/syscall.h"

#define THREAD_PATH_BYTES 80u

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

static char *put_text(char *at, const char *text)
{
	strcpy(at, text);
	return at + strlen(at);
}

static char *put_number(char *at, uint32_t n)
{
	char digits[12];
	unsigned i = sizeof(digits) - 1;

	digits[i] = 0;
	do
		digits[--i] = (char)('0' + n % 10);
	while (n /= 10);
	return put_text(at, digits + i);
}

/* The path of @name in the directory of thread @tid of process @pid (0: this one), or that of all
 * threads if @tid is 0. @name is short. */
static void thread_path(char path[THREAD_PATH_BYTES], uint32_t pid, uint32_t tid, const char *name)
{
	char *at = put_text(path, "/proc/");

	at = pid ? put_number(at, pid) : put_text(at, "self");
	at = put_text(at, "/task");
	if (!tid)
		return;
	at = put_number(put_text(at, "/"), tid);
	put_text(put_text(at, "/"), name);
}

void quiescence_each_thread(uint32_t pid, void (*each)(uint32_t tid, void *context), void *context)
{
	char path[THREAD_PATH_BYTES];
	uint8_t bytes[4096] __attribute__((aligned(8))) = {0};
	long fd, got;

	thread_path(path, pid, 0, "");
	fd = syscall_3(SYS_openat, (uint64_t)AT_FDCWD, (uintptr_t)path,
		       O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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
	syscall_3(SYS_close, (uint64_t)fd, 0, 0);
}

/* ---- have they had all their signals? ------------------------------------------------------- */

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
	char path[THREAD_PATH_BYTES];
	long fd, got = 0;

	thread_path(path, pid, tid, name);
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
	clock_sleep_ns(ROUND_NS);
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

	quiescence_each_thread(pid, wait_for, &w);
	return w.rounds != 0;
}
