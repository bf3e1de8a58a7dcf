/* SPDX-License-Identifier: MIT */
#include "collector/outside/tracee_events.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector/outside/tracee.h"

/* What a thread has to run for, for a look at its signals. */
#define RUN_NS 50000000u

/* The rule of kill(2), but without CAP_KILL (fs/fcntl.c, sigio_perm). */
static bool may_signal(const struct task_status *s)
{
	uid_t user = getuid(), effective = geteuid();

	return !effective || user == s->users[0] || user == s->users[2] ||
	       effective == s->users[0] || effective == s->users[2];
}

#define SIGSETXID 33 /* glibc's, for setuid in all threads; musl's SIGCANCEL */

/* Where the queue is full, the kernel sends SIGIO instead (fs/fcntl.c, send_sigio_to_task). */
static bool may_queue(const struct task_status *s)
{
	return s->queue[0] < s->queue[1] / 2 && !(s->caught & tracee_status_signal(SIGIO));
}

/*
 * SIGURG comes with urgent data and to programs that send it to their own threads; Go's runtime
 * does that to preempt, and catches every signal. SIGWINCH is sent to processes by terminals: it is
 * the second choice, since servers that catch it (nginx, Apache) end at it, and don't catch SIGURG.
 */
int tracee_events_signal(const struct task_status *s, bool masked, uint64_t seen)
{
	const uint64_t urgent = tracee_status_signal(SIGURG),
		       window = tracee_status_signal(SIGWINCH);
	uint64_t blocked = masked || !tracee_status_is_masked(s) ? s->blocked : 0;

	if (!may_signal(s))
		return 0;
	if (!((s->caught | blocked | seen) & urgent))
		return SIGURG;
	if ((s->caught | seen) & urgent && !((blocked | seen) & window))
		return SIGWINCH;
	return seen && may_queue(s) && !(blocked & tracee_status_signal(SIGSETXID)) ? SIGSETXID : 0;
}

static int open_silent(struct perf_event_attr *attr, pid_t tid)
{
	int fd = event_open(attr, tid, -1);

	return fd < 0 ? -errno : fd;
}

static int open_event(struct perf_event_attr *attr, pid_t tid, int number)
{
	int fd = open_silent(attr, tid);
	long rc;

	if (fd < 0)
		return fd;
	rc = event_announce(fd, (uint32_t)tid, number);
	if (rc < 0) {
		close(fd);
		return (int)rc;
	}
	return fd;
}

int tracee_events_open(struct tracee_events *v, pid_t tid, int number, const struct event *event,
		       uint64_t period, uint64_t seed, bool on)
{
	struct event clock = *event;
	struct sampler_options sampling;
	struct perf_event_attr attr;

	*v = (struct tracee_events){
		.clock = -1, .breakpoint = -1, .places = {-1, -1}, .before = v->before};
	clock.asynchronous = true;
	event_attr(&clock, period, &attr);
	v->clock = open_event(&attr, tid, number);
	if (v->clock < 0)
		return v->clock;
	v->signal = number;
	sampling = event_sampler_options(&clock, period, seed);
	sampler_prepare(&v->sampler, v->clock, &sampling);
	sampler_start(&v->sampler);
	if (!on)
		tracee_events_switch(v, false);
	return 0;
}

void tracee_events_close(struct tracee_events *v)
{
	if (!v->signal)
		return;
	tracee_events_unbreak(v);
	close(v->clock);
	*v = (struct tracee_events){.before = v->signal, .deadly = v->deadly};
}

void tracee_events_switch(struct tracee_events *v, bool on)
{
	if (v->signal)
		ioctl(v->clock, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

/* By the kernel itself: libc lets nobody do that. What it starts by posix_spawn, it does itself. */
void tracee_events_ignore(void)
{
	/* the kernel's struct: handler, flags, restorer, mask */
	const uint64_t action[4] = {(uintptr_t)SIG_IGN};

	syscall(SYS_rt_sigaction, SIGSETXID, action, NULL, sizeof(action[3]));
}

static bool is_instead(const struct tracee_events *v, const siginfo_t *info)
{
	return info->si_signo == SIGIO && info->si_code == SI_KERNEL &&
	       (v->signal == SIGSETXID || v->before == SIGSETXID);
}

enum tracee_events_kind tracee_events_kind(const struct tracee_events *v, const siginfo_t *info)
{
	if (is_instead(v, info))
		return TRACEE_EVENTS_OLD;
	if ((info->si_signo != v->signal && info->si_signo != v->before) ||
	    info->si_code < POLL_IN || info->si_code > POLL_HUP)
		return TRACEE_EVENTS_NONE;
	if (v->signal && info->si_fd == v->clock)
		return TRACEE_EVENTS_CLOCK;
	return v->signal && info->si_fd == v->breakpoint ? TRACEE_EVENTS_BREAKPOINT
							 : TRACEE_EVENTS_OLD;
}

bool tracee_events_have_run(struct tracee_events *v)
{
	uint64_t now;

	if (!v->signal || read(v->clock, &now, sizeof(now)) != sizeof(now) ||
	    now - v->counted < RUN_NS)
		return false;
	v->counted = now;
	return true;
}

int tracee_events_break_at(struct tracee_events *v, pid_t tid, uint64_t address, unsigned skip)
{
	struct perf_event_attr attr;

	event_breakpoint_attr(address, true, &attr);
	attr.disabled = 0;
	attr.sample_period += skip;
	v->skip = skip;
	/* one that counted hits is not moved: it may have counted some */
	if (!skip && v->breakpoint >= 0 &&
	    !ioctl(v->breakpoint, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr))
		return 0;
	tracee_events_unbreak(v); /* before Linux 4.17 it can't be moved */
	v->breakpoint = open_event(&attr, tid, v->signal);
	return v->breakpoint < 0 ? v->breakpoint : 0;
}

void tracee_events_unbreak(struct tracee_events *v)
{
	if (!v->signal)
		return;
	for (unsigned i = 0; i < STOPWATCH_TO; i++) {
		if (v->places[i] >= 0)
			close(v->places[i]);
		v->places[i] = -1;
	}
	if (v->breakpoint >= 0)
		close(v->breakpoint);
	v->breakpoint = -1;
}

/* An event that tells for how long it was enabled, and disables itself when it overflows, with a
 * signal if it is the @last one. */
static int open_once(struct tracee_events *v, pid_t tid, struct perf_event_attr *attr, bool last)
{
	int fd;

	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	fd = last ? open_event(attr, tid, v->signal) : open_silent(attr, tid);
	if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_REFRESH, 1)) {
		close(fd);
		fd = -EINVAL;
	}
	return fd;
}

static int open_place(struct tracee_events *v, pid_t tid, const struct first_touch *at, bool last)
{
	struct perf_event_attr attr;

	event_breakpoint_attr(at->address, true, &attr);
	attr.bp_type = at->kind == FIRST_TOUCH_CODE ? HW_BREAKPOINT_X : HW_BREAKPOINT_RW;
	return open_once(v, tid, &attr, last);
}

static int *place_of(struct tracee_events *v, unsigned i)
{
	return i == STOPWATCH_TO ? &v->breakpoint : &v->places[i];
}

int tracee_events_time(struct tracee_events *v, pid_t tid,
		       const struct first_touch at[STOPWATCH_STOPS])
{
	tracee_events_unbreak(v);
	v->skip = 0;
	for (unsigned i = 0; i < STOPWATCH_STOPS; i++) {
		int fd = at[i].kind ? open_place(v, tid, &at[i], i == STOPWATCH_TO) : -1;

		if (at[i].kind && fd < 0) {
			tracee_events_unbreak(v);
			return fd;
		}
		*place_of(v, i) = fd;
	}
	return 0;
}

int tracee_events_interrupt(struct tracee_events *v, pid_t tid, const struct event *clock,
			    uint64_t ns)
{
	struct event asynchronous = *clock;
	struct perf_event_attr attr;

	asynchronous.asynchronous = true;
	event_attr(&asynchronous, ns, &attr);
	tracee_events_unbreak(v);
	v->skip = 0;
	v->breakpoint = open_once(v, tid, &attr, true);
	return v->breakpoint < 0 ? v->breakpoint : 0;
}

bool tracee_events_came_to(struct tracee_events *v, unsigned i, uint64_t *ns)
{
	uint64_t counted[2]; /* hits, and the time (perf_event_open(2), read_format) */
	int fd = *place_of(v, i);

	if (fd < 0 || read(fd, counted, sizeof(counted)) < 0 || !counted[0])
		return false;
	*ns = counted[1];
	return true;
}
