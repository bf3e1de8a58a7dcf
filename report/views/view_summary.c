/* SPDX-License-Identifier: MIT */
/*
 * What one asks of a recording first: which functions, modules, processes and threads took the
 * time, and when. Time is that of samples, each of which stands for its period: of a timer it is
 * CPU time, of other events their count. An interval says how far so few samples can be wrong.
 */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "compare/confidence.h"
#include "converter/samples/sample_events.h"
#include "formats/model/source_profile.h"
#include "formats/perfdata.h"
#include "report/demangle.h"
#include "report/function_counts.h"
#include "report/views/followed_traces.h"
#include "report/views/view.h"

/* The time line has so many parts at most, and a table that is cut off its number of rows. */
#define TIME_PARTS 40u
/* The functions that the first sentence names. */
#define NAMED 3u
/* Of so few traces `record` says that they are few. */
#define SAMPLES_LEAST 100u

/* What samples say of something. */
struct sampled {
	uint64_t samples;
	double time, squares; /* the sums of their periods, and of the squares of those */
};

struct summary_function {
	size_t part;   /* VIEW_NO_PART: elsewhere */
	uint32_t name; /* in the document's strings */
	struct sampled sampled;
	uint64_t instructions, entries;
};

struct summary_task {
	uint32_t pid, tid;
	uint64_t threads; /* of a process, those that were sampled */
	struct sampled sampled;
};

struct summary_part {
	struct sampled sampled;
	VECTOR(double) functions; /* time by number */
	double most;		  /* of them, that of the function */
	uint32_t name;		  /* of that */
};

struct summary {
	struct view *view;
	const char *event; /* that is counted: of several the one with the most samples */
	bool is_clock;	   /* its periods are ns of CPU time */
	struct sampled all;
	uint64_t instructions, first_ns, last_ns;
	VECTOR(struct summary_function) functions;
	VECTOR(struct summary_task) processes, threads;
	struct map function_numbers; /* (name, part + 1) -> n = number + 1 */
	struct map process_numbers, thread_numbers;
	struct map names; /* (tid, 0) -> n = name in the document's strings */
	size_t part_count;
	struct summary_part parts[TIME_PARTS];
};

static void add_sampled(struct sampled *s, const struct followed_sample *sample)
{
	const double times = (double)sample->times, period = (double)sample->period;

	s->samples += sample->times;
	s->time += times * period;
	s->squares += times * period * period;
}

/* ---- functions ----------------------------------------------------------------------------- */

static struct summary_function *function_at(struct summary *s, size_t part, uint64_t va)
{
	const struct view_part *p = part == VIEW_NO_PART ? NULL : &s->view->parts.items[part];
	char name[4096];
	uint32_t number;

	if (!p && va >> 63)
		snprintf(name, sizeof(name), "[kernel]");
	else
		view_function_name(p, va, name, sizeof(name));
	number = strings_add_text(s->view->out->strings, name);
	if (number == STRINGS_NONE)
		return NULL;
	return map_item(&s->function_numbers, number, part + 1, &s->functions,
			(struct summary_function){.part = part, .name = number});
}

static int add_counts(struct summary *s, size_t part)
{
	const struct view_part *p = &s->view->parts.items[part];
	struct function_counts counts = {0};
	const struct binary_function *all;
	const struct map_entry *i;
	size_t count;
	int rc;

	if (!p->binary || !p->profile->ranges.count)
		return 0;
	all = binary_functions(p->binary, &count);
	rc = function_counts_make(&counts, p->binary, p->profile);
	s->instructions = source_count_add(s->instructions, counts.weight);
	map_each (&counts.of, i) {
		struct summary_function *f = rc ? NULL : function_at(s, part, all[i->a].begin);

		if (!f) {
			rc = -1;
			break;
		}
		f->instructions = source_count_add(f->instructions, i->n);
		f->entries = source_count_add(f->entries, i->m);
	}
	function_counts_deinit(&counts);
	return rc;
}

/* ---- samples ------------------------------------------------------------------------------- */

static int add_task(struct summary *s, const struct followed_sample *sample)
{
	const size_t known = s->threads.count;
	struct summary_task *thread = map_item(
		&s->thread_numbers, sample->pid, sample->tid, &s->threads,
		(struct summary_task){.pid = sample->pid, .tid = sample->tid});
	struct summary_task *process = map_item(
		&s->process_numbers, sample->pid, 0, &s->processes,
		(struct summary_task){.pid = sample->pid, .tid = sample->pid});

	if (!thread || !process)
		return -1;
	process->threads += s->threads.count - known;
	add_sampled(&thread->sampled, sample);
	add_sampled(&process->sampled, sample);
	return 0;
}

static int add_to_part(struct summary *s, const struct followed_sample *sample, size_t function)
{
	const double all = (double)(s->last_ns - s->first_ns) + 1;
	double at = (double)(sample->time_ns - s->first_ns) / all * (double)s->part_count;
	struct summary_part *part = &s->parts[(size_t)at < s->part_count ? (size_t)at : 0];

	while (part->functions.count <= function)
		if (!vector_push(&part->functions))
			return -1;
	add_sampled(&part->sampled, sample);
	part->functions.items[function] += (double)sample->times * (double)sample->period;
	return 0;
}

static int take_sample(void *context, const struct followed_sample *sample)
{
	struct summary *s = context;
	struct summary_function *f;

	if (strcmp(sample->event->name, s->event) != 0)
		return 0;
	s->is_clock = sample_event_of(&sample->event->attr) == IP_CLOCK;
	f = function_at(s, sample->at.part, sample->at.va);
	if (!f || add_task(s, sample))
		return -1;
	add_sampled(&s->all, sample);
	add_sampled(&f->sampled, sample);
	if (!s->part_count || sample->time_ns < s->first_ns)
		return 0;
	return add_to_part(s, sample, (size_t)(f - s->functions.items));
}

/* ---- names of threads ---------------------------------------------------------------------- */

static int take_name(void *context, const struct perfdata_info *info,
		     const struct perfdata_record *record, struct softlbr_error *e)
{
	const struct perfdata_task *task = &record->task;
	struct summary *s = context;
	const struct map_entry *above;
	struct map_entry *name;

	(void)info;
	(void)e;
	if (record->type != PERF_RECORD_COMM && record->type != PERF_RECORD_FORK)
		return 0;
	name = map_at(&s->names, task->tid, 0);
	above = map_find(&s->names, task->parent_tid, 0);
	if (!name)
		return -1;
	if (record->type == PERF_RECORD_COMM)
		name->n = strings_add_text(s->view->out->strings, task->comm);
	else if (!name->n && above)
		name->n = above->n;
	return name->n == STRINGS_NONE ? -1 : 0;
}

/* perf script's text does not name them; what is wrong with a file was said. */
static int read_names(struct summary *s)
{
	const struct view *v = s->view;
	struct softlbr_error none = {0};
	struct perfdata_reader *r;
	int rc;

	if (v->kind != PROFILE_PERFDATA)
		return 0;
	r = perfdata_open_view(v->file, v->options->path, &none);
	rc = r ? perfdata_each(r, PERFDATA_NO_SAMPLES, take_name, s, &none) : 0;
	perfdata_close(r);
	return rc && !none.code ? -1 : 0;
}

static void put_name(struct summary *s, const struct summary_task *task)
{
	const struct map_entry *name = map_find(&s->names, task->tid, 0);

	if (!name)
		name = map_find(&s->names, task->pid, 0);
	document_put_text(s->view->out,
			  name ? strings_text(s->view->out->strings, (uint32_t)name->n) : NULL);
}

/* ---- tables -------------------------------------------------------------------------------- */

/* "Functions by time", or by the event that was counted. */
static void begin_table(struct summary *s, const char *key, const char *what, const char *columns)
{
	struct document *out = s->view->out;
	char title[256], all[512];

	snprintf(title, sizeof(title), "%s by %s (at least, at most: 95 %% interval)", what,
		 s->is_clock ? "CPU time" : s->event);
	snprintf(all, sizeof(all), "share: %s, low: at least, high: at most, seconds: CPU s, %s",
		 s->is_clock ? "time" : "share", columns);
	document_table(out, key, document_keep_text(out, title), all);
}

/* The interval is of as many samples of one period as say as much (Kish). */
static void put_sampled(struct summary *s, const struct sampled *x)
{
	struct document *out = s->view->out;
	const double share = s->all.time > 0 ? x->time / s->all.time : NAN;
	const double trials = s->all.squares > 0 ? s->all.time * s->all.time / s->all.squares : 0;
	double low = NAN, high = NAN;

	if (trials >= 1 && !isnan(share))
		confidence_of_share((uint64_t)llround(share * trials), (uint64_t)llround(trials),
				    &low, &high);
	document_put_fraction(out, share);
	document_put_fraction(out, fmin(low, share));
	document_put_fraction(out, fmax(high, share));
	document_put_real(out, s->is_clock ? x->time / 1e9 : NAN);
}

ORDER_BY(by_time, struct summary_function,
	 order_reals(b->sampled.time, a->sampled.time) ?: ORDER_DOWN(instructions)
	 ?: ORDER_UP(part) ?: ORDER_UP(name));

static void put_functions(struct summary *s)
{
	struct document *out = s->view->out;
	const struct summary_function *f;

	begin_table(s, "functions", "Functions",
		    "samples, instructions, entries: entered, function, module");
	view_each_shown (s->view, &s->functions, f) {
		const struct view_part *p = f->part == VIEW_NO_PART
						    ? NULL
						    : &s->view->parts.items[f->part];

		put_sampled(s, &f->sampled);
		document_put_number(out, f->sampled.samples);
		document_put_share(out, f->instructions, s->instructions);
		document_put_number_if(out, f->instructions > 0, f->entries);
		document_put_symbol(out, strings_text(out->strings, f->name));
		document_put_text(out, p ? view_module_name(p) : NULL);
	}
	document_end(out, s->functions.count);
}

struct summary_module {
	size_t part;
	struct sampled sampled;
	uint64_t instructions;
};

ORDER_BY(by_module, struct summary_module,
	 order_reals(b->sampled.time, a->sampled.time) ?: ORDER_DOWN(instructions)
	 ?: ORDER_UP(part));

static int put_modules(struct summary *s)
{
	const size_t count = s->view->parts.count + 1; /* the last one is elsewhere */
	VECTOR(struct summary_module) modules = {0};
	const struct summary_function *f;
	const struct summary_module *m;
	struct document *out = s->view->out;

	for (size_t i = 0; i < count; i++)
		if (vector_add(&modules, (struct summary_module){.part = i}))
			return -1;
	vector_each (&s->functions, f) {
		size_t at = f->part == VIEW_NO_PART ? count - 1 : f->part;

		modules.items[at].sampled.samples += f->sampled.samples;
		modules.items[at].sampled.time += f->sampled.time;
		modules.items[at].instructions = source_count_add(modules.items[at].instructions,
								  f->instructions);
	}
	vector_sort(&modules, by_module);
	while (modules.count && !modules.items[modules.count - 1].sampled.samples &&
	       !modules.items[modules.count - 1].instructions)
		modules.count--;
	begin_table(s, "modules", "Modules", "samples, instructions, path: module");
	view_each_shown (s->view, &modules, m) {
		const struct view_part *p = m->part == count - 1 ? NULL
								 : &s->view->parts.items[m->part];

		put_sampled(s, &m->sampled);
		document_put_number(out, m->sampled.samples);
		document_put_share(out, m->instructions, s->instructions);
		document_put_text(out, !p	   ? "(the kernel, or no file)"
				       : p->module ? p->module
						   : binary_path(p->binary));
	}
	document_end(out, modules.count);
	vector_deinit(&modules);
	return 0;
}

ORDER_BY(by_task, struct summary_task,
	 order_reals(b->sampled.time, a->sampled.time) ?: ORDER_UP(pid) ?: ORDER_UP(tid));

static void put_processes(struct summary *s)
{
	struct document *out = s->view->out;
	const struct summary_task *task;

	begin_table(s, "processes", "Processes", "samples, threads, pid, name: command");
	view_each_shown (s->view, &s->processes, task) {
		put_sampled(s, &task->sampled);
		document_put_number(out, task->sampled.samples);
		document_put_number(out, task->threads);
		document_put_number(out, task->pid);
		put_name(s, task);
	}
	document_end(out, s->processes.count);
}

/* A program without threads was shown as a process. */
static void put_threads(struct summary *s)
{
	struct document *out = s->view->out;
	const struct summary_task *task;

	if (s->threads.count == s->processes.count)
		return;
	begin_table(s, "threads", "Threads", "samples, pid, tid, name: thread");
	view_each_shown (s->view, &s->threads, task) {
		put_sampled(s, &task->sampled);
		document_put_number(out, task->sampled.samples);
		document_put_number(out, task->pid);
		document_put_number(out, task->tid);
		put_name(s, task);
	}
	document_end(out, s->threads.count);
}

/* Before functions are sorted: parts know them by number. */
static void find_most(struct summary *s)
{
	for (size_t n = 0; n < s->part_count; n++) {
		struct summary_part *part = &s->parts[n];

		for (size_t i = 0; i < part->functions.count; i++)
			if (part->functions.items[i] > part->most) {
				part->most = part->functions.items[i];
				part->name = s->functions.items[i].name;
			}
	}
}

static void put_part(struct summary *s, size_t number, double width_ns)
{
	const struct summary_part *part = &s->parts[number];
	struct document *out = s->view->out;
	const double time = part->sampled.time;

	document_put_number(out, (uint64_t)((double)number * width_ns / 1e6));
	document_put_number(out, (uint64_t)((double)(number + 1) * width_ns / 1e6));
	document_put_real(out, s->is_clock ? time / width_ns : NAN);
	document_put_fraction(out, s->all.time > 0 ? time / s->all.time : NAN);
	document_put_symbol(out, time > 0 ? strings_text(out->strings, part->name) : NULL);
	document_put_fraction(out, time > 0 ? part->most / time : NAN);
}

static void put_time(struct summary *s)
{
	const double all_ns = (double)(s->last_ns - s->first_ns) + 1;

	if (!s->part_count)
		return;
	document_table(
		s->view->out, "time",
		"Over time (ms since the first sample, and the function with most of each part)",
		"low: from, high: to, busy: CPUs busy, share: of all, function, "
		"function_share: of the part");
	document_draw(s->view->out, DOCUMENT_TIMELINE);
	for (size_t i = 0; i < s->part_count; i++)
		put_part(s, i, all_ns / (double)s->part_count);
}

/* ---- the first sentence -------------------------------------------------------------------- */

/* "machine_run (58 %), push (12 %) and pop (9 %) make 79 % of it" */
static void name_functions(const struct summary *s, char *room, size_t size)
{
	const bool mangled = s->view->options->mangled;
	size_t count = 0, used = 0;
	double sum = 0;

	while (count < NAMED && count < s->functions.count &&
	       s->functions.items[count].sampled.samples)
		count++;
	room[0] = '\0';
	for (size_t i = 0; i < count && used < size; i++) {
		const struct summary_function *f = &s->functions.items[i];
		const char *name = strings_text(s->view->out->strings, f->name);
		char *shown = mangled ? NULL : demangle_name(name, true);
		double share = f->sampled.time / s->all.time;

		sum += share;
		used += (size_t)snprintf(room + used, size - used, "%s%s (%.0f %%)",
					 !i		  ? ""
					 : i + 1 == count ? " and "
							  : ", ",
					 shown ? shown : name, 100 * share);
		memory_free(shown);
	}
	if (count == 1 && used < size)
		snprintf(room + used, size - used, " takes most of it");
	else if (count && used < size)
		snprintf(room + used, size - used, " make %.0f %% of it", 100 * sum);
}

/* The first colon that is not in parentheses, or the end. */
static size_t to_colon(const char *text)
{
	size_t i = 0;

	for (int inside = 0; text[i] && (inside || strncmp(text + i, ": ", 2) != 0); i++)
		inside += (text[i] == '(') - (text[i] == ')');
	return i;
}

/* What matters in short; what is wrong with a profile that is not good, and what to do, comes last:
 * it is what is behind the colon. */
static void state_lead(struct summary *s)
{
	struct document *out = s->view->out;
	const char *verdict = document_fact_find(out, "verdict");
	const char *why = document_fact_find(out, "why") ?: "";
	const size_t first = to_colon(why);
	char functions[1024], text[4096];
	size_t used = 0;

	if (verdict)
		used = (size_t)snprintf(text, sizeof(text), "The profile is %s%s%.*s. ", verdict,
					*why ? ": " : "", (int)first, why);
	name_functions(s, functions, sizeof(functions));
	if (s->is_clock)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%.2f s of CPU time in ",
					 s->all.time / 1e9);
	used += (size_t)snprintf(text + used, sizeof(text) - used, "%" PRIu64 " sample%s%s%s; ",
				 s->all.samples, s->all.samples == 1 ? "" : "s",
				 s->is_clock ? "" : " of ", s->is_clock ? "" : s->event);
	used += (size_t)snprintf(text + used, sizeof(text) - used, "%s.%s%s", functions,
				 s->view->builds ? " " : "",
				 s->view->builds ? s->view->builds : "");
	if (why[first])
		snprintf(text + used, sizeof(text) - used, " %c%s.", toupper(why[first + 2]),
			 why + first + 3);
	document_lead(out, text);
}

static void state_samples(struct summary *s)
{
	struct document *out = s->view->out;
	const char *verdict = document_fact_find(out, "verdict");
	char text[160];

	if (s->is_clock)
		document_fact_real(out, "cpu_seconds", "CPU seconds", s->all.time / 1e9);
	if (s->part_count)
		document_fact_real(out, "recorded_seconds", "recorded seconds",
				   (double)(s->last_ns - s->first_ns) / 1e9);
	if (s->all.samples >= SAMPLES_LEAST || !verdict || !strcmp(verdict, "good"))
		return;
	snprintf(text, sizeof(text), "there %s only %" PRIu64 " trace%s: record longer",
		 s->all.samples == 1 ? "is" : "are", s->all.samples,
		 s->all.samples == 1 ? "" : "s");
	document_fact_text(out, "few_samples", "few samples", text);
}

/* ---- the view ------------------------------------------------------------------------------ */

static void choose_event(struct summary *s)
{
	const struct aggregate_event *event;
	uint64_t most = 0;

	s->event = "samples";
	vector_each (&s->view->result->events, event)
		if (event->counted && event->samples > most) {
			most = event->samples;
			s->event = event->name;
		}
}

static void choose_parts(struct summary *s)
{
	const struct funnel *f = &s->view->result->funnel;
	const size_t top = s->view->options->top;

	s->first_ns = f->first_ns;
	s->last_ns = f->last_ns;
	if (s->first_ns && s->last_ns > s->first_ns)
		s->part_count = top && top < TIME_PARTS ? top : TIME_PARTS;
}

static int make_summary(struct summary *s)
{
	int rc = read_names(s) ?: followed_samples_each(s->view, take_sample, s);

	for (size_t i = 0; !rc && i < s->view->parts.count; i++)
		rc = add_counts(s, i);
	return rc;
}

static int put_summary(struct summary *s)
{
	int rc;

	find_most(s);
	vector_sort(&s->functions, by_time);
	vector_sort(&s->processes, by_task);
	vector_sort(&s->threads, by_task);
	state_samples(s);
	if (s->all.samples)
		state_lead(s);
	put_functions(s);
	rc = put_modules(s);
	if (s->all.samples) {
		put_processes(s);
		put_threads(s);
		put_time(s);
	}
	return rc;
}

int view_summary(struct view *v)
{
	struct summary s = {.view = v};
	int rc;

	choose_event(&s);
	choose_parts(&s);
	rc = make_summary(&s) ?: put_summary(&s);
	for (size_t i = 0; i < s.part_count; i++)
		vector_deinit(&s.parts[i].functions);
	vector_deinit(&s.functions);
	vector_deinit(&s.processes);
	vector_deinit(&s.threads);
	map_deinit(&s.function_numbers);
	map_deinit(&s.process_numbers);
	map_deinit(&s.thread_numbers);
	map_deinit(&s.names);
	return rc;
}
