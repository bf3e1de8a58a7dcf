/* SPDX-License-Identifier: MIT */
#include "collector/recorder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/vector.h"
#include "collector/core.h"
#include "collector/sideband.h"
#include "formats/perfdata_write.h"

/* How often the buffers are emptied. */
#define DRAIN_MS 50

#define RECORD_FINISHED_ROUND 68 /* PERF_RECORD_FINISHED_ROUND, tools/perf/util/event.h */

struct joined { /* a process's file */
	char name[32];
	struct session_file file;
};

struct recorder {
	const struct recorder_options *options;
	char directory[64];
	struct session_control *control;
	struct sideband sideband;
	struct perfdata_writer writer;
	VECTOR(struct joined) processes;
	pid_t child;
	uint64_t started_ns;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- the session --------------------------------------------------------------------------- */

static int make_directory(struct recorder *r, struct softlbr_error *e)
{
	const char *temporary = getenv("TMPDIR");
	const char *const places[] = {"/dev/shm", temporary ? temporary : "/tmp"};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (snprintf(r->directory, sizeof(r->directory), "%s/softlbr-XXXXXX", places[i]) <
			    (int)sizeof(r->directory) &&
		    mkdtemp(r->directory))
			return 0;
	}
	r->directory[0] = 0;
	return error_set_errno(e, NULL, "cannot make a session directory in /dev/shm or %s",
			       places[1]);
}

static int make_control(struct recorder *r, struct softlbr_error *e)
{
	char path[96];
	void *p = MAP_FAILED;
	int fd;

	snprintf(path, sizeof(path), "%s/control", r->directory);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0 && !ftruncate(fd, SESSION_PAGE))
		p = mmap(NULL, SESSION_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		error_set_errno(e, path, "cannot make %s", path);
		if (fd >= 0)
			close(fd);
		return -SOFTLBR_E_SYSTEM;
	}
	close(fd);
	r->control = p;
	r->control->options = r->options->session;
	r->control->state = r->options->delay_ns ? SESSION_WAIT : SESSION_RUN;
	r->control->magic = SESSION_MAGIC;
	return 0;
}

static void remove_directory(struct recorder *r)
{
	DIR *d = r->directory[0] ? opendir(r->directory) : NULL;
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(d), entry->d_name, 0);
	if (d)
		closedir(d);
	if (r->directory[0])
		rmdir(r->directory);
}

/* ---- processes that joined ----------------------------------------------------------------- */

static bool known(struct recorder *r, const char *name)
{
	struct joined *p;

	vector_each(&r->processes, p) if (!strcmp(p->name, name)) return true;
	return false;
}

/* A process that is still making its file is met again at the next look. */
static int adopt_file(struct recorder *r, const char *name, struct softlbr_error *e)
{
	struct process_header *h = MAP_FAILED;
	struct joined *p;
	struct stat st;
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", r->directory, name);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (!fstat(fd, &st) && (size_t)st.st_size >= SESSION_PAGE)
		h = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (h == MAP_FAILED)
		return 0;
	/* acquires the release in process.c: make_file */
	if (atomic_read_acquire(&h->magic) != SESSION_MAGIC ||
	    h->chunk_bytes <= sizeof(struct chunk_header) ||
	    session_file_bytes(h->chunk_bytes, h->chunk_count) > (size_t)st.st_size) {
		munmap(h, (size_t)st.st_size);
		return 0;
	}
	p = vector_push(&r->processes);
	if (!p) {
		munmap(h, (size_t)st.st_size);
		return error_set_nomem(e);
	}
	snprintf(p->name, sizeof(p->name), "%s", name);
	p->file = (struct session_file){h, (size_t)st.st_size};
	return 0;
}

static int look_for_files(struct recorder *r, struct softlbr_error *e)
{
	DIR *d = opendir(r->directory);
	struct dirent *entry;
	int rc = 0;

	while (!rc && d && (entry = readdir(d)))
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9' && !known(r, entry->d_name))
			rc = adopt_file(r, entry->d_name, e);
	if (d)
		closedir(d);
	return rc;
}

/* Whole records only: the bytes are another process's. */
static size_t whole_records(const uint8_t *bytes, size_t size)
{
	size_t at = 0;

	while (at + sizeof(struct perf_event_header) <= size) {
		const struct perf_event_header *h = (const void *)(bytes + at);

		if (h->size < sizeof(*h) || h->size > size - at)
			break;
		at += h->size;
	}
	return at;
}

static int drain_chunk(struct recorder *r, struct chunk_header *c, size_t room,
		       struct softlbr_error *e)
{
	/* acquires the releases in buffer.c: buffer_release, buffer_publish */
	uint32_t state = atomic_read_acquire(&c->state);
	uint32_t used = atomic_read_acquire(&c->used);
	size_t bytes;

	if (state == CHUNK_FREE || used > room || c->drained > used)
		return 0;
	bytes = whole_records(c->records + c->drained, used - c->drained);
	if (bytes && perfdata_writer_append(&r->writer, c->records + c->drained, bytes, e))
		return -SOFTLBR_E_SYSTEM;
	c->drained = used;
	if (state == CHUNK_FULL) {
		c->used = c->drained = 0;
		atomic_write_release(&c->state, CHUNK_FREE);
	}
	return 0;
}

static int drain_processes(struct recorder *r, struct softlbr_error *e)
{
	struct joined *p;

	vector_each(&r->processes, p)
	{
		uint32_t count = p->file.header->chunk_count;
		size_t room = p->file.header->chunk_bytes - sizeof(struct chunk_header);

		for (uint32_t i = 0; i < count; i++)
			if (session_chunk(&p->file, i)->state != CHUNK_FREE &&
			    drain_chunk(r, session_chunk(&p->file, i), room, e))
				return -SOFTLBR_E_SYSTEM;
	}
	return 0;
}

static int drain(struct recorder *r, struct softlbr_error *e)
{
	static const struct perf_event_header round = {RECORD_FINISHED_ROUND, 0, sizeof(round)};
	uint64_t before = r->writer.data_bytes;

	if (look_for_files(r, e) || sideband_drain(&r->sideband, &r->writer, e) ||
	    drain_processes(r, e))
		return -SOFTLBR_E_SYSTEM;
	if (r->writer.data_bytes == before)
		return 0;
	if (perfdata_writer_append(&r->writer, &round, sizeof(round), e))
		return -SOFTLBR_E_SYSTEM;
	return perfdata_writer_sync(&r->writer, e);
}

/* ---- the command --------------------------------------------------------------------------- */

static void set_environment(const struct recorder *r)
{
	const char *preload = getenv("LD_PRELOAD");
	size_t bytes = strlen(r->options->library) + (preload ? strlen(preload) : 0) + 2;
	char *value = malloc(bytes);

	if (!value)
		_exit(125);
	snprintf(value, bytes, "%s%s%s", r->options->library, preload ? ":" : "",
		 preload ? preload : "");
	setenv("LD_PRELOAD", value, 1);
	setenv(SESSION_ENVIRONMENT, r->directory, 1);
}

/* The child: wait until the recorder watches, then become the command. An exec that fails sends its
 * errno back. */
static void run_child(const struct recorder *r, int go, int failed)
{
	char byte;
	int why;

	if (read(go, &byte, 1) != 1)
		_exit(125);
	set_environment(r);
	execvp(r->options->command[0], r->options->command);
	why = errno;
	if (write(failed, &why, sizeof(why)) != sizeof(why))
		_exit(125);
	_exit(127);
}

static volatile sig_atomic_t forwarded;

static void note_signal(int number)
{
	forwarded = number;
}

/* The terminal sends SIGINT and SIGQUIT to the command as well; what is sent to us alone is passed
 * on to it. Either way its end is ours. */
static void take_signals(void)
{
	static const int passed[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
	struct sigaction action = {.sa_handler = note_signal};

	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
		sigaction(passed[i], &action, NULL);
}

static void give_signals_back(void)
{
	static const int taken[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGINT, SIGQUIT};

	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		signal(taken[i], SIG_DFL);
}

static int start_command(struct recorder *r, struct recorder_result *result,
			 struct softlbr_error *e)
{
	int go[2], failed[2], rc;

	if (pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC))
		return error_set_errno(e, NULL, "cannot make a pipe");
	r->child = fork();
	if (r->child < 0)
		return error_set_errno(e, NULL, "cannot fork");
	if (!r->child)
		run_child(r, go[0], failed[1]);
	take_signals(); /* not before: the child would inherit what is ignored */
	close(go[0]);
	close(failed[1]);
	rc = sideband_open(&r->sideband, r->child, e);
	if (!rc && write(go[1], "", 1) != 1)
		rc = error_set_errno(e, NULL, "cannot start the command");
	close(go[1]);
	if (!rc && read(failed[0], &result->exec_errno, sizeof(int)) != sizeof(int))
		result->exec_errno = 0; /* closed by the exec: it runs */
	close(failed[0]);
	return rc;
}

static void keep_time(struct recorder *r)
{
	uint64_t elapsed = now_ns() - r->started_ns;
	uint64_t end = r->options->delay_ns + r->options->duration_ns;
	enum session_state state = SESSION_RUN;

	if (elapsed < r->options->delay_ns)
		state = SESSION_WAIT;
	else if (r->options->duration_ns && elapsed >= end)
		state = SESSION_STOP;
	atomic_write_release(&r->control->state, (uint32_t)state);
}

static int attend(struct recorder *r, struct recorder_result *result, struct softlbr_error *e)
{
	struct pollfd ended = {.fd = (int)syscall(SYS_pidfd_open, r->child, 0), .events = POLLIN};
	struct rusage usage;
	int rc = 0;

	for (;;) {
		bool over = poll(&ended, 1, DRAIN_MS) > 0;

		if (forwarded) {
			kill(r->child, forwarded);
			forwarded = 0;
		}
		keep_time(r);
		/* A recording that can't go on (a full disk) does not end the program. */
		if (!rc && (rc = drain(r, e)))
			atomic_write_release(&r->control->state, (uint32_t)SESSION_STOP);
		if (over)
			break;
	}
	atomic_write_release(&r->control->state, (uint32_t)SESSION_STOP);
	close(ended.fd);
	while (wait4(r->child, &result->status, 0, &usage) < 0 && errno == EINTR)
		;
	result->cpu_ns = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
			 (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
	return rc ? rc : drain(r, e);
}

/* ---- the whole ----------------------------------------------------------------------------- */

static int keep_old(const char *output, struct softlbr_error *e)
{
	size_t bytes = strlen(output) + sizeof(".old");
	char *old = memory_alloc(bytes);
	struct stat st;
	int rc = 0;

	if (!old)
		return error_set_nomem(e);
	snprintf(old, bytes, "%s.old", output);
	if (!stat(output, &st) && S_ISREG(st.st_mode) && st.st_size && rename(output, old))
		rc = error_set_errno(e, output, "cannot keep the old %s as %s", output, old);
	memory_free(old);
	return rc;
}

static void sum_counters(struct recorder *r, struct recorder_result *result)
{
	struct joined *p;

	vector_each(&r->processes, p)
	{
		for (unsigned i = 0; i < COUNTER_COUNT; i++)
			result->counters[i] += p->file.header->counters[i];
		if (!result->refused)
			result->refused = p->file.header->refused;
	}
	result->processes = (unsigned)r->processes.count;
}

static int close_recording(struct recorder *r, struct recorder_result *result,
			   struct softlbr_error *e)
{
	static const char *const modes[] = {[CORE_STATIC] = "static", [CORE_OFF] = "off"};
	const struct session_options *o = &r->options->session;
	char version[256];
	struct perfdata_features features = {
		.version = version,
		.event_name = o->event.name,
		.command = r->options->softlbr_command,
	};

	snprintf(version, sizeof(version),
		 "softlbr %s; event=%s; period=%llu; depth=%u; lookahead=%s; traces=%llu",
		 SOFTLBR_VERSION, o->event.name, (unsigned long long)o->period, o->depth,
		 modes[o->lookahead], (unsigned long long)result->counters[COUNTER_TRACES]);
	result->bytes = r->writer.data_bytes;
	return perfdata_writer_close(&r->writer, &features, e);
}

static int open_recording(struct recorder *r, struct softlbr_error *e)
{
	const struct recorder_options *o = r->options;
	struct perf_event_attr attr;

	event_attr(&o->session.event, o->session.period, &attr);
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	if (keep_old(o->output, e))
		return -SOFTLBR_E_SYSTEM;
	return perfdata_writer_open(&r->writer, o->output, &attr, e);
}

static void recorder_deinit(struct recorder *r)
{
	struct joined *p;

	remove_directory(r);
	sideband_close(&r->sideband);
	perfdata_writer_abandon(&r->writer);
	vector_each(&r->processes, p) munmap(p->file.header, p->file.bytes);
	vector_deinit(&r->processes);
	if (r->control)
		munmap(r->control, SESSION_PAGE);
}

int recorder_run(const struct recorder_options *o, struct recorder_result *result,
		 struct softlbr_error *e)
{
	struct recorder r = {.options = o, .writer = {.fd = -1}, .started_ns = now_ns()};
	int rc, closed;

	*result = (struct recorder_result){0};
	rc = open_recording(&r, e);
	if (!rc)
		rc = make_directory(&r, e);
	if (!rc)
		rc = make_control(&r, e);
	if (!rc) {
		rc = start_command(&r, result, e);
		if (!rc)
			rc = attend(&r, result, e);
		else if (r.child > 0)
			kill(r.child, SIGKILL), waitpid(r.child, &result->status, 0);
		give_signals_back();
	}
	if (r.control) {
		sum_counters(&r, result);
		closed = close_recording(&r, result, e);
		rc = rc ? rc : closed;
	}
	if (result->exec_errno)
		unlink(o->output); /* an empty recording of nothing */
	recorder_deinit(&r);
	return rc;
}
