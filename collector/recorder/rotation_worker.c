/* SPDX-License-Identifier: MIT */
/*
 * Recordings that are not kept: the file is cut every so many bytes, and each part is given to a
 * worker thread that makes something smaller of it, while the recorder writes the next.
 */
#include "collector/recorder/recording_file.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

bool rotation_worker_due(const struct rotation_worker *s, uint64_t bytes)
{
	return s->options.bytes && bytes >= s->options.bytes;
}

static void *work(void *rotation)
{
	struct rotation_worker *s = rotation;

	s->options.take(s->options.context, s->path, s->rotate, &s->error);
	return NULL;
}

int rotation_worker_wait(struct rotation_worker *s, struct softlbr_error *e)
{
	if (!s->running)
		return 0;
	pthread_join(s->worker, NULL);
	s->running = false;
	memory_free(s->path);
	s->path = NULL;
	if (s->error.code && e && !e->code)
		*e = s->error;
	return s->error.code ? -s->error.code : 0;
}

int rotation_worker_hand_over(struct rotation_worker *s, const char *output, unsigned number,
			      bool rotate, struct softlbr_error *e)
{
	size_t bytes = strlen(output) + 16;
	sigset_t all, before;
	int rc = rotation_worker_wait(s, e);

	if (rc)
		return rc;
	s->path = memory_alloc(bytes);
	if (!s->path)
		return error_set_nomem(e);
	snprintf(s->path, bytes, "%s.%u", output, number);
	s->rotate = rotate;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the recorder's */
	rc = pthread_create(&s->worker, NULL, work, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	s->running = !rc;
	if (!rc)
		return 0;
	memory_free(s->path);
	s->path = NULL;
	return error_set(e, SOFTLBR_E_SYSTEM, NULL, "cannot make a worker thread: %s",
			 strerror(rc));
}

int rotation_worker_finish(struct rotation_worker *s, const char *output, struct softlbr_error *e)
{
	int rc = rotation_worker_wait(s, e);

	if (rc || !s->options.bytes)
		return rc;
	return s->options.take(s->options.context, output, false, e);
}
