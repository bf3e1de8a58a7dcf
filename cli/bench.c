/* SPDX-License-Identifier: MIT */
/* softlbr bench: what the ground that recording stands on costs on this machine. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_guard.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/vector.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "collector/machine/breakpoint_bench.h"

#define COUNTS_MAX	32
#define SHELL_NOT_FOUND 127
/* By default each measurement makes so many operations, but no thread fewer than the second. */
#define OPERATIONS	      4000u
#define OPERATIONS_PER_THREAD 60u
#define OPERATIONS_MAX	      10000000u

struct arguments {
	const char *benchmark, *json, *plot;
	unsigned counts[COUNTS_MAX], count;
	unsigned operations; /* 0 = by the number of threads */
	unsigned repeats;
	bool force;
};

struct bench_row {
	enum breakpoint_delivery delivery;
	unsigned threads;
	struct breakpoint_cost cost;
};

struct bench_rows {
	VECTOR(struct bench_row) list;
};

/* ---- the picture: Figure 6 of Break Dancing (LCTES 2021), drawn by gnuplot ------------------ */

static const char *plot_terminal(const char *path)
{
	size_t length = strlen(path);

	if (length > 4 && !strcmp(path + length - 4, ".svg"))
		return "svg size 900,420 dynamic background 'white' font 'sans-serif,13' noenhanced";
	if (length > 4 && !strcmp(path + length - 4, ".png"))
		return "pngcairo size 1350,630 background 'white' font 'sans-serif,18' noenhanced";
	return NULL;
}

/* Has @path an ending that can be drawn? 0 or USAGE. */
static int check_plot(const char *path, struct softlbr_error *e)
{
	if (plot_terminal(path))
		return 0;
	return error_set(e, SOFTLBR_E_USAGE, path, "the name must end in .svg or .png");
}

static bool is_picture(const struct file_guard_kind *kind, const uint8_t *data, size_t size)
{
	(void)kind;
	return (size >= 8 && !memcmp(data, "\x89PNG\r\n\x1a\n", 8)) ||
	       memmem(data, size, "<svg", 4);
}

static const struct file_guard_kind picture_kind = {.name = "an SVG or PNG image",
						    .is = is_picture};

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
	fprintf(out, "set terminal %s\n", plot_terminal(path));
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

/* Draw @rows as @path, whose ending says how. 0 or SYSTEM: gnuplot is not installed, or fails. */
static int draw_plot(const struct bench_rows *rows, const char *path, struct softlbr_error *e)
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

/* ---- arguments ----------------------------------------------------------------------------- */

static error_t take_threads(void *arguments, const struct option_row *o, char *text,
			    struct argp_state *state)
{
	struct arguments *a = arguments;
	char *number = text, *end = text;

	for (a->count = 0; a->count < COUNTS_MAX; number = end + 1) {
		unsigned long value = strtoul(number, &end, 10);

		if (end == number || *number == '-' || value < 1 ||
		    value > BREAKPOINT_BENCH_THREADS_MAX)
			argp_error(state, "--%s %s: give numbers from 1 to %u", o->name, number,
				   BREAKPOINT_BENCH_THREADS_MAX);
		a->counts[a->count++] = (unsigned)value;
		if (*end != ',')
			break;
	}
	if (*end)
		argp_error(state, "--%s %s: give at most %d numbers, such as 1,2,4", o->name,
			   number, COUNTS_MAX);
	return 0;
}

static error_t take_plot(void *plot, const struct option_row *o, char *text,
			 struct argp_state *state)
{
	struct softlbr_error e = {0};

	if (check_plot(text, &e))
		argp_error(state, "--%s %s: %s", o->name, text, e.text);
	*(const char **)plot = text;
	return 0;
}

static error_t take_benchmark(void *arguments, char *name, struct argp_state *state)
{
	struct arguments *a = arguments;

	if (a->benchmark || strcmp(name, "breakpoints") != 0)
		argp_error(state, "there is one benchmark: breakpoints");
	a->benchmark = name;
	return 0;
}

static error_t bench_end_options(void *arguments, struct argp_state *state)
{
	const struct arguments *a = arguments;

	if (!a->benchmark)
		argp_error(state, "say what to measure: breakpoints");
	return 0;
}

static const struct option_row rows[] = {
	{"threads", 't', "LIST", "Numbers of threads to measure with (default 1,2,4,8,16,32,64)",
	 OPTION_CALL, .call = take_threads},
	{"operations", 0, "N",
	 "Operations of each kind per thread and repeat (default: 4000 in all, at least 60 each)",
	 OPTION_NUMBER, OPTION_AT(struct arguments, operations), .least = 1,
	 .most = OPERATIONS_MAX},
	{"repeats", 0, "N", "Repeats, of which the median is taken (default 5)", OPTION_NUMBER,
	 OPTION_AT(struct arguments, repeats), .least = 1, .most = BREAKPOINT_BENCH_REPEATS_MAX},
	{"json", 0, "FILE", "Write the table as JSON (softlbr-bench(1) has the members)",
	 OPTION_TEXT, OPTION_AT(struct arguments, json)},
	{"plot", 0, "FILE", "Also draw the table as FILE.svg or FILE.png, by gnuplot",
	 OPTION_BY(take_plot, struct arguments, plot)},
	{"force", 0, NULL, "Overwrite FILE even if it is no table or picture", OPTION_SWITCH,
	 OPTION_AT(struct arguments, force)},
	{0},
};

const struct option_table cli_bench_options = {
	.rows = rows,
	.operands = "breakpoints",
	.doc = "Measure what a hardware breakpoint costs here: to set it, and to set it and run "
	       "into it, by number of threads, with the signal that softlbr uses (sigtrap) and "
	       "with the one before Linux 5.13 (F_SETSIG).\v"
	       "Costs are the threads' own processor time. The status is 0, 1 if the machine "
	       "refuses or a file cannot be written, 2 for usage.",
	.usage_status = SOFTLBR_E_USAGE,
	.gives = true,
	.take = take_benchmark,
	.end = bench_end_options,
};

/* ---- measuring ----------------------------------------------------------------------------- */

static void show_progress(enum breakpoint_delivery delivery, unsigned threads)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[Kmeasuring %s, %u thread%s",
			breakpoint_bench_delivery_text(delivery), threads, threads == 1 ? "" : "s");
}

static void end_progress(void)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K");
}

static unsigned operations(const struct arguments *a, unsigned threads)
{
	unsigned share = OPERATIONS / threads;

	if (a->operations)
		return a->operations;
	return share > OPERATIONS_PER_THREAD ? share : OPERATIONS_PER_THREAD;
}

static int measure(const struct arguments *a, struct bench_rows *rows, struct softlbr_error *e)
{
	int rc = 0;

	for (unsigned i = 0; i < a->count && !rc; i++) {
		for (int delivery = 0; delivery < BREAKPOINT_DELIVERIES && !rc; delivery++) {
			struct bench_row *added,
				row = {.delivery = delivery, .threads = a->counts[i]};
			struct breakpoint_bench_options o = {
				.delivery = delivery,
				.threads = row.threads,
				.operations = operations(a, row.threads),
				.repeats = a->repeats,
			};

			show_progress(delivery, row.threads);
			rc = breakpoint_bench_run(&o, &row.cost, e);
			if (rc)
				break;
			added = vector_push(&rows->list);
			if (added)
				*added = row;
			else
				rc = error_set_nomem(e);
		}
	}
	end_progress();
	return rc;
}

/* ---- telling ------------------------------------------------------------------------------- */

static void print_table(const struct arguments *a, const struct bench_rows *rows)
{
	uint64_t missed = 0, overflows = 0;
	const struct bench_row *row;

	printf("CPU time per operation in us, median of %u; %ld processors\n\n", a->repeats,
	       sysconf(_SC_NPROCESSORS_ONLN));
	printf("%8s  %19s  %19s\n", "", "sigtrap", "F_SETSIG");
	printf("%8s  %8s %10s  %8s %10s\n", "threads", "set", "set + hit", "set", "set + hit");
	vector_each (&rows->list, row) {
		if (row->delivery == BREAKPOINT_SIGTRAP)
			printf("%8u", row->threads);
		printf("  %8.2f %10.2f%s", row->cost.set_us, row->cost.set_hit_us,
		       row->delivery == BREAKPOINT_SIGTRAP ? "" : "\n");
		missed += row->cost.missed;
		overflows += row->cost.overflows;
	}
	if (missed)
		printf("\n%llu runs over a breakpoint brought no signal\n",
		       (unsigned long long)missed);
	if (overflows)
		printf("\n%llu signals did not fit the queue and came as SIGIO\n",
		       (unsigned long long)overflows);
}

static struct json_node *row_node(const struct arguments *a, const struct bench_row *row)
{
	struct json_node *node = json_node_object();

	json_node_add_text(node, "delivery", breakpoint_bench_delivery_text(row->delivery));
	json_node_add_integer(node, "threads", row->threads);
	json_node_add_integer(node, "operations", operations(a, row->threads));
	json_node_add_real(node, "set_us", row->cost.set_us);
	json_node_add_real(node, "set_hit_us", row->cost.set_hit_us);
	json_node_add_integer(node, "hits", (int64_t)row->cost.hits);
	json_node_add_integer(node, "missed", (int64_t)row->cost.missed);
	json_node_add_integer(node, "overflows", (int64_t)row->cost.overflows);
	return node;
}

static int write_json(const struct arguments *a, const struct bench_rows *rows,
		      struct softlbr_error *e)
{
	struct json_node *top = json_node_document(), *list = json_node_array();
	const struct bench_row *row;
	struct utsname name = {0};
	int rc;

	uname(&name);
	json_node_add_text(top, "benchmark", a->benchmark);
	json_node_add_text(top, "kernel", name.release);
	json_node_add_text(top, "machine", name.machine);
	json_node_add_integer(top, "processors", sysconf(_SC_NPROCESSORS_ONLN));
	json_node_add_integer(top, "repeats", a->repeats);
	vector_each (&rows->list, row)
		json_node_add_take(list, NULL, row_node(a, row));
	json_node_add_take(top, "rows", list);
	rc = json_node_save(top, a->json, e);
	json_node_free(top);
	return rc;
}

static int bench_guard_files(const struct arguments *a, struct softlbr_error *e)
{
	struct file_guard g = {0};
	int rc = file_guard_output(&g, a->json, e);

	if (!rc)
		rc = file_guard_output(&g, a->plot, e);
	if (!rc && !a->force)
		rc = file_guard_replace(a->json, &json_file_kind, e);
	if (!rc && !a->force)
		rc = file_guard_replace(a->plot, &picture_kind, e);
	file_guard_deinit(&g);
	return rc;
}

static int bench(const struct arguments *a, struct bench_rows *rows, struct softlbr_error *e)
{
	int rc = bench_guard_files(a, e);

	if (!rc)
		rc = measure(a, rows, e);
	if (rc)
		return rc;
	print_table(a, rows);
	if (a->json && write_json(a, rows, e))
		return -SOFTLBR_E_SYSTEM;
	return a->plot ? draw_plot(rows, a->plot, e) : 0;
}

int cli_bench(int argc, char **argv)
{
	struct arguments a = {.counts = {1, 2, 4, 8, 16, 32, 64}, .count = 7, .repeats = 5};
	struct bench_rows rows = {0};
	struct softlbr_error e = {0};
	int rc;

	options_parse(&cli_bench_options, argc, argv, &a);
	rc = bench(&a, &rows, &e);
	vector_deinit(&rows.list);
	if (rc)
		terminal_print_error("bench", &e);
	return -rc;
}
