/* SPDX-License-Identifier: MIT */
#include "collector/inside/handler/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include "base/atomics.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/kernel/syscall.h"

/* The kernel's table is as long as the highest number, rounded up to a power of two, and is copied
 * by each fork: 8 us more at 4096, 80 at 20000. */
#define BASE_HIGHEST  4096u
#define BASE_IN_RANGE 1000u
/* What most systems begin with: a program that has lowered its limit may raise it to that again. */
#define LIMIT_USUAL 1024u

/* The word that has @fd's bit. */
static uint64_t *word_of(int fd)
{
	return &handler_state.descriptors.ours[(unsigned)fd / DESCRIPTORS_WORD_BITS];
}

static void mark(int fd, bool is_ours)
{
	uint64_t bit = (uint64_t)1 << (unsigned)fd % DESCRIPTORS_WORD_BITS;

	if (is_ours)
		__atomic_fetch_or(word_of(fd), bit, __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(word_of(fd), ~bit, __ATOMIC_RELAXED);
}

static long exchange_limit(const struct rlimit *wanted, struct rlimit *before)
{
	return syscall_6(SYS_prlimit64, 0, RLIMIT_NOFILE, (uintptr_t)wanted, (uintptr_t)before, 0,
			 0);
}

/* Above what the program can get: the limit is raised for the one call. */
static long take_above(int fd, const struct rlimit *program)
{
	struct rlimit raised = {.rlim_cur = program->rlim_max, .rlim_max = program->rlim_max};
	struct rlimit before, after;
	long high;

	if (exchange_limit(&raised, &before))
		return -EMFILE;
	high = -EMFILE;
	if (before.rlim_cur < LIMIT_USUAL && LIMIT_USUAL < raised.rlim_cur)
		high = syscall_3(SYS_fcntl, (uint64_t)fd, F_DUPFD_CLOEXEC, LIMIT_USUAL);
	if (high < 0)
		high = syscall_3(SYS_fcntl, (uint64_t)fd, F_DUPFD_CLOEXEC, before.rlim_cur);
	/* another thread may have set a limit meanwhile: it holds */
	if (!exchange_limit(&before, &after) &&
	    (after.rlim_cur != raised.rlim_cur || after.rlim_max != raised.rlim_max))
		exchange_limit(&after, NULL);
	return high;
}

/* A number of ours for what is behind @fd too. */
static int find_place(int fd)
{
	struct rlimit program;
	long high = -EMFILE;

	if (exchange_limit(NULL, &program))
		return -EMFILE;
	if (program.rlim_cur <= BASE_HIGHEST && program.rlim_cur < program.rlim_max)
		high = take_above(fd, &program);
	if (high < 0)
		high = syscall_3(SYS_fcntl, (uint64_t)fd, F_DUPFD_CLOEXEC,
				 program.rlim_cur > 2ull * BASE_IN_RANGE
					 ? BASE_IN_RANGE
					 : program.rlim_cur / 4 * 3);
	if (high >= (long)DESCRIPTORS_MAX) {
		syscall_close(high);
		return -EMFILE;
	}
	if (high >= 0)
		mark((int)high, true);
	return (int)high;
}

/* The raised limit of one thread is not the program's for another. */
static int give_place(int fd)
{
	uint64_t before = rwlock_write(&handler_state.descriptors.limit);
	int high = find_place(fd);

	rwlock_write_end(&handler_state.descriptors.limit, before);
	return high;
}

int descriptors_take(int fd)
{
	int high = give_place(fd);

	syscall_close(fd);
	return high;
}

int descriptors_move(int fd)
{
	int high = give_place(fd);

	descriptors_forget(fd);
	return high;
}

void descriptors_after_fork(void)
{
	handler_state.descriptors.limit = (struct rwlock){0};
}

void descriptors_forget(int fd)
{
	if (fd >= 0 && (unsigned)fd < DESCRIPTORS_MAX)
		mark(fd, false);
}

bool descriptors_contain(int fd)
{
	return fd >= 0 && (unsigned)fd < DESCRIPTORS_MAX &&
	       atomic_read_relaxed(word_of(fd)) >> (unsigned)fd % DESCRIPTORS_WORD_BITS & 1;
}

int descriptors_next(int fd, unsigned last)
{
	for (; fd >= 0 && (unsigned)fd <= last && (unsigned)fd < DESCRIPTORS_MAX; fd++)
		if (descriptors_contain(fd))
			return fd;
	return -1;
}
