/* SPDX-License-Identifier: MIT */
#include "collector/kernel/event.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"

#define PMU_DIRECTORY "/sys/bus/event_source/devices"

/* Period by default: see docs/man/softlbr-record.1. Odd numbers keep step with no loop. */
#define PERIOD_TIME_NS	10000019u
#define PERIOD_BRANCHES 20000003u
/* Shorter ones leave the program no time of its own. By F_SETSIG a sample costs 50 us where one by
 * sigtrap costs 24, and a program did nothing else any more at 12.5 us; its events run on while one
 * is handled. */
#define PERIOD_LEAST_NS		   50e3
#define PERIOD_LEAST_EVENTS	   1e3
#define PERIOD_MOST		   1e15
#define PERIOD_ASYNCHRONOUS_FACTOR 10
#define PERIOD_INSTRUCTIONS	   100000007u

struct generic {
	const char *name;
	uint32_t type;
	uint64_t config;
	bool time, branches;
	uint64_t period;
};

static const struct generic generics[] = {
	{"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, false, true,
	 PERIOD_BRANCHES},
	{"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, false, true,
	 PERIOD_BRANCHES},
	{"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false, false,
	 PERIOD_INSTRUCTIONS},
	{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false, false, PERIOD_INSTRUCTIONS},
	{"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false, false,
	 PERIOD_INSTRUCTIONS},
	{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true, false, PERIOD_TIME_NS},
	{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true, false, PERIOD_TIME_NS},
};

#define GENERIC_COUNT (sizeof(generics) / sizeof(generics[0]))

static void from_generic(const struct generic *g, struct event *out)
{
	*out = (struct event){.type = g->type,
			      .config = g->config,
			      .time = g->time,
			      .branches = g->branches,
			      .default_period = g->period};
	snprintf(out->name, sizeof(out->name), "%s:u", g->name);
}

/* The first line of a small file below the PMU's directory; 0 or -1. */
static int read_pmu_file(const char *pmu, const char *file, char *text, size_t size)
{
	char path[256];
	FILE *f;
	int rc = -1;

	snprintf(path, sizeof(path), PMU_DIRECTORY "/%s/%s", pmu, file);
	f = fopen(path, "re");
	if (!f)
		return -1;
	if (fgets(text, (int)size, f)) {
		text[strcspn(text, "\n")] = 0;
		rc = 0;
	}
	fclose(f);
	return rc;
}

/* Put @value into the bits that a format file names: "config:0-7,32-35", "config1:3". */
static int put_field(struct event *out, const char *format, uint64_t value)
{
	uint64_t *word = &out->config;
	const char *p = strchr(format, ':');
	unsigned low, high, used = 0;
	int read;

	if (!p)
		return -1;
	if (!strncmp(format, "config1", 7))
		word = &out->config1;
	else if (!strncmp(format, "config2", 7))
		word = &out->config2;
	for (p++; sscanf(p, "%u%n", &low, &read) == 1; p++) {
		p += read;
		high = low;
		if (*p == '-' && sscanf(p + 1, "%u%n", &high, &read) == 1)
			p += 1 + read;
		for (unsigned bit = low; bit <= high && bit < 64; bit++)
			*word |= (value >> used++ & 1) << bit;
		if (*p != ',')
			break;
	}
	return 0;
}

/* Terms "event=0xc4,umask=0x20" or a name that the PMU's events folder explains. */
static int parse_terms(struct event *out, const char *pmu, char *terms, const char *whole,
		       int depth, struct softlbr_error *e)
{
	char *save = NULL;

	for (char *term = strtok_r(terms, ",", &save); term; term = strtok_r(NULL, ",", &save)) {
		char *equals = strchr(term, '='), file[128], text[256];

		if (!equals) {
			snprintf(file, sizeof(file), "events/%s", term);
			if (depth == 0 && !read_pmu_file(pmu, file, text, sizeof(text))) {
				if (parse_terms(out, pmu, text, whole, 1, e))
					return -SOFTLBR_E_USAGE;
				continue;
			}
		} else {
			*equals = 0;
		}
		snprintf(file, sizeof(file), "format/%s", term);
		if (read_pmu_file(pmu, file, text, sizeof(text)) ||
		    put_field(out, text, equals ? strtoull(equals + 1, NULL, 0) : 1))
			return error_set(e, SOFTLBR_E_USAGE, NULL,
					 "event %s: the PMU %s knows no term %s; see " PMU_DIRECTORY
					 "/%s/format",
					 whole, pmu, term, pmu);
	}
	return 0;
}

static int parse_pmu(const char *text, struct event *out, struct softlbr_error *e)
{
	char pmu[64], terms[128], type[32];
	int end = 0;

	if (sscanf(text, "%63[^/]/%127[^/]/%n", pmu, terms, &end) != 2 || !end ||
	    (text[end] && strcmp(text + end, "u") && strcmp(text + end, ":u")))
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "event %s: not of the form PMU/TERM=VALUE,.../", text);
	if (read_pmu_file(pmu, "type", type, sizeof(type)))
		return error_set(
			e, SOFTLBR_E_USAGE, NULL,
			"event %s: this machine has no PMU %s; -e auto takes what there is", text,
			pmu);
	*out = (struct event){.type = (uint32_t)strtoul(type, NULL, 10),
			      .default_period = PERIOD_BRANCHES};
	snprintf(out->name, sizeof(out->name), "%.*s", (int)sizeof(out->name) - 1, text);
	return parse_terms(out, pmu, terms, text, 0, e);
}

int event_parse(const char *text, struct event *out, struct softlbr_error *e)
{
	size_t length = strcspn(text, ":");
	const char *modifier = text + length;
	char *end;

	if (strchr(text, '/'))
		return parse_pmu(text, out, e);
	if (*modifier && strcmp(modifier, ":u"))
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "event %s: softlbr traces user space only; the one modifier is :u",
				 text);
	if (length == 4 && !strncmp(text, "auto", 4)) {
		event_choose(out);
		return 0;
	}
	for (size_t i = 0; i < GENERIC_COUNT; i++) {
		if (strlen(generics[i].name) == length &&
		    !strncmp(text, generics[i].name, length)) {
			from_generic(&generics[i], out);
			return 0;
		}
	}
	*out = (struct event){.type = PERF_TYPE_RAW, .default_period = PERIOD_BRANCHES};
	if (text[0] == 'r' && length > 1) {
		out->config = strtoull(text + 1, &end, 16);
		if (end == modifier) {
			snprintf(out->name, sizeof(out->name), "%.*s:u", (int)length, text);
			return 0;
		}
	}
	return error_set(e, SOFTLBR_E_USAGE, NULL,
			 "event %s: not known; give auto, branches, instructions, cycles, "
			 "task-clock, cpu-clock, rHEX or PMU/TERM=VALUE,.../",
			 text);
}

static bool taken_branches(struct event *out)
{
	uint64_t raw = isa_host_taken_branches();

	*out = (struct event){.type = PERF_TYPE_RAW,
			      .config = raw,
			      .branches = true,
			      .default_period = PERIOD_BRANCHES};
	snprintf(out->name, sizeof(out->name), "r%llx:u", (unsigned long long)raw);
	return raw != 0;
}

void event_choose(struct event *out)
{
	static const char *const order[] = {"branches", "instructions", "cycles"};

	if (taken_branches(out) && !event_try(out))
		return;
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		event_parse(order[i], out, NULL);
		if (!event_try(out))
			return;
	}
	event_parse("task-clock", out, NULL);
}

int event_open(struct perf_event_attr *attr, pid_t tid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int try_attr(struct perf_event_attr *attr)
{
	int fd = event_open(attr, 0, -1);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

int event_try(struct event *event)
{
	struct perf_event_attr attr;
	int why;

	event->asynchronous = false;
	event_attr(event, event->default_period, &attr);
	why = try_attr(&attr);
	if (why != EINVAL && why != E2BIG)
		return why;
	event->asynchronous = true;
	event_attr(event, event->default_period, &attr);
	if (!try_attr(&attr))
		return 0;
	event->asynchronous = false;
	return why;
}

int event_try_breakpoint(bool asynchronous)
{
	struct perf_event_attr attr;

	event_breakpoint_attr((uintptr_t)&event_try_breakpoint, asynchronous, &attr);
	return try_attr(&attr);
}

/* How a child ends that only calls @what, whose result is its status; -1: it can't be had. */
static int status_of_child(int (*what)(void))
{
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(what());
	return child < 0 || waitpid(child, &status, 0) != child ? -1 : status;
}

static int open_any(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .disabled = 1};

	try_attr(&attr);
	return 0;
}

int event_deadly_signal(const struct task_status *own)
{
	int status;

	if (own->process && !own->filters)
		return 0;
	status = status_of_child(open_any);
	return status != -1 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static int make_timer(void)
{
	struct sigevent none = {.sigev_notify = SIGEV_NONE};
	timer_t timer;

	return timer_create(CLOCK_THREAD_CPUTIME_ID, &none, &timer) || timer_delete(timer);
}

bool event_timer_works(const struct task_status *own)
{
	if (!ISA_HOST_QUIET_TIMERS)
		return false;
	return (own->process && !own->filters ? make_timer() : status_of_child(make_timer)) == 0;
}

static int refuse_unit(const char *text, const char *unit, const struct event *event,
		       struct softlbr_error *e)
{
	if (event->time)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "period %s: give a unit of us, ms or s, such as 5ms", text);
	return error_set(e, SOFTLBR_E_USAGE, NULL,
			 "period %s: %s is not counted in time, but in events; give a number "
			 "without %s",
			 text, event->name, unit);
}

static int refuse_size(const char *text, const struct event *event, double value, double least,
		       struct softlbr_error *e)
{
	if (value > PERIOD_MOST)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "period %s: the number overflows; at most %s%s is counted", text,
				 event->time ? "1000000s" : "1000000000000000",
				 event->time ? "" : " events");
	if (event->time)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "period %s: too short; give a time of at least %.0fus, such as "
				 "5ms",
				 text, least / 1e3);
	return error_set(e, SOFTLBR_E_USAGE, NULL,
			 "period %s: give a number of events, at least %.0f", text, least);
}

int event_parse_period(const char *text, const struct event *event, uint64_t *period,
		       struct softlbr_error *e)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"", 1}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
	const size_t unit_count = sizeof(units) / sizeof(units[0]);
	double value, least = event->time ? PERIOD_LEAST_NS : PERIOD_LEAST_EVENTS;
	size_t i = 0;
	char *end;

	value = strtod(text, &end);
	while (i < unit_count && strcmp(end, units[i].unit) != 0)
		i++;
	if (end == text || value != value)
		return refuse_size(text, event, 0, least, e);
	if (i == unit_count || (i && !event->time))
		return refuse_unit(text, end, event, e);
	if (event->asynchronous)
		least *= PERIOD_ASYNCHRONOUS_FACTOR;
	value *= units[i].ns;
	if (value < least || value > PERIOD_MOST)
		return refuse_size(text, event, value, least, e);
	*period = (uint64_t)value;
	return 0;
}

int event_parse_frequency(const char *text, const struct event *event, uint64_t *period,
			  struct softlbr_error *e)
{
	double least = PERIOD_LEAST_NS * (event->asynchronous ? PERIOD_ASYNCHRONOUS_FACTOR : 1);
	char *end;
	double value = strtod(text, &end);

	if (!event->time)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "--freq %s: %s is not counted in time: give the number of events "
				 "between two samples by -c, or sample by -e task-clock",
				 text, event->name);
	if (end == text || *end || !(value >= 1 / 1e6 && value <= 1e9 / least))
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "--freq %s: give a number of samples per second of CPU time, at "
				 "most %.0f%s",
				 text, 1e9 / least, value > 1e9 ? " (it overflows)" : "");
	*period = (uint64_t)(1e9 / value);
	return 0;
}

/* ---- what a sampler asks ------------------------------------------------------------------- */

static void control(int fd, unsigned long request, uintptr_t argument)
{
	syscall_3(SYS_ioctl, (uint64_t)fd, request, argument);
}

static void set_period(int fd, uint64_t period)
{
	control(fd, PERF_EVENT_IOC_PERIOD, (uintptr_t)&period);
}

static void enable(int fd)
{
	control(fd, PERF_EVENT_IOC_ENABLE, 0);
}

static void enable_once(int fd)
{
	control(fd, PERF_EVENT_IOC_REFRESH, 1);
}

static void disable(int fd)
{
	control(fd, PERF_EVENT_IOC_DISABLE, 0);
}

static uint64_t count(int fd)
{
	uint64_t counted = 0;

	return syscall_read(fd, &counted, sizeof(counted)) == sizeof(counted) ? counted : 0;
}

static bool make_thread_timer(uint32_t tid, uintptr_t data, int *timer)
{
	struct sigevent event = {.sigev_signo = SIGTRAP, .sigev_notify = SIGEV_THREAD_ID};

	event.sigev_value.sival_ptr = (void *)data;
	event._sigev_un._tid = (pid_t)tid; /* sigev_notify_thread_id, which old headers lack */
	return !syscall_3(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, (uintptr_t)&event,
			  (uintptr_t)timer);
}

static void set_timer(int timer, uint64_t ns)
{
	struct timespec interval = {.tv_sec = (time_t)(ns / 1000000000u),
				    .tv_nsec = (long)(ns % 1000000000u)};
	/* again, should a signal get lost while SIGTRAP is ignored */
	struct itimerspec t = {.it_value = interval, .it_interval = interval};

	syscall_6(SYS_timer_settime, (uint64_t)timer, 0, (uintptr_t)&t, 0, 0, 0);
}

static void delete_timer(int timer)
{
	syscall_3(SYS_timer_delete, (uint64_t)timer, 0, 0);
}

struct sampler_options event_sampler_options(const struct event *event, uint64_t mean,
					     uint64_t seed)
{
	static const struct sampler_source source = {
		.set_period = set_period,
		.enable = enable,
		.enable_once = enable_once,
		.disable = disable,
		.count = count,
		.make_timer = make_thread_timer,
		.set_timer = set_timer,
		.delete_timer = delete_timer,
	};

	return (struct sampler_options){.source = &source,
					.time = event->time,
					.asynchronous = event->asynchronous,
					.mean = mean,
					.seed = seed};
}
