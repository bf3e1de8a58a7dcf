/* SPDX-License-Identifier: MIT */
#include "collector/machine/event_cost.h"

#include <pthread.h>
#include <sched.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "collector/kernel/clock.h"

#define SWITCHES 300u
#define THREADS	 60u
#define FORKS	 12u
#define EXECS	 5u
#define ROUNDS	 5u

/* A processor's timer is set at each switch where it is to fire soon. */
#define PERIOD_NS 25000000u

/* What a child is to do, and what it tells its parent of it. */
struct work {
	const struct event *event; /* NULL: without events */
	const struct event_cost_library *library;
	bool sideband;	    /* the recorder's events */
	bool brief;	    /* threads have no event of their own */
	uint64_t events_ns; /* to open and close them: the collector times that */
};

struct pair {
	int sample, breakpoint;
};

struct ends {
	int from, to;
};

static uint64_t thread_ns(void)
{
	return clock_handler_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Of the calling process, and its descendants. */
static void open_sideband(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct perf_event_attr attr;
	int fd;

	for (int cpu = 0; cpu < cpus; cpu++) {
		event_sideband_attr(false, page, &attr);
		fd = event_open(&attr, 0, cpu);
		if (fd >= 0) /* without a ring, nothing is written */
			mmap(NULL, (EVENT_SIDEBAND_PAGES + 1) * page, PROT_READ | PROT_WRITE,
			     MAP_SHARED, fd, 0);
	}
}

static int open_sample(const struct work *w)
{
	struct perf_event_attr attr;
	int fd;

	if (!w->event)
		return -1;
	event_attr(w->event, w->event->time ? PERIOD_NS : w->event->default_period, &attr);
	attr.sigtrap = 0; /* samples come, and are nobody's */
	fd = event_open(&attr, 0, -1);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	return fd;
}

static struct pair open_pair(const struct work *w)
{
	struct perf_event_attr attr;
	struct pair p = {open_sample(w), -1};

	if (!w->event)
		return p;
	event_breakpoint_attr((uintptr_t)open_pair, w->event->asynchronous, &attr);
	attr.disabled = 1;
	p.breakpoint = event_open(&attr, 0, -1);
	return p;
}

static void close_pair(const struct pair *p)
{
	if (p->sample >= 0)
		close(p->sample);
	if (p->breakpoint >= 0)
		close(p->breakpoint);
}

/* ---- what is measured, in a child ---------------------------------------------------------- */

static void *live(void *work)
{
	struct work *w = work;
	uint64_t begin = thread_ns();
	int fd = w->brief ? -1 : open_sample(w);

	if (fd >= 0)
		close(fd);
	w->events_ns += thread_ns() - begin; /* one thread at a time */
	return NULL;
}

static void make_threads(struct work *w)
{
	struct pair own = open_pair(w);
	pthread_t thread;

	for (unsigned i = 0; i < THREADS; i++)
		if (!pthread_create(&thread, NULL, live, w))
			pthread_join(thread, NULL);
	close_pair(&own);
}

static void pass_bytes(const struct ends *e)
{
	char byte;

	for (unsigned i = 0; i < SWITCHES / 2; i++)
		if (read(e->from, &byte, 1) != 1 || write(e->to, &byte, 1) != 1)
			return;
}

struct answer {
	const struct work *work;
	struct ends ends;
};

static void *answer(void *of)
{
	const struct answer *a = of;
	struct pair own = open_pair(a->work);

	pass_bytes(&a->ends);
	close_pair(&own);
	return NULL;
}

/* On one processor, so that each byte takes a switch. */
static void switch_threads(struct work *w)
{
	struct pair own = open_pair(w);
	struct answer a = {.work = w};
	int there[2], back[2], cpu = sched_getcpu();
	pthread_t thread;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu < 0 ? 0 : (unsigned)cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one) || pipe(there) || pipe(back))
		return;
	a.ends = (struct ends){there[0], back[1]};
	if (pthread_create(&thread, NULL, answer, &a))
		return;
	if (write(there[1], "", 1) == 1)
		pass_bytes(&(struct ends){back[0], there[1]});
	pthread_join(thread, NULL);
	close_pair(&own);
}

/* What a collector has mapped: each fork copies as many mappings, and frees them, and both sides
 * write to some pages of them. In so many parts, of pages that are used and one that is not. */
#define PARTS	   6u
#define PART_PAGES 4u
#define CHILDS	   2u /* in each that a child writes to */
#define PAGE_BYTES 4096u

struct memory {
	volatile char *parts[PARTS];
};

static void write_pages(const struct memory *m, unsigned parts, unsigned pages)
{
	for (unsigned i = 0; i < parts; i++)
		for (unsigned page = 0; m->parts[i] && page < pages; page++)
			m->parts[i][page * PAGE_BYTES] = 1;
}

static void map_memory(struct memory *m)
{
	for (unsigned i = 0; i < PARTS; i++) {
		char *part = mmap(NULL, (PART_PAGES + 1) * PAGE_BYTES, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		m->parts[i] = part == MAP_FAILED ? NULL : part;
		if (m->parts[i])
			mprotect(part + PART_PAGES * PAGE_BYTES, PAGE_BYTES, PROT_NONE);
	}
	write_pages(m, PARTS, PART_PAGES);
}

/* In a fork's child, as the collector does it: a breakpoint comes with a trace. It times itself. */
static void begin_child(struct work *w, const struct memory *m, const struct pair *parents)
{
	uint64_t begin = thread_ns();

	close_pair(parents);
	if (w->event) {
		write_pages(m, PARTS, CHILDS);
		open_sample(w);
	}
	w->events_ns += thread_ns() - begin;
}

static void fork_processes(struct work *w)
{
	struct pair own = open_pair(w);
	struct memory memory = {0};
	pid_t child;

	if (w->event)
		map_memory(&memory);
	for (unsigned i = 0; i < FORKS; i++) {
		child = fork();
		if (!child) {
			begin_child(w, &memory, &own);
			_exit(0);
		}
		if (w->event)
			write_pages(&memory, 1, CHILDS);
		waitpid(child, NULL, 0);
	}
	close_pair(&own);
}

/* Our own environment may have the collector of a recording that is over. By its number: a path may
 * have what ends a name in LD_PRELOAD. */
static void set_library(const struct event_cost_library *library)
{
	char path[32];
	int fd = library ? open(library->path, O_RDONLY) : -1;

	unsetenv("LD_PRELOAD");
	if (!library)
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	setenv("LD_PRELOAD", path, 1);
	setenv(library->variable, "/dev/null", 1); /* there is none */
}

/* Of one that every system has, and that does nothing. */
static void exec_programs(struct work *w)
{
	int silent = open("/dev/null", O_WRONLY | O_CLOEXEC);
	pid_t child;

	for (unsigned i = 0; i < EXECS; i++) {
		child = fork();
		if (!child) {
			dup2(silent, STDERR_FILENO);
			set_library(w->library);
			execl("/bin/sh", "sh", "-c", ":", NULL);
			_exit(127);
		}
		waitpid(child, NULL, 0);
	}
	close(silent);
}

/* ---- with and without ---------------------------------------------------------------------- */

struct usage {
	double us; /* without what the collector times itself */
	double switches;
};

static double sum_us(const struct rusage *u)
{
	return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1e6 +
	       (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
}

/* What @body takes in a child, its own children included. */
static struct usage use(void (*body)(struct work *), struct work *w)
{
	struct rusage usage = {0};
	pid_t child;

	w->events_ns = 0;
	child = fork();
	if (!child) {
		if (w->sideband)
			open_sideband();
		body(w);
		_exit(0);
	}
	if (child > 0)
		wait4(child, NULL, 0, &usage);
	return (struct usage){.us = sum_us(&usage) - (double)w->events_ns / 1e3,
			      .switches = (double)(usage.ru_nvcsw + usage.ru_nivcsw)};
}

/* How much more it takes with the events or the library, for each of @times: the least of some
 * rounds of each, as other programs only make them slower. */
static double added_us(void (*body)(struct work *), const struct work *with, struct work *w,
		       unsigned times, double switch_us, uint64_t most_ns)
{
	double least[2] = {0, 0}, spent = 0;

	for (unsigned i = 0; i < 4 || (i < 2 * ROUNDS && spent * 1e3 < (double)most_ns); i++) {
		bool on = i % 2;
		struct usage u;

		*w = on ? *with : (struct work){0};
		u = use(body, w);
		spent += u.us;
		u.us -= on ? u.switches * switch_us : 0;
		if (i < 2 || u.us < least[on])
			least[on] = u.us;
	}
	return least[1] > least[0] ? (least[1] - least[0]) / times : 0;
}

int event_cost_measure(const struct event *event, const struct event_cost_library *library,
		       const struct event_cost_wanted *wanted, struct event_cost *out,
		       struct softlbr_error *e)
{
	const uint64_t most = wanted->most_ns;
	/* the recorder tells of mappings itself from outside */
	const struct work events = {.event = event, .sideband = library},
			  none = {.event = event, .sideband = library, .brief = true},
			  loads = {.library = library, .sideband = true};
	struct work *w = mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			      -1, 0);

	*out = (struct event_cost){0};
	if (w == MAP_FAILED)
		return error_set_nomem(e);
	out->switch_us = added_us(switch_threads, &events, w, SWITCHES, 0, most);
	if (wanted->threads) {
		out->brief_us = added_us(make_threads, &none, w, THREADS, out->switch_us, most);
		out->thread_us = added_us(make_threads, &events, w, THREADS, out->switch_us, most);
	}
	if (wanted->forks)
		out->fork_us = added_us(fork_processes, &events, w, FORKS, out->switch_us, most);
	if (wanted->execs && library)
		out->exec_us = added_us(exec_programs, &loads, w, EXECS, 0, most);
	munmap(w, sizeof(*w));
	return 0;
}
