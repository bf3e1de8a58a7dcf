/* SPDX-License-Identifier: MIT */
#include "collector/inside/other_process.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "base/atomics.h"
#include "collector/inside/handler_state.h"
#include "collector/inside/quiescence.h"
#include "collector/engine/memory_reader.h"
#include "collector/kernel/process_memory.h"
#include "collector/kernel/syscall.h"
#include "collector/kernel/task_status.h"

/* As many files as a process may have in a session: one more for each exec. */
#define FILES_MOST 1000u
/* For how many rounds of quiescence_sleep a thread is waited for. */
#define ROUNDS 1000u

static long open_file(const char *path, int flags)
{
	return syscall_3(SYS_openat, (uint64_t)AT_FDCWD, (uintptr_t)path,
			 (uint64_t)flags | O_CLOEXEC);
}

/* Say in the header of the file @path that nothing is to stop there any more, and find its
 * handler_state. False if there is no such file. */
static bool tell(const char *path, uint64_t *state)
{
	long fd = open_file(path, O_RDWR), place;
	struct process_header *h;

	if (fd < 0)
		return false;
	place = syscall_6(SYS_mmap, 0, SESSION_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED,
			  (uint64_t)fd, 0);
	syscall_3(SYS_close, (uint64_t)fd, 0, 0);
	if (place < 0 && place > -4096)
		return true;
	h = (void *)place;
	*state = h->handler_state;
	atomic_write_release(&h->traced, 1);
	syscall_3(SYS_munmap, (uint64_t)place, SESSION_PAGE, 0);
	return true;
}

/* The newest file is of what it executes now. */
static uint64_t tell_all(const struct process *p, uint32_t pid)
{
	uint64_t state = 0;
	char path[256];

	for (unsigned i = 0; i < FILES_MOST; i++) {
		snprintf(path, sizeof(path), "%s/%u.%u", p->directory, pid, i);
		if (!tell(path, &state))
			break;
	}
	return state;
}

static void disable(long pidfd, int number)
{
	long fd = syscall_3(SYS_pidfd_getfd, (uint64_t)pidfd, (uint64_t)number, 0);

	if (fd < 0)
		return;
	syscall_3(SYS_ioctl, (uint64_t)fd, PERF_EVENT_IOC_DISABLE, 0);
	syscall_3(SYS_close, (uint64_t)fd, 0, 0);
}

static void disable_all(uint32_t pid, long pidfd, uint64_t state)
{
	uint64_t address = state + offsetof(struct handler_state, descriptors);
	struct descriptors d;

	if (!process_memory_copy(pid, address, &d, sizeof(d)))
		return;
	for (unsigned fd = 0; fd < DESCRIPTORS_MAX; fd++)
		if (d.ours[fd / DESCRIPTORS_WORD_BITS] >> fd % DESCRIPTORS_WORD_BITS & 1)
			disable(pidfd, (int)fd);
}

/* A tracer finds it among the threads. It leaves when it is told, and is told by this word. */
static void end_switch_thread(const struct process *p, uint32_t pid, uint64_t state)
{
	uint64_t address = state + offsetof(struct handler_state, process.switch_tid);
	uint32_t tid;

	for (unsigned i = 0; i < ROUNDS && p->control; i++) {
		if (!process_memory_copy(pid, address, &tid, sizeof(tid)) || !tid)
			break;
		syscall_3(SYS_futex, (uintptr_t)&p->control->changes, FUTEX_WAKE, INT32_MAX);
		quiescence_sleep();
	}
}

void other_process_silence(const struct process *p, uint32_t tid)
{
	struct task_status thread;
	uint32_t pid;
	uint64_t state;
	long pidfd;

	if (!p->directory[0])
		return;
	task_status_of(tid, &thread);
	pid = thread.process;
	state = pid ? tell_all(p, pid) : 0;
	pidfd = state ? syscall_3(SYS_pidfd_open, pid, 0, 0) : -1;
	if (pidfd < 0)
		return;
	end_switch_thread(p, pid, state);
	/* twice: a handler that was running the first time may have set a breakpoint since */
	for (unsigned i = 0; i < 2; i++) {
		disable_all(pid, pidfd, state);
		quiescence_wait(pid);
	}
	syscall_3(SYS_close, (uint64_t)pidfd, 0, 0);
}
