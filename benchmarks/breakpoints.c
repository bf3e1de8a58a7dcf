/* SPDX-License-Identifier: MIT */
/*
 * breakpoints [OPTION...]: what a hardware breakpoint costs on this machine, by number of threads
 * that share nothing: Break Dancing (LCTES 2021), section 3.2 and Figure 6. Costs are the threads'
 * own processor time: the mean over the threads, the median over the repeats. Where cost grows with
 * the number of threads, the kernel's locks are contended.
 */
#include <argp.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_output.h"
#include "base/json.h"
#include "base/memory.h"
#include "collector/machine/calibration.h"

#define COUNTS_MAX  32u
#define THREADS_MAX 1024u
#define REPEATS_MAX 99u
/* By default each measurement makes so many operations, but no thread fewer than the second. */
#define OPERATIONS	      4000u
#define OPERATIONS_PER_THREAD 60u
#define OPERATIONS_MAX	      10000000u

struct arguments {
	const char *json;
	unsigned counts[COUNTS_MAX], count;
	unsigned operations; /* 0 = by the number of threads */
	unsigned repeats;
};

static const char *const deliveries[] = {"sigtrap", "F_SETSIG"};
#define DELIVERIES 2u

/* Microseconds of processor time per operation. */
struct row {
	unsigned threads, operations, delivery;
	double set_us, set_hit_us;
	uint64_t hits, missed;
};

struct shared {
	unsigned threads, operations;
	bool asynchronous;
	pthread_mutex_t gate; /* closed until all threads are there, or some can't be had */
	bool abandoned;
	pthread_barrier_t barrier;
};

struct worker {
	struct shared *shared;
	pthread_t thread;
	struct breakpoint_cost cost;
};

/* ---- measuring ----------------------------------------------------------------------------- */

static void *work(void *argument)
{
	struct worker *w = argument;

	pthread_mutex_lock(&w->shared->gate);
	pthread_mutex_unlock(&w->shared->gate);
	if (w->shared->abandoned)
		return NULL;
	calibration_breakpoint_begin(&w->cost, w->shared->asynchronous);
	pthread_barrier_wait(&w->shared->barrier);
	calibration_breakpoint_set(&w->cost, w->shared->operations);
	pthread_barrier_wait(&w->shared->barrier);
	calibration_breakpoint_set_hit(&w->cost, w->shared->operations);
	calibration_breakpoint_end(&w->cost);
	return NULL;
}

/* Threads that could not all be had would wait for each other for ever: all or none. */
static int run_threads(struct shared *shared, struct worker *workers, struct softlbr_error *e)
{
	unsigned started = 0;
	int rc = 0;

	pthread_mutex_lock(&shared->gate);
	for (; started < shared->threads && !rc; started += !rc) {
		workers[started] = (struct worker){.shared = shared};
		rc = pthread_create(&workers[started].thread, NULL, work, &workers[started]);
	}
	shared->abandoned = rc != 0;
	pthread_mutex_unlock(&shared->gate);
	for (unsigned i = 0; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	errno = rc;
	return rc ? error_set_errno(e, NULL, "cannot start thread %u of %u", started + 1,
				    shared->threads)
		  : 0;
}

/* One repeat: the mean over the threads. */
static int add_up(const struct shared *shared, const struct worker *workers, double *set_us,
		  double *set_hit_us, struct row *row, struct softlbr_error *e)
{
	double operations = (double)shared->threads * shared->operations * 1e3;
	uint64_t set_ns = 0, set_hit_ns = 0;

	for (unsigned i = 0; i < shared->threads; i++) {
		const struct breakpoint_cost *cost = &workers[i].cost;

		errno = cost->error;
		if (errno)
			return error_set_errno(
				e, NULL,
				"cannot set a hardware breakpoint in thread %u of %u by %s "
				"(`softlbr doctor` tells what this machine can do)",
				i + 1, shared->threads, deliveries[row->delivery]);
		set_ns += cost->set_ns;
		set_hit_ns += cost->set_hit_ns;
		row->hits += cost->hits;
		row->missed += cost->missed;
	}
	*set_us = (double)set_ns / operations;
	*set_hit_us = (double)set_hit_ns / operations;
	return 0;
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double median(double *values, unsigned count)
{
	qsort(values, count, sizeof(*values), ascending);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static int measure_row(struct row *row, unsigned repeats, struct softlbr_error *e)
{
	struct shared shared = {.threads = row->threads,
				.operations = row->operations,
				.asynchronous = row->delivery > 0};
	double set_us[REPEATS_MAX], set_hit_us[REPEATS_MAX];
	struct worker *workers = memory_alloc_array(row->threads, sizeof(*workers));
	int rc = workers ? 0 : error_set_nomem(e);

	pthread_mutex_init(&shared.gate, NULL);
	pthread_barrier_init(&shared.barrier, NULL, shared.threads);
	for (unsigned i = 0; i < repeats && !rc; i++) {
		rc = run_threads(&shared, workers, e);
		if (!rc)
			rc = add_up(&shared, workers, &set_us[i], &set_hit_us[i], row, e);
	}
	pthread_barrier_destroy(&shared.barrier);
	pthread_mutex_destroy(&shared.gate);
	memory_free(workers);
	if (rc)
		return rc;
	row->set_us = median(set_us, repeats);
	row->set_hit_us = median(set_hit_us, repeats);
	return 0;
}

static unsigned operations(const struct arguments *a, unsigned threads)
{
	unsigned share = OPERATIONS / threads;

	if (a->operations)
		return a->operations;
	return share > OPERATIONS_PER_THREAD ? share : OPERATIONS_PER_THREAD;
}

static int measure(const struct arguments *a, struct row *rows, struct softlbr_error *e)
{
	struct sigaction old;
	int rc = 0;

	calibration_take_signal(&old);
	for (unsigned i = 0; i < a->count * DELIVERIES && !rc; i++) {
		unsigned threads = a->counts[i / DELIVERIES];

		rows[i] = (struct row){.threads = threads,
				       .operations = operations(a, threads),
				       .delivery = i % DELIVERIES};
		rc = measure_row(&rows[i], a->repeats, e);
	}
	sigaction(SIGTRAP, &old, NULL);
	return rc;
}

/* ---- telling ------------------------------------------------------------------------------- */

static void print_table(const struct arguments *a, const struct row *rows)
{
	uint64_t missed = 0;

	printf("CPU time per operation in us, median of %u; %ld processors\n\n", a->repeats,
	       sysconf(_SC_NPROCESSORS_ONLN));
	printf("%8s  %19s  %19s\n", "", deliveries[0], deliveries[1]);
	printf("%8s  %8s %10s  %8s %10s\n", "threads", "set", "set + hit", "set", "set + hit");
	for (unsigned i = 0; i < a->count * DELIVERIES; i++) {
		if (!rows[i].delivery)
			printf("%8u", rows[i].threads);
		printf("  %8.2f %10.2f%s", rows[i].set_us, rows[i].set_hit_us,
		       rows[i].delivery ? "\n" : "");
		missed += rows[i].missed;
	}
	if (missed)
		printf("\n%llu runs over a breakpoint brought no signal\n",
		       (unsigned long long)missed);
}

static struct json_node *row_node(const struct row *row)
{
	struct json_node *node = json_node_object();

	json_node_add_text(node, "delivery", deliveries[row->delivery]);
	json_node_add_integer(node, "threads", row->threads);
	json_node_add_integer(node, "operations", row->operations);
	json_node_add_real(node, "set_us", row->set_us);
	json_node_add_real(node, "set_hit_us", row->set_hit_us);
	json_node_add_integer(node, "hits", (int64_t)row->hits);
	json_node_add_integer(node, "missed", (int64_t)row->missed);
	return node;
}

static int write_json(const struct arguments *a, const struct row *rows, struct softlbr_error *e)
{
	struct json_node *top = json_node_document(), *list = json_node_array();
	struct utsname name = {0};
	struct file_output out;
	int rc;

	uname(&name);
	json_node_add_text(top, "benchmark", "breakpoints");
	json_node_add_text(top, "kernel", name.release);
	json_node_add_text(top, "machine", name.machine);
	json_node_add_integer(top, "processors", sysconf(_SC_NPROCESSORS_ONLN));
	json_node_add_integer(top, "repeats", a->repeats);
	for (unsigned i = 0; i < a->count * DELIVERIES; i++)
		json_node_add_take(list, NULL, row_node(&rows[i]));
	json_node_add_take(top, "rows", list);
	rc = file_output_open(&out, a->json, e);
	if (!rc)
		rc = file_output_end(&out, json_node_write(top, out.stream, e), e);
	json_node_free(top);
	return rc;
}

/* ---- arguments ----------------------------------------------------------------------------- */

/* A number from 1 to @most, which ends where @text then points. */
static unsigned take_number(char **text, unsigned most, struct argp_state *state)
{
	char *begin = *text;
	unsigned long value = strtoul(begin, text, 10);

	if (*text == begin || *begin == '-' || value < 1 || value > most)
		argp_error(state, "%s: give a number from 1 to %u", begin, most);
	return (unsigned)value;
}

static void take_threads(struct arguments *a, char *text, struct argp_state *state)
{
	a->count = 0;
	do {
		a->counts[a->count++] = take_number(&text, THREADS_MAX, state);
	} while (*text++ == ',' && a->count < COUNTS_MAX);
	if (text[-1])
		argp_error(state, "give at most %u numbers, such as 1,2,4", COUNTS_MAX);
}

static error_t take_option(int key, char *text, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 't':
		take_threads(a, text, state);
		return 0;
	case 'n':
		a->operations = take_number(&text, OPERATIONS_MAX, state);
		return 0;
	case 'r':
		a->repeats = take_number(&text, REPEATS_MAX, state);
		return 0;
	case 'j':
		a->json = text;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{"threads", 't', "LIST", 0, "Numbers of threads (default 1,2,4,8,16,32,64)", 0},
	{"operations", 'n', "N", 0,
	 "Operations of each kind per thread and repeat (default: 4000 in all, at least 60 each)",
	 0},
	{"repeats", 'r', "N", 0, "Repeats, of which the median is taken (default 5)", 0},
	{"json", 'j', "FILE", 0, "Write the table as JSON", 0},
	{0},
};

static const struct argp argp = {
	.options = options,
	.parser = take_option,
	.doc = "Measure what a hardware breakpoint costs: to set it, and to set it and run into "
	       "it, with the signal that softlbr uses (sigtrap) and with the one before Linux 5.13 "
	       "(F_SETSIG).",
};

int main(int argc, char **argv)
{
	struct arguments a = {.counts = {1, 2, 4, 8, 16, 32, 64}, .count = 7, .repeats = 5};
	struct row rows[COUNTS_MAX * DELIVERIES];
	struct softlbr_error e = {0};
	int rc;

	argp_err_exit_status = 2;
	argp_parse(&argp, argc, argv, 0, NULL, &a);
	rc = measure(&a, rows, &e);
	if (!rc)
		print_table(&a, rows);
	if (!rc && a.json)
		rc = write_json(&a, rows, &e);
	if (rc)
		fprintf(stderr, "breakpoints: %s\n", e.text);
	return rc ? 1 : 0;
}
