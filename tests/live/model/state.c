/* SPDX-License-Identifier: MIT */
/* What a process can see of itself. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "model.h"

static void say_descriptors(void)
{
	char line[400] = "";
	size_t n = 0;
	struct stat st;

	for (int fd = 3; fd < 256 && n < sizeof(line) - 40; fd++) {
		int flags = fcntl(fd, F_GETFD);

		if (fd == JOURNEY_FD || flags < 0)
			continue;
		memset(&st, 0, sizeof(st));
		fstat(fd, &st);
		n += (size_t)snprintf(line + n, sizeof(line) - n, " %d%s:%x", fd, flags ? "c" : "",
				      (unsigned)st.st_mode >> 12);
	}
	journey_say("descriptors%s", line);
}

int state_flags(const stack_t *alternate)
{
	return alternate->ss_flags & SS_DISABLE ? SS_DISABLE : alternate->ss_flags;
}

void state_say(struct dice *d)
{
	sigset_t mask, pending;
	stack_t alternate;
	struct rlimit files;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	sigpending(&pending);
	sigaltstack(NULL, &alternate);
	getrlimit(RLIMIT_NOFILE, &files);
	journey_say("mask %lx pending %lx alternate %d %zu files %lu", dispositions_bits(&mask),
		    dispositions_bits(&pending), state_flags(&alternate), alternate.ss_size,
		    files.rlim_cur);
	if (!d || dice_one_in(d, 2))
		say_descriptors();
	if (!d || dice_one_in(d, 2))
		dispositions_say();
}

void state_drain(void)
{
	static const struct timespec now;
	siginfo_t info;
	sigset_t pending;
	int number;

	sigpending(&pending);
	sigdelset(&pending, SIGPIPE);
	if (model_is_without("KICK")) {
		sigdelset(&pending, SIGURG);
		sigdelset(&pending, SIGWINCH);
	}
	while ((number = sigtimedwait(&pending, &info, &now)) > 0)
		journey_say("was pending: %s code %d", dispositions_name(number), info.si_code);
	if (errno != EAGAIN)
		journey_say("draining: %s", strerrorname_np(errno));
}
