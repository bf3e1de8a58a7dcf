/* SPDX-License-Identifier: MIT */
#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define WIDTH	 30
#define FIRST_NS 1000000000
#define EVERY_NS 100000000

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void progress_begin(struct progress *p, const char *what)
{
	*p = (struct progress){.what = what, .terminal = isatty(STDERR_FILENO)};
	if (p->terminal)
		p->next_ns = now_ns() + FIRST_NS;
}

void progress_report(void *context, uint64_t done, uint64_t total)
{
	static const char bar[] = "##############################";
	struct progress *p = context;
	double share;
	int64_t now;
	int filled;

	if (!p->terminal || !total)
		return;
	now = now_ns();
	if (now < p->next_ns)
		return;
	share = done < total ? (double)done / (double)total : 1;
	filled = (int)(share * WIDTH);
	fprintf(stderr, "\r[%-*.*s] %3.0f %% %s", WIDTH, filled, bar, 100 * share, p->what);
	fflush(stderr);
	p->shown = true;
	p->next_ns = now + EVERY_NS;
}

struct aggregate_progress progress_calls(struct progress *p)
{
	return (struct aggregate_progress){progress_report, p};
}

void progress_end(struct progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
