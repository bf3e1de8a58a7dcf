/* SPDX-License-Identifier: MIT */
/* softlbr bench: what the ground that recording stands on costs on this machine. */
#include "cli/bench.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "cli/cli.h"

#define COUNTS_MAX 32
/* By default each measurement makes so many operations, but no thread fewer than the second. */
#define OPERATIONS	      4000u
#define OPERATIONS_PER_THREAD 60u
#define OPERATIONS_MAX	      10000000u

enum { OPTION_JSON = 0x100, OPTION_PLOT, OPTION_OPERATIONS, OPTION_REPEATS, OPTION_FORCE };

static const struct argp_option options[] = {
	{"threads", 't', "LIST", 0, "Numbers of threads to measure with (default 1,2,4,8,16,32,64)",
	 0},
	{"operations", OPTION_OPERATIONS, "N", 0,
	 "Operations of each kind per thread and repeat (default: 4000 in all, at least 60 each)",
	 0},
	{"repeats", OPTION_REPEATS, "N", 0, "Repeats, of which the median is taken (default 5)", 0},
	{"json", OPTION_JSON, "FILE", 0,
	 "Write the table as JSON (softlbr-bench(1) has the members)", 0},
	{"plot", OPTION_PLOT, "FILE", 0, "Also draw the table as FILE.svg or FILE.png, by gnuplot",
	 0},
	{"force", OPTION_FORCE, NULL, 0, "Overwrite FILE even if it is no table or picture", 0},
	{0},
};

struct arguments {
	const char *benchmark, *json, *plot;
	unsigned counts[COUNTS_MAX], count;
	unsigned operations; /* 0 = by the number of threads */
	unsigned repeats;
	bool force;
};

/* ---- arguments ----------------------------------------------------------------------------- */

static unsigned parse_number(struct argp_state *state, const char *what, const char *text,
			     char **end, unsigned high)
{
	unsigned long value = strtoul(text, end, 10);

	if (*end == text || text[0] == '-' || value < 1 || value > high)
		argp_error(state, "%s %s: give numbers from 1 to %u", what, text, high);
	return (unsigned)value;
}

static unsigned single(struct argp_state *state, const char *what, const char *text, unsigned high)
{
	char *end;
	unsigned value = parse_number(state, what, text, &end, high);

	if (*end)
		argp_error(state, "%s %s: give a number from 1 to %u", what, text, high);
	return value;
}

static void thread_counts(struct argp_state *state, const char *text, struct arguments *a)
{
	char *end = (char *)text;

	for (a->count = 0; a->count < COUNTS_MAX; text = end + 1) {
		a->counts[a->count++] = parse_number(state, "--threads", text, &end,
						     BREAKPOINT_BENCH_THREADS_MAX);
		if (*end != ',')
			break;
	}
	if (*end)
		argp_error(state, "--threads %s: give at most %d numbers, such as 1,2,4", text,
			   COUNTS_MAX);
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct arguments *a = state->input;
	struct softlbr_error e = {0};

	switch (key) {
	case 't':
		thread_counts(state, text, a);
		break;
	case OPTION_OPERATIONS:
		a->operations = single(state, "--operations", text, OPERATIONS_MAX);
		break;
	case OPTION_REPEATS:
		a->repeats = single(state, "--repeats", text, BREAKPOINT_BENCH_REPEATS_MAX);
		break;
	case OPTION_JSON:
		a->json = text;
		break;
	case OPTION_PLOT:
		if (bench_plot_check(text, &e))
			argp_error(state, "--plot %s: %s", text, e.text);
		a->plot = text;
		break;
	case OPTION_FORCE:
		a->force = true;
		break;
	case ARGP_KEY_ARG:
		if (a->benchmark || strcmp(text, "breakpoints") != 0)
			argp_error(state, "there is one benchmark: breakpoints");
		a->benchmark = text;
		break;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "say what to measure: breakpoints");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

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

static int check_files(const struct arguments *a, struct softlbr_error *e)
{
	struct file_guard g = {0};
	int rc = file_guard_output(&g, a->json, e);

	if (!rc)
		rc = file_guard_output(&g, a->plot, e);
	if (!rc && !a->force)
		rc = file_guard_replace(a->json, &json_file_kind, e);
	if (!rc && !a->force)
		rc = file_guard_replace(a->plot, &bench_plot_kind, e);
	file_guard_deinit(&g);
	return rc;
}

static int bench(const struct arguments *a, struct bench_rows *rows, struct softlbr_error *e)
{
	int rc = check_files(a, e);

	if (!rc)
		rc = measure(a, rows, e);
	if (rc)
		return rc;
	print_table(a, rows);
	if (a->json && write_json(a, rows, e))
		return -SOFTLBR_E_SYSTEM;
	return a->plot ? bench_plot(rows, a->plot, e) : 0;
}

const struct argp cli_bench_argp = {
	options,
	parse,
	"breakpoints",
	"Measure what a hardware breakpoint costs here: to set it, and to set it and run "
	"into it, by number of threads, with the signal that softlbr uses (sigtrap) and "
	"with the one before Linux 5.13 (F_SETSIG).\v"
	"Costs are the threads' own processor time. The status is 0, 1 if the machine "
	"refuses or a file cannot be written, 2 for usage.",
	NULL,
	NULL,
	NULL};

int cli_bench(int argc, char **argv)
{
	struct arguments a = {.counts = {1, 2, 4, 8, 16, 32, 64}, .count = 7, .repeats = 5};
	struct bench_rows rows = {0};
	struct softlbr_error e = {0};
	int rc;

	cli_parse(&cli_bench_argp, argc, argv, CLI_OPERANDS_ANYWHERE, SOFTLBR_E_USAGE, &a);
	rc = bench(&a, &rows, &e);
	vector_deinit(&rows.list);
	if (rc)
		cli_print_error("bench", &e);
	return -rc;
}
