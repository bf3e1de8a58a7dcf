/* SPDX-License-Identifier: MIT */
#include "base/temporaries.h"

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
	paths; /* changed with these signals blocked: remove_temporaries reads them */
} temporaries;

/* A handler: unlink(2) is safe in one. */
static void remove_temporaries(int number)
{
	int kept = errno;

	for (size_t i = 0; i < temporaries.paths.count; i++)
		unlink(temporaries.paths.items[i]);
	raise(number); /* the default again, which comes when this returns */
	errno = kept;
}

void temporaries_remove_on_signals(void)
{
	struct sigaction mine = {.sa_handler = remove_temporaries, .sa_flags = SA_RESETHAND},
			 theirs;

	temporaries.on = true;
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

int temporaries_make(char *template)
{
	const char **slot = NULL;
	sigset_t before;
	int fd, error;

	if (!temporaries.on)
		return mkostemp(template, O_CLOEXEC);
	block(&before);
	fd = mkostemp(template, O_CLOEXEC);
	error = errno;
	if (fd >= 0)
		slot = vector_push(&temporaries.paths);
	if (slot) /* without memory a signal leaves it, and that is all */
		*slot = template;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return fd;
}

void temporaries_forget(const char *path)
{
	sigset_t before;

	if (!temporaries.on)
		return;
	block(&before);
	for (size_t i = 0; i < temporaries.paths.count; i++)
		if (temporaries.paths.items[i] == path)
			temporaries.paths.items[i] =
				temporaries.paths.items[--temporaries.paths.count];
	if (!temporaries.paths.count)
		vector_deinit(&temporaries.paths);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
