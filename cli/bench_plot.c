/* SPDX-License-Identifier: MIT */
/* The picture of softlbr bench: Figure 6 of Break Dancing (LCTES 2021), drawn by gnuplot. */
#include "cli/bench.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/error.h"

#define SHELL_NOT_FOUND 127

static const char *terminal(const char *path)
{
	size_t length = strlen(path);

	if (length > 4 && !strcmp(path + length - 4, ".svg"))
		return "svg size 900,420 dynamic background 'white' font 'sans-serif,13' noenhanced";
	if (length > 4 && !strcmp(path + length - 4, ".png"))
		return "pngcairo size 1350,630 background 'white' font 'sans-serif,18' noenhanced";
	return NULL;
}

int bench_plot_check(const char *path, struct softlbr_error *e)
{
	if (terminal(path))
		return 0;
	return error_set(e, SOFTLBR_E_USAGE, path, "the name must end in .svg or .png");
}

static bool is_picture(const struct file_guard_kind *kind, const uint8_t *data, size_t size)
{
	(void)kind;
	return (size >= 8 && !memcmp(data, "\x89PNG\r\n\x1a\n", 8)) ||
	       memmem(data, size, "<svg", 4);
}

const struct file_guard_kind bench_plot_kind = {.name = "an SVG or PNG image", .is = is_picture};

/* In gnuplot's single quotes only the quote is special; a leading | would be a command. */
static void put_output(FILE *out, const char *path)
{
	fprintf(out, "set output '%s", path[0] == '/' ? "" : "./");
	for (; *path; path++)
		fprintf(out, *path == '\'' ? "''" : "%c", *path);
	fprintf(out, "'\n");
}

static void put_data(FILE *out, const struct bench_rows *rows, enum breakpoint_delivery delivery)
{
	const struct bench_row *row;

	fprintf(out, "$delivery_%d << end\n", (int)delivery);
	vector_each (&rows->list, row)
		if (row->delivery == delivery)
			fprintf(out, "%u %.4f %.4f\n", row->threads, row->cost.set_us,
				row->cost.set_hit_us);
	fprintf(out, "end\n");
}

static void put_panel(FILE *out, const char *title, int column, unsigned threads)
{
	fprintf(out, "set title '%s'\nplot [0.8:%u] [0.5:*] ", title, threads + threads / 4 + 1);
	for (int i = 0; i < BREAKPOINT_DELIVERIES; i++)
		fprintf(out,
			"%s$delivery_%d using 1:%d with linespoints linewidth 2 pointtype %d "
			"linecolor rgb '%s' title '%s'",
			i ? ", " : "", i, column, i ? 5 : 7, i ? "#d95f02" : "#1f78b4",
			i ? "F_SETSIG" : "sigtrap");
	fputc('\n', out);
}

static void put_script(FILE *out, const struct bench_rows *rows, const char *path)
{
	const struct bench_row *row;
	unsigned threads = 1;

	vector_each (&rows->list, row)
		threads = row->threads > threads ? row->threads : threads;
	fprintf(out, "set terminal %s\n", terminal(path));
	put_output(out, path);
	for (int i = 0; i < BREAKPOINT_DELIVERIES; i++)
		put_data(out, rows, i);
	fprintf(out, "set logscale xy 2\nset logscale y 10\nset grid\nset key bottom right\n"
		     "set xlabel 'threads'\nset ylabel 'CPU time (us)'\n"
		     "set multiplot layout 1,2\n");
	put_panel(out, "Set a breakpoint", 2, threads);
	put_panel(out, "Set a breakpoint and hit it", 3, threads);
	fprintf(out, "unset multiplot\n");
}

int bench_plot(const struct bench_rows *rows, const char *path, struct softlbr_error *e)
{
	void (*old)(int) = signal(SIGPIPE, SIG_IGN);
	FILE *out;
	int status;

	fflush(NULL);
	out = popen("command -v gnuplot >/dev/null || exit 127; exec gnuplot", "we");
	if (!out)
		return error_set_errno(e, path, "cannot start gnuplot");
	put_script(out, rows, path);
	status = pclose(out);
	signal(SIGPIPE, old);
	if (WIFEXITED(status) && WEXITSTATUS(status) == SHELL_NOT_FOUND)
		return error_set(
			e, SOFTLBR_E_SYSTEM, path,
			"%s is not drawn: gnuplot is not installed (apt-get install gnuplot-nox)",
			path);
	if (status)
		return error_set(e, SOFTLBR_E_SYSTEM, path, "gnuplot could not draw %s", path);
	return 0;
}
