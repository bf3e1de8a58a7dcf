/* SPDX-License-Identifier: MIT */
/*
 * Ends a tracer that waits for a page of a program that waits for it.
 *
 * Only pages that are in memory are read (tracee_pages.h), but another thread can take one away
 * between the look and the read (MADV_DONTNEED). Then the tracer is in the kernel until the page
 * comes, and takes no signal but SIGKILL. So it has a thread that looks whether it is, and kills
 * the process: the kernel lets the program go on as if nothing had been (tracee_events.h).
 */
#include "collector/outside/tracer.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

#define LOOK_NS 200000000u
/* Looks that find it waiting for the same page: two seconds, but at once if it is to end. */
#define STUCK_LOOKS  10u
#define ENDING_LOOKS 2u

#define CALL_CLOSE_RANGE 436 /* Linux 5.9 */
#define STACK_BYTES	 65536u

/* An end is asked for, by a signal or by the recorder's own, and the tracer has not taken it. */
static bool should_end(const struct tracer_watch *w)
{
	static const int asking[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	sigset_t pending;

	if (getppid() != w->recorder)
		return true;
	sigpending(&pending);
	for (size_t i = 0; i < sizeof(asking) / sizeof(asking[0]); i++)
		if (sigismember(&pending, asking[i]) == 1)
			return true;
	return false;
}

/* Reading takes microseconds otherwise. */
static bool is_reading(const struct tracer_watch *w)
{
	char path[64], text[32] = "";
	ssize_t got;
	int file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", (int)w->tracer);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	got = read(file, text, sizeof(text) - 1);
	close(file);
	return got > 0 && strtol(text, NULL, 10) == SYS_process_vm_readv;
}

/* Descriptors of our own, and none: else those of the tracer stayed open when its thread ends
 * first, and with them breakpoints. */
static void leave_descriptors(void)
{
	if (!unshare(CLONE_FILES) && syscall(CALL_CLOSE_RANGE, 0, ~0u, 0))
		for (int file = 0; file < 1024; file++)
			close(file);
}

static void *watch(void *context)
{
	struct tracer_watch *w = context;
	struct timespec pause = {.tv_nsec = LOOK_NS};
	uint64_t seen = 0;
	unsigned looks = 0;

	leave_descriptors();
	for (;;) {
		uint64_t beats;

		nanosleep(&pause, NULL);
		beats = __atomic_load_n(&w->beats, __ATOMIC_RELAXED);
		looks = beats == seen && is_reading(w) ? looks + 1 : 0;
		seen = beats;
		if (looks >= STUCK_LOOKS || (looks >= ENDING_LOOKS && should_end(w))) {
			*w->stuck = true;
			kill(getpid(), SIGKILL);
		}
	}
	return NULL;
}

int tracer_watch_start(struct tracer_watch *w, bool *stuck, struct softlbr_error *e)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int rc;

	*w = (struct tracer_watch){.tracer = gettid(), .recorder = getppid(), .stuck = stuck};
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	rc = pthread_create(&thread, &attributes, watch, w);
	pthread_attr_destroy(&attributes);
	if (rc)
		return error_set(e, SOFTLBR_E_SYSTEM, NULL,
				 "cannot start a thread that watches the tracer: error %d", rc);
	pthread_detach(thread);
	return 0;
}
