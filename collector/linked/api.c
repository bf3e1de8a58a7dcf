/* SPDX-License-Identifier: MIT */
/* The collector of a program that links it: include/softlbr/collector.h. */
#include "softlbr/collector.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_link.h"
#include "base/memory.h"
#include "collector/engine/core.h"
#include "collector/engine/shared_depth.h"
#include "collector/recorder/journal.h"
#include "collector/linked/own_maps.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/inside/life/process_life.h"
#include "collector/recorder/recording_file.h"

#define DRAIN_NS      50000000
#define CHUNK_COUNT   256u
#define DEFAULT_AUDIT 64u

/* The calls of softlbr/collector.h name no recording: there is one. Written by them, and what is
 * said so by the writer thread; no handler touches it. */
static struct {
	bool running;
	bool fork_watched; /* once for all recordings */
	struct journal journal;
	struct own_maps maps;
	pthread_t writer;
	sem_t stop;
	pthread_mutex_t lock; /* of the journal: the writer thread's, and dump's and reset's */
	char *output;
	struct softlbr_error error; /* the writer thread's */
} self;

/* A forked child is a process of its own in the same recording, which is the parent's to end. */
static void after_fork(void)
{
	process_after_fork();
	self.running = false;
}

static int drain(void)
{
	if (own_maps_append(&self.maps, &self.journal.writer, &self.error) ||
	    journal_drain(&self.journal, &self.error))
		return -SOFTLBR_E_SYSTEM;
	return journal_sync(&self.journal, &self.error);
}

static void *run_writer(void *unused)
{
	struct timespec until;
	bool failed = false;

	(void)unused;
	if (journal_hold(&self.journal, NULL)) {
		/* what a killed program leaves behind is not given back, then */
	}
	do {
		pthread_mutex_lock(&self.lock);
		failed = failed || drain();
		if (failed)
			journal_set_state(&self.journal, SESSION_STOP);
		pthread_mutex_unlock(&self.lock);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += DRAIN_NS;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
	} while (sem_timedwait(&self.stop, &until));
	return NULL;
}

/* By libc's own pthread_create: this thread is not to be profiled; and no signal is its business.
 */
static int start_writer(struct softlbr_error *e)
{
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
		      void *) = dlsym(RTLD_NEXT, "pthread_create");
	sigset_t all, before;
	int rc;

	sem_init(&self.stop, 0, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = create(&self.writer, NULL, run_writer, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc ? error_set(e, SOFTLBR_E_SYSTEM, NULL, "cannot make the writer thread: %s",
			      strerror(rc))
		  : 0;
}

/* Depth and period in range, the buffers as large as the depth wants. */
static int take_options(const struct softlbr_collector_options *o, struct session_options *s,
			struct softlbr_error *e)
{
	*s = (struct session_options){.depth = o->depth,
				      .lookahead = CORE_FULL,
				      .audit = DEFAULT_AUDIT,
				      .chunk_count = CHUNK_COUNT};
	if (o->size != sizeof(*o))
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "softlbr_collector_start: options of size %zu, not %zu: set "
				 ".size, and build with this library's header",
				 o->size, sizeof(*o));
	if (s->depth > TRACE_DEPTH_MAX)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "softlbr_collector_start: depth %u is above %u", s->depth,
				 TRACE_DEPTH_MAX);
	if (event_parse(o->event ? o->event : "auto", &s->event, e))
		return -SOFTLBR_E_USAGE;
	event_try(&s->event); /* how its signals come */
	if (!s->depth)
		s->depth = s->event.time ? SHARED_DEPTH_LEAST : SESSION_DEPTH_EVENT;
	s->period = o->period ? o->period : s->event.default_period;
	session_fit_buffers(s);
	return 0;
}

static void close_recording(void)
{
	memory_free(self.output);
	self.output = NULL;
	journal_close(&self.journal);
	own_maps_deinit(&self.maps);
}

int softlbr_collector_start(const struct softlbr_collector_options *options,
			    struct softlbr_error *e)
{
	bool fork_watched = self.fork_watched;
	struct session_options session;
	int rc;

	if (self.running || handler_state.process.pid)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "softlbr_collector_start: this process is being recorded already");
	if (take_options(options, &session, e))
		return -SOFTLBR_E_USAGE;
	memset(&self, 0, sizeof(self));
	self.fork_watched = fork_watched;
	pthread_mutex_init(&self.lock, NULL);
	self.output = file_link_follow(options->output ? options->output : "perf.data", e);
	if (!self.output)
		return -SOFTLBR_E_SYSTEM;
	if (!self.fork_watched)
		self.fork_watched = !process_watch_forks(after_fork);
	if (journal_open(&self.journal, &session, SESSION_RUN, self.output, e)) {
		close_recording();
		return -SOFTLBR_E_SYSTEM;
	}
	/* what is mapped goes first: samples are looked up in it by their time */
	rc = own_maps_append(&self.maps, &self.journal.writer, e);
	if (rc) {
		close_recording();
		return rc;
	}
	rc = process_join(self.journal.directory.path);
	if (rc) {
		rc = error_set(e, SOFTLBR_E_SYSTEM, NULL, "cannot start recording: %s",
			       strerror(-rc));
	} else {
		process_add_existing_threads();
		rc = start_writer(e);
	}
	if (rc) {
		process_leave();
		close_recording();
		return rc;
	}
	self.running = true;
	return 0;
}

/* What was recorded so far becomes @kept, or nothing, and a new recording begins. */
static int begin_anew(const char *kept)
{
	static char *const no_command[] = {NULL};
	const struct session_options *o = &self.journal.options;
	struct softlbr_error *e = &self.error;
	uint64_t counters[COUNTER_COUNT];
	int refused, rc = drain();

	if (rc)
		return rc;
	if (kept) {
		journal_count(&self.journal, counters, &refused);
		rc = recording_file_rotate_to(&self.journal.writer, o, counters, no_command,
					      self.output, kept, e);
	} else {
		perfdata_writer_abandon(&self.journal.writer);
		unlink(self.output); /* no old recording to keep */
		rc = recording_file_open(&self.journal.writer, o, self.output, e);
	}
	return rc ? rc : journal_tell_again(&self.journal, e);
}

static int change_recording(const char *what, const char *kept, struct softlbr_error *e)
{
	int rc;

	if (!self.running)
		return error_set(e, SOFTLBR_E_USAGE, NULL, "%s: not recording", what);
	pthread_mutex_lock(&self.lock);
	rc = self.error.code ? -SOFTLBR_E_SYSTEM : begin_anew(kept);
	if (rc) {
		journal_set_state(&self.journal, SESSION_STOP);
		if (e && !e->code)
			*e = self.error;
	}
	pthread_mutex_unlock(&self.lock);
	return rc;
}

int softlbr_collector_dump(const char *path, struct softlbr_error *e)
{
	if (!path || (self.running && !strcmp(path, self.output)))
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "softlbr_collector_dump: give another file than the one that is "
				 "being written");
	return change_recording("softlbr_collector_dump", path, e);
}

int softlbr_collector_reset(struct softlbr_error *e)
{
	return change_recording("softlbr_collector_reset", NULL, e);
}

int softlbr_collector_stop(struct softlbr_error *e)
{
	static char *const no_command[] = {NULL};
	int rc;

	if (!self.running)
		return error_set(e, SOFTLBR_E_USAGE, NULL, "softlbr_collector_stop: not recording");
	self.running = false;
	journal_set_state(&self.journal, SESSION_STOP);
	process_leave();
	sem_post(&self.stop);
	pthread_join(self.writer, NULL);
	rc = self.error.code ? -SOFTLBR_E_SYSTEM : drain();
	if (!rc)
		rc = journal_finish(&self.journal, no_command, &self.error);
	if (rc && e && !e->code)
		*e = self.error;
	close_recording();
	return rc;
}
