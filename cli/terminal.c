/* SPDX-License-Identifier: MIT */
#include "cli/terminal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "converter/samples/aggregate.h"
#include "formats/perfscript.h"

#define COLUMNS_ELSEWHERE 100
/* Of the bar, and when it is drawn. */
#define BAR_WIDTH    30
#define BAR_FIRST_NS 1000000000
#define BAR_EVERY_NS 100000000

size_t terminal_columns(void)
{
	struct winsize size;

	return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col
								       : COLUMNS_ELSEWHERE;
}

static bool has_color(FILE *stream)
{
	const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return !(none && *none) && terminal && strcmp(terminal, "dumb") && isatty(fileno(stream));
}

/* ECMA-48, "select graphic rendition" */
const char *terminal_color(FILE *stream, enum color color)
{
	static const char *const codes[] = {
		[COLOR_GOOD] = "\033[32m",
		[COLOR_DOUBTFUL] = "\033[33m",
		[COLOR_BAD] = "\033[1;31m",
	};

	return has_color(stream) ? codes[color] : "";
}

const char *terminal_color_end(FILE *stream)
{
	return has_color(stream) ? "\033[0m" : "";
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void terminal_progress_begin(struct terminal_progress *p, const char *what)
{
	*p = (struct terminal_progress){.what = what, .terminal = isatty(STDERR_FILENO)};
	if (p->terminal)
		p->next_ns = now_ns() + BAR_FIRST_NS;
}

static void terminal_progress_report(void *context, uint64_t done, uint64_t total)
{
	static const char bar[] = "##############################";
	struct terminal_progress *p = context;
	double share;
	int64_t now;
	int filled;

	if (!p->terminal || !total)
		return;
	now = now_ns();
	if (now < p->next_ns)
		return;
	share = done < total ? (double)done / (double)total : 1;
	filled = (int)(share * BAR_WIDTH);
	fprintf(stderr, "\r[%-*.*s] %3.0f %% %s", BAR_WIDTH, filled, bar, 100 * share, p->what);
	fflush(stderr);
	p->shown = true;
	p->next_ns = now + BAR_EVERY_NS;
}

void terminal_progress_calls(struct terminal_progress *p, struct aggregate_progress *out)
{
	*out = (struct aggregate_progress){terminal_progress_report, p};
}

void terminal_progress_end(struct terminal_progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}

void terminal_print_error(const char *command, const struct softlbr_error *e)
{
	fprintf(stderr, "softlbr %s: %serror:%s %s\n", command, terminal_color(stderr, COLOR_BAD),
		terminal_color_end(stderr), e->text);
}

void terminal_print_damage(const char *command, const char *path,
			   const struct aggregate_damage *damage)
{
	if (damage->lines)
		fprintf(stderr,
			"softlbr %s: %swarning:%s %s: damaged lines were left out: %" PRIu64
			", the first is line %" PRIu64 "\n",
			command, terminal_color(stderr, COLOR_DOUBTFUL), terminal_color_end(stderr),
			path, damage->lines, damage->first);
	if (damage->samples_unnamed)
		fprintf(stderr,
			"softlbr %s: %swarning:%s %s: %" PRIu64
			" samples name no process that is known, and may be in a wrong file: "
			"processes had different files at one address; print it with `perf "
			"script -F " PERFSCRIPT_FIELDS "`\n",
			command, terminal_color(stderr, COLOR_DOUBTFUL), terminal_color_end(stderr),
			path, damage->samples_unnamed);
}

void terminal_print_clamped(const struct branch_profile_clamped *clamped)
{
	fprintf(stderr,
		"subtracted: counts that would fall below 0 are 0; they were short of %" PRIu64
		" branches, %" PRIu64 " ranges and %" PRIu64 " samples\n",
		clamped->branches, clamped->ranges, clamped->samples);
}

int terminal_end(int status)
{
	if (status || (!fflush(stdout) && !ferror(stdout)))
		return status;
	fprintf(stderr, "softlbr: cannot write to standard output: %s\n", strerror(errno));
	return SOFTLBR_E_SYSTEM;
}
