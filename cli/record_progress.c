/* SPDX-License-Identifier: MIT */
/* What softlbr record --until says while it records. */
#include "cli/record.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "collector/recorder/convergence.h"

/* Not where the command's own output would be torn. */
static bool has_terminal(const struct record_arguments *a)
{
	return isatty(STDERR_FILENO) && (a->o.pid || !isatty(STDOUT_FILENO));
}

static void print_state(double noise, double seconds, double target)
{
	double left = convergence_seconds_to(seconds, noise, target) - seconds;

	fprintf(stderr, "\r\033[Ksoftlbr: %.1f s recorded", seconds);
	if (!isnan(noise))
		fprintf(stderr, ", %.1f %% of %g %%: about %.0f s more", 100 * (1 - noise),
			100 * (1 - target), left > 0 ? left : 0);
	fflush(stderr);
}

void record_progress_end(const struct record_arguments *a)
{
	if (a->o.convergence.noise > 0 && !a->quiet && has_terminal(a))
		fputs("\r\033[K", stderr);
}

void record_progress_tell(void *arguments, double noise, double seconds, bool reached)
{
	static time_t shown; /* in the one process that records */
	const struct record_arguments *a = arguments;
	struct timespec now;

	if (a->quiet)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (reached) {
		record_progress_end(a);
		fprintf(stderr,
			"softlbr: %g %% reached after %.1f s; the program goes on, unrecorded\n",
			100 * (1 - a->o.convergence.noise), seconds);
	} else if (now.tv_sec != shown && has_terminal(a)) {
		print_state(noise, seconds, a->o.convergence.noise);
		shown = now.tv_sec;
	}
}
