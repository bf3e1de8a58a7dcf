/* SPDX-License-Identifier: MIT */
#include "base/leftover.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/vector.h"

/* Those that end a program unless it does something about them, and that it can do something
 * about; crashes are left alone. */
static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ};

static struct {
	bool on;
	VECTOR(const char *)
	paths; /* changed with these signals blocked: remove_leftovers reads them */
} leftovers;

/* A handler: unlink(2) is safe in one. */
static void remove_leftovers(int number)
{
	int kept = errno;

	for (size_t i = 0; i < leftovers.paths.count; i++)
		unlink(leftovers.paths.items[i]);
	raise(number); /* the default again, which comes when this returns */
	errno = kept;
}

void leftover_remove_on_signals(void)
{
	struct sigaction mine = {.sa_handler = remove_leftovers, .sa_flags = SA_RESETHAND}, theirs;

	leftovers.on = true;
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		if (!sigaction(ending[i], NULL, &theirs) && theirs.sa_handler == SIG_DFL)
			sigaction(ending[i], &mine, NULL);
}

static void block(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		sigaddset(&set, ending[i]);
	pthread_sigmask(SIG_BLOCK, &set, before);
}

int leftover_make(char *template)
{
	const char **slot = NULL;
	sigset_t before;
	int fd, error;

	if (!leftovers.on)
		return mkostemp(template, O_CLOEXEC);
	block(&before);
	fd = mkostemp(template, O_CLOEXEC);
	error = errno;
	if (fd >= 0)
		slot = vector_push(&leftovers.paths);
	if (slot) /* without memory a signal leaves it, and that is all */
		*slot = template;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return fd;
}

void leftover_forget(const char *path)
{
	sigset_t before;

	if (!leftovers.on)
		return;
	block(&before);
	for (size_t i = 0; i < leftovers.paths.count; i++)
		if (leftovers.paths.items[i] == path)
			leftovers.paths.items[i] = leftovers.paths.items[--leftovers.paths.count];
	if (!leftovers.paths.count)
		vector_deinit(&leftovers.paths);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
