/* SPDX-License-Identifier: MIT */
/*
 * summary PROGRAM RECORDING...: what a profiling service may do with recordings of a program. It
 * adds them up, refuses what does not fit, prints the functions that ran most with their hottest
 * lines, and writes program.gcov for gcc and program.fdata for llvm-bolt.
 *
 *	cc -o summary summary.c -lsoftlbr-profile
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <softlbr/profile.h>

struct hottest {
	char name[128], line[160];
	unsigned long long total, count;
};

struct summary {
	struct hottest top[5], now;
};

/* The function that was walked last has its place among the hottest, or none. */
static void place(struct summary *s)
{
	size_t last = sizeof(s->top) / sizeof(*s->top) - 1, at = last;

	if (s->now.total <= s->top[last].total)
		return;
	for (; at > 0 && s->top[at - 1].total < s->now.total; at--)
		s->top[at] = s->top[at - 1];
	s->top[at] = s->now;
}

static int on_function(void *context, const struct softlbr_function *f)
{
	struct summary *s = context;

	place(s);
	memset(&s->now, 0, sizeof(s->now));
	snprintf(s->now.name, sizeof(s->now.name), "%s", f->name);
	s->now.total = f->total;
	return 0;
}

static int on_line(void *context, const struct softlbr_line *l)
{
	const struct softlbr_frame *at = &l->frames[l->frame_count - 1];
	struct hottest *now = &((struct summary *)context)->now;

	if (l->count <= now->count)
		return 0;
	now->count = l->count;
	snprintf(now->line, sizeof(now->line), "%.120s+%d", at->function, (int)at->line);
	return 0;
}

static int print_summary(struct softlbr_profile *p, struct softlbr_error *e)
{
	struct softlbr_profile_handlers handlers = {sizeof(handlers), on_function, on_line, NULL};
	struct summary s;
	size_t i;
	int rc;

	memset(&s, 0, sizeof(s));
	handlers.context = &s;
	rc = softlbr_profile_each(p, &handlers, e);
	place(&s);
	for (i = 0; !rc && i < sizeof(s.top) / sizeof(*s.top) && s.top[i].total; i++)
		printf("%12llu  %s (most at %s: %llu)\n", s.top[i].total, s.top[i].name,
		       s.top[i].line, s.top[i].count);
	return rc;
}

static int read_all(struct softlbr_branches *b, char **paths, struct softlbr_error *e)
{
	struct softlbr_branches_figures figures = {sizeof(figures), 0, 0, 0, 0};
	int rc = 0;

	for (; !rc && *paths; paths++)
		rc = softlbr_branches_read(b, *paths, 1, e);
	if (!rc)
		rc = softlbr_branches_check(b, &figures, e);
	if (!rc)
		printf("%llu branches, %.1f %% of them consistent with the disassembly\n",
		       (unsigned long long)figures.branches, 100 * figures.valid_branches);
	return rc;
}

int main(int argc, char **argv)
{
	struct softlbr_error e = {0};
	struct softlbr_branches *b;
	struct softlbr_profile *p = NULL;

	if (argc < 3) {
		fprintf(stderr, "usage: %s PROGRAM RECORDING...\n", argv[0]);
		return 2;
	}
	b = softlbr_branches_new(argv[1], NULL, &e);
	if (b && !read_all(b, argv + 2, &e))
		p = softlbr_profile_convert(b, &e);
	if (p && !print_summary(p, &e) && !softlbr_profile_write(p, "program.gcov", NULL, &e))
		softlbr_branches_write(b, "fdata", "program.fdata", &e);
	softlbr_profile_free(p);
	softlbr_branches_free(b);
	if (e.code)
		fprintf(stderr, "%s: %s\n", argv[0], e.text);
	return e.code;
}
