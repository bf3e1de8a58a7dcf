/* SPDX-License-Identifier: MIT */
#include "tests/unit/fake_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "collector/inside/handler/handler_state.h"
#include "collector/kernel/syscall.h"

struct fake_kernel fake_kernel;
_Thread_local struct fake_thread fake_thread;

#define PID	  100u
#define FIRST_FD  8500u /* of events */
#define STATUS_FD 8999

static uint32_t own_tid(void)
{
	return fake_thread.tid ? fake_thread.tid : fake_kernel.pid;
}

int fake_kernel_reset(void **state)
{
	(void)state;
	arena_unmap(&handler_state.altstacks.stacks);
	arena_unmap(&handler_state.process.slots);
	memset(&handler_state, 0, sizeof(handler_state));
	fake_kernel = (struct fake_kernel){.pid = PID};
	fake_thread = (struct fake_thread){.stack.ss_flags = SS_DISABLE};
	for (unsigned i = 0; i < RLIM_NLIMITS; i++)
		fake_kernel.limits[i] = (struct rlimit){RLIM_INFINITY, RLIM_INFINITY};
	fake_kernel.limits[RLIMIT_NOFILE] = (struct rlimit){1024, 4096};
	return 0;
}

void fake_kernel_answer(long number, long answer)
{
	fake_kernel.answers[number] = answer;
	fake_kernel.answered[number] = true;
}

void fake_kernel_keep(struct fake_signal *s, int code)
{
	*s = (struct fake_signal){true, {.si_signo = SIGTRAP, .si_code = code}};
	if (code == SI_USER || code == SI_TKILL)
		s->info.si_pid = (pid_t)fake_kernel.pid;
}

/* ---- signals ------------------------------------------------------------------------------- */

static long change_mask(uint64_t how, const uint64_t *set, uint64_t *before)
{
	if (before)
		*before = fake_thread.mask;
	if (!set)
		return 0;
	switch (how) {
	case SIG_BLOCK:
		fake_thread.mask |= *set;
		return 0;
	case SIG_UNBLOCK:
		fake_thread.mask &= ~*set;
		return 0;
	case SIG_SETMASK:
		fake_thread.mask = *set;
		return 0;
	}
	return -EINVAL;
}

/* The kernel keeps the first one of each. */
static void keep_first(struct fake_signal *s, const siginfo_t *info)
{
	if (!s->there)
		*s = (struct fake_signal){true, *info};
}

static long send_to_thread(uint32_t tid, const siginfo_t *info)
{
	if (tid == fake_kernel.gone)
		return -ESRCH;
	if (tid != own_tid() && fake_kernel.sent)
		fake_kernel.sent(tid, info);
	else if (tid == own_tid())
		keep_first(&fake_thread.pending, info);
	return 0;
}

static long take_pending(siginfo_t *info)
{
	struct fake_signal *s = fake_thread.pending.there ? &fake_thread.pending
							  : &fake_kernel.pending;

	if (!s->there)
		return -EAGAIN;
	*info = s->info;
	s->there = false;
	return SIGTRAP;
}

static long pending_signals(uint64_t *out)
{
	*out = fake_thread.pending.there || fake_kernel.pending.there ? FAKE_KERNEL_TRAP : 0;
	return 0;
}

static long set_action(uint64_t number, const struct kernel_sigaction *action,
		       struct kernel_sigaction *before)
{
	struct kernel_sigaction *a;

	if (number >= SIGNAL_DELIVERY_SIGNALS || number == SIGKILL || number == SIGSTOP)
		return -EINVAL;
	a = &fake_kernel.actions[number];
	if (before)
		*before = *a;
	if (action)
		*a = *action;
	/* it forgets what is pending and ignored */
	if (action && number == SIGTRAP && (uintptr_t)action->handler == 1)
		fake_thread.pending.there = fake_kernel.pending.there = false;
	return 0;
}

static long set_stack(const stack_t *wanted, stack_t *before)
{
	if (before)
		*before = fake_thread.stack;
	if (wanted)
		fake_thread.stack = *wanted;
	return 0;
}

static const siginfo_t killed = {.si_signo = SIGTRAP, .si_code = SI_USER};

static long signal_call(long number, const uint64_t a[6])
{
	switch (number) {
	case SYS_rt_sigprocmask:
		return change_mask(a[0], (void *)a[1], (void *)a[2]);
	case SYS_rt_sigpending:
		return pending_signals((void *)a[0]);
	case SYS_rt_sigtimedwait:
		return take_pending((void *)a[1]);
	case SYS_rt_sigaction:
		return set_action(a[0], (void *)a[1], (void *)a[2]);
	case SYS_sigaltstack:
		return set_stack((void *)a[0], (void *)a[1]);
	case SYS_rt_tgsigqueueinfo:
		return send_to_thread((uint32_t)a[1], (void *)a[3]);
	case SYS_tgkill:
		return a[2] ? send_to_thread((uint32_t)a[1], &killed)
			    : -(a[1] == fake_kernel.gone) * ESRCH;
	case SYS_rt_sigqueueinfo:
		keep_first(&fake_kernel.pending, (void *)a[2]);
		return 0;
	}
	keep_first(&fake_kernel.pending, &killed);
	return 0;
}

/* ---- descriptors and limits ---------------------------------------------------------------- */

static long duplicate(uint64_t of, uint64_t least)
{
	uint64_t limit = __atomic_load_n(&fake_kernel.limits[RLIMIT_NOFILE].rlim_cur,
					 __ATOMIC_RELAXED);

	for (uint64_t fd = least; fd < limit && fd < FAKE_KERNEL_FDS; fd++)
		if (!__atomic_exchange_n(&fake_kernel.open[fd], true, __ATOMIC_RELAXED)) {
			fake_kernel.ids[fd] = of < FAKE_KERNEL_FDS ? fake_kernel.ids[of] : 0;
			return (long)fd;
		}
	return least < limit ? -EMFILE : -EINVAL;
}

static long exchange_limit(uint64_t resource, const struct rlimit *wanted, struct rlimit *before)
{
	struct rlimit *l;

	if (resource >= RLIM_NLIMITS)
		return -EINVAL;
	l = &fake_kernel.limits[resource];
	if (before)
		*before = *l;
	if (wanted && wanted->rlim_max > l->rlim_max)
		return -EPERM;
	if (wanted)
		*l = *wanted;
	return 0;
}

static long open_event(void)
{
	for (unsigned fd = FIRST_FD; fd < STATUS_FD; fd++)
		if (!__atomic_exchange_n(&fake_kernel.open[fd], true, __ATOMIC_RELAXED)) {
			fake_kernel.ids[fd] = ++fake_kernel.last_id;
			return fd;
		}
	return -EMFILE;
}

static bool is_fake(uint64_t fd)
{
	return fd < FAKE_KERNEL_FDS &&
	       (fd == STATUS_FD || __atomic_load_n(&fake_kernel.open[fd], __ATOMIC_RELAXED));
}

static long read_status(char *out, size_t bytes)
{
	size_t length = strlen(fake_kernel.status);

	length = length < bytes ? length : bytes;
	memcpy(out, fake_kernel.status, length);
	return (long)length;
}

/* ---- all calls ----------------------------------------------------------------------------- */

static long real(long number, const uint64_t a[6])
{
	long rc = syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);

	return rc == -1 ? -errno : rc;
}

/* The process's number is a real one to the real kernel. */
static long real_memory(long number, const uint64_t a[6])
{
	const uint64_t own[6] = {(uint64_t)getpid(), a[1], a[2], a[3], a[4], a[5]};

	return real(number, a[0] == fake_kernel.pid ? own : a);
}

/* A thread's by its number, or any. */
static long read_clock(const uint64_t a[6])
{
	if ((int)a[0] >= 0)
		return real(SYS_clock_gettime, a);
	if (!fake_kernel.thread_ns)
		return -EINVAL;
	*(struct timespec *)a[1] = (struct timespec){
		.tv_sec = (time_t)(fake_kernel.thread_ns / 1000000000u),
		.tv_nsec = (long)(fake_kernel.thread_ns % 1000000000u)};
	return 0;
}

static long open_path(const uint64_t a[6])
{
	const char *path = (const char *)a[1];

	if (fake_kernel.status && strstr(path, "/status"))
		return STATUS_FD;
	return real(SYS_openat, a);
}

static long descriptor_call(long number, const uint64_t a[6])
{
	switch (number) {
	case SYS_fcntl:
		return a[1] == F_DUPFD_CLOEXEC ? duplicate(a[0], a[2]) : real(number, a);
	case SYS_close:
		if (!is_fake(a[0]))
			return real(number, a);
		__atomic_store_n(&fake_kernel.open[a[0]], false, __ATOMIC_RELAXED);
		return 0;
	case SYS_read:
		return a[0] == STATUS_FD ? read_status((char *)a[1], a[2]) : real(number, a);
	case SYS_ioctl:
		if (!is_fake(a[0]))
			return real(number, a);
		if (a[1] == PERF_EVENT_IOC_ID)
			*(uint64_t *)a[2] = fake_kernel.ids[a[0]];
		if (a[1] == PERF_EVENT_IOC_PERIOD)
			fake_kernel.periods[a[0]] = *(const uint64_t *)a[2];
		if (a[1] == PERF_EVENT_IOC_ENABLE || a[1] == PERF_EVENT_IOC_DISABLE)
			fake_kernel.enabled[a[0]] = a[1] == PERF_EVENT_IOC_ENABLE;
		return 0;
	case SYS_perf_event_open:
		return open_event();
	case SYS_prlimit64:
		return exchange_limit(a[1], (void *)a[2], (void *)a[3]);
	case SYS_getrlimit:
		return exchange_limit(a[0], NULL, (void *)a[1]);
	}
	return open_path(a);
}

long syscall_6(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
	const uint64_t arguments[6] = {a, b, c, d, e, f};

	__atomic_fetch_add(&fake_kernel.calls[number], 1, __ATOMIC_RELAXED);
	if (fake_kernel.answered[number])
		return fake_kernel.answers[number];
	switch (number) {
	case SYS_getpid:
		return fake_kernel.pid;
	case SYS_gettid:
		return own_tid();
	case SYS_clock_gettime:
		return read_clock(arguments);
	case SYS_nanosleep: /* no time passes */
		return 0;
	case SYS_rt_sigprocmask:
	case SYS_rt_sigpending:
	case SYS_rt_sigtimedwait:
	case SYS_rt_sigaction:
	case SYS_sigaltstack:
	case SYS_rt_tgsigqueueinfo:
	case SYS_rt_sigqueueinfo:
	case SYS_tgkill:
	case SYS_kill:
		return signal_call(number, arguments);
	case SYS_fcntl:
	case SYS_close:
	case SYS_read:
	case SYS_ioctl:
	case SYS_perf_event_open:
	case SYS_prlimit64:
	case SYS_getrlimit:
	case SYS_openat:
		return descriptor_call(number, arguments);
	case SYS_process_vm_readv:
		return real_memory(number, arguments);
	}
	return real(number, arguments);
}
