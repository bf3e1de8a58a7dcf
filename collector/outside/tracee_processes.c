/* SPDX-License-Identifier: MIT */
/* The traced processes: code, mappings, decode caches. */
#include "collector/outside/tracer.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "collector/recorder/command.h"
#include "collector/kernel/clock.h"

/* Mappings are looked up anew after so long, if the process has others by its size, and after
 * longer in any case; where an address is in no mapping that is known, or the kernel can't be asked
 * for single ones, as often as takes a twentieth of the time. */
#define MAPS_NS	     1000000000u
#define MAPS_SAME_NS 10000000000u
#define MAPS_PART    20u

/* A process that runs for so long has opened what it opens at its start. */
#define STARTED_NS 1000000000u

/* How often signalfds are looked at: some ten microseconds per descriptor. */
#define SIGNALFDS_NS 1000000000u
/* If the number of descriptors has not changed. */
#define SIGNALFDS_SAME_NS 10000000000u

/* A file is looked at so often before what it tells is borne out by the process's memory. */
#define LOOKS_MOST 200u

/* struct restartable's: the file that @address is of, once. */
static bool look(struct restartable *r, uint64_t address)
{
	struct tracee_process *process =
		(struct tracee_process *)((char *)r - offsetof(struct tracee_process, restartable));
	struct synthesize_mapping *m = synthesize_maps_at(&process->maps, address);
	uint64_t offset, bias;
	int fd;

	if (!m)
		return false; /* the mappings are looked at later */
	if (m->looks == LOOKS_MOST)
		return true;
	fd = synthesize_open_mapped(process->task, m, &offset);
	if (fd < 0 || !restartable_file_bias(process->file, fd, m->begin, offset, &bias) ||
	    restartable_file_look(process->file, r, fd, process->task, bias))
		m->looks = LOOKS_MOST;
	else
		m->looks++;
	if (fd >= 0)
		close(fd);
	return true;
}

/* /proc tells of the process by this thread from now on. */
static void open_files(struct tracee_process *process, pid_t task, bool starts)
{
	char path[TASK_PATH_BYTES];

	process->task = (uint32_t)task;
	process->maps_file = synthesize_open_maps(process->task);
	task_path(path, process->task, "statm");
	process->size_file = open(path, O_RDONLY | O_CLOEXEC);
	tracee_pages_open(&process->pages, process->task, starts);
}

static void close_files(struct tracee_process *process)
{
	if (process->maps_file >= 0)
		close(process->maps_file);
	if (process->size_file >= 0)
		close(process->size_file);
	tracee_pages_close(&process->pages);
}

void tracee_process_note_calls(struct tracee_process *process, const struct executable_calls *calls)
{
	process->signals.all = calls->pending;
	process->signals.signalfds = calls->signalfd;
	process->signals.looked_ns = 0;
}

static void look_at_signalfds(struct tracee_process *process, uint64_t now)
{
	uint64_t descriptors = tracee_pages_descriptors(&process->pages);
	uint64_t passed = now - process->signals.looked_ns;

	if (descriptors && descriptors == process->signals.descriptors &&
	    passed < SIGNALFDS_SAME_NS)
		return;
	process->signals.seen = tracee_status_signalfds(process->task);
	process->signals.descriptors = descriptors;
	process->signals.looked_ns = now;
}

/* A signalfd is mostly for SIGURG (PostgreSQL's latches), or for all signals. */
uint64_t tracee_process_seen_signals(struct tracee_process *process)
{
	uint64_t now;

	if (process->signals.all)
		return ~UINT64_C(0);
	if (!process->signals.signalfds)
		return 0;
	now = clock_now_ns();
	if (now - process->signals.looked_ns > SIGNALFDS_NS)
		look_at_signalfds(process, now);
	return process->signals.seen | tracee_status_signal(SIGURG);
}

static struct tracee_process *new_process(struct tracer *t, uint32_t pid, pid_t task)
{
	struct tracee_process *process = memory_alloc(sizeof(*process));
	struct executable_calls calls;

	if (!process)
		return NULL;
	process->pid = pid;
	process->file = &t->file;
	process->maps.files = &t->files;
	tracee_status_times(pid, &process->times);
	calls = executable_calls(task, &t->calls);
	tracee_process_note_calls(process, &calls);
	process->restartable.look = look;
	if (!tracee_code_begin(process)) {
		memory_free(process);
		return NULL;
	}
	open_files(process, task, tracee_status_age_ns(pid) < STARTED_NS);
	return process;
}

static void free_process(struct tracee_process *process)
{
	close_files(process);
	tracee_code_end(process);
	synthesize_maps_deinit(&process->maps);
	memory_free(process);
}

struct tracee_process *tracee_process_find(const struct tracer *t, uint32_t pid)
{
	struct tracee_process **at;

	vector_each (&t->processes, at)
		if ((*at)->pid == pid)
			return *at;
	return NULL;
}

struct tracee_process *tracee_process_get(struct tracer *t, uint32_t pid, pid_t task)
{
	struct tracee_process *known = tracee_process_find(t, pid), **at;

	if (known)
		return known;
	at = vector_push(&t->processes);
	if (!at)
		return NULL;
	*at = new_process(t, pid, task);
	if (!*at) {
		t->processes.count--;
		return NULL;
	}
	t->result->processes++;
	return *at;
}

/* The thread by which /proc told of the process has ended: another one does from now on. False:
 * there is none, or no need. */
static bool find_task(struct tracer *t, struct tracee_process *process)
{
	struct task_status status;
	struct traced **at;

	if (!tracee_status_read((pid_t)process->task, &status) && !tracee_status_has_ended(&status))
		return false;
	vector_each (&t->threads, at) {
		if ((*at)->process != process || tracee_status_read((*at)->tid, &status) ||
		    tracee_status_has_ended(&status))
			continue;
		close_files(process);
		open_files(process, (*at)->tid, true);
		return true;
	}
	return false;
}

/* The size of all mappings, in pages; 0 if it is not told. */
static uint64_t size_of(const struct tracee_process *process)
{
	char text[32] = "";

	return pread(process->size_file, text, sizeof(text) - 1, 0) > 0 ? strtoull(text, NULL, 10)
									: 0;
}

/* Decoded code is kept for as long as nothing is seen to change. */
static int read_maps(struct tracer *t, struct tracee_process *process)
{
	struct synthesize_task task = {process->pid, process->task};
	uint64_t begin = clock_now_ns();
	bool changed;

	if (synthesize_maps(&t->writer, task, &process->maps, &changed, t->error))
		return -SOFTLBR_E_SYSTEM;
	if (!process->maps.mappings.count && find_task(t, process))
		return read_maps(t, process);
	process->maps_pages = size_of(process);
	process->maps_ns = clock_now_ns();
	process->maps_cost_ns = process->maps_ns - begin;
	if (!changed)
		return 0;
	tracee_pages_forget_known(&process->pages);
	return tracee_code_mapped(t, process);
}

int tracee_process_executed(struct tracer *t, struct tracee_process *process)
{
	struct synthesize_task task = {process->pid, process->pid};

	process->ours = false;
	process->restartable = (struct restartable){.look = look};
	synthesize_maps_deinit(&process->maps);
	close_files(process);
	open_files(process, (pid_t)process->pid, true);
	if (!tracee_code_begin(process))
		return error_set_nomem(t->error);
	if (synthesize_comm(&t->writer, task, true, t->error))
		return -SOFTLBR_E_SYSTEM;
	return read_maps(t, process);
}

int tracee_processes_tell_again(struct tracer *t)
{
	struct tracee_process **at;
	int rc = 0;

	vector_each (&t->processes, at) {
		struct synthesize_task task = {(*at)->pid, (*at)->pid};

		synthesize_maps_deinit(&(*at)->maps);
		rc = synthesize_comm(&t->writer, task, false, t->error);
		if (!rc)
			rc = read_maps(t, *at);
		if (rc)
			break;
	}
	return rc;
}

void tracee_process_keep_time(struct tracer *t, struct tracee_process *process)
{
	const struct tracee_times before = process->times;
	struct tracee_times *now = &process->times;
	struct recorder_result *r = t->result;

	if (!tracee_status_times(process->pid, now)) {
		*now = before;
		return;
	}
	r->cpu_ns += now->cpu_ns - before.cpu_ns;
	r->user_ticks += now->user_ticks - before.user_ticks;
	r->system_ticks += now->system_ticks - before.system_ticks;
}

void tracee_processes_keep_time(struct tracer *t)
{
	struct tracee_process **at;

	vector_each (&t->processes, at)
		tracee_process_keep_time(t, *at);
}

void tracee_process_release(struct tracer *t, struct tracee_process *process, pid_t tid)
{
	if (--process->threads) {
		if (process->task == (uint32_t)tid)
			find_task(t, process);
		return;
	}
	for (size_t i = 0; i < t->processes.count; i++)
		if (t->processes.items[i] == process) {
			t->processes.items[i] = t->processes.items[--t->processes.count];
			free_process(process);
			return;
		}
}

/* May there be mappings that were not there when they were read, so long ago? */
static bool may_have_others(const struct tracee_process *process, uint64_t age)
{
	uint64_t pages;

	if (age <= MAPS_NS || age > MAPS_SAME_NS)
		return age > MAPS_SAME_NS;
	pages = size_of(process);
	return !pages || pages != process->maps_pages;
}

int tracee_process_refresh(struct tracer *t, struct tracee_process *process, uint64_t address,
			   bool *replaced)
{
	struct synthesize_mapping *m = synthesize_maps_at(&process->maps, address);
	uint64_t age;
	bool affordable;
	int same;

	if (m && m->checked == t->checks)
		return 0; /* most branches of a trace */
	age = clock_now_ns() - process->maps_ns;
	affordable = age > process->maps_cost_ns * MAPS_PART;
	if (!m)
		return affordable ? read_maps(t, process) : 0;
	m->checked = t->checks;
	same = synthesize_is_unchanged(process->maps_file, m);
	if (!same && replaced)
		*replaced = true;
	if (!same || (same < 0 && affordable) || may_have_others(process, age))
		return read_maps(t, process);
	return 0;
}
