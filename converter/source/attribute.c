/* SPDX-License-Identifier: MIT */
/*
 * One function symbol at a time: a sweep over its ranges gives the count of every segment of code,
 * a second one along the spans of the debug information gives each source position the greatest
 * count among its instructions. The symbols of a function in parts (.cold, basic block sections)
 * count as one. Functions that share a name are added up at the end.
 */

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "converter/debuginfo/gcc_discriminator.h"
#include "converter/samples/sample_events.h"
#include "converter/source/attribute_private.h"

/* Code of one compiler, and how much of it ran. */
struct made_by {
	struct producer producer;
	uint64_t weight;
};

struct attribution {
	bool sums; /* ranges are single samples: a position has the sum of its own */
	struct binary *b;
	struct debuginfo *debug;
	struct source_profile *out;
	struct attribute_stats *stats;
	struct softlbr_error *e;
	struct attribute_calls calls;
	struct map_entry **ranges; /* by begin */
	size_t range_count;
	VECTOR(struct made_by) producers; /* few */
	struct parted_functions parted;

	/* The function at hand. */
	const struct binary_function *symbol;
	struct debuginfo_function info;
	uint64_t ran; /* ranges of it, each as often as it ran */
	struct segments segments;
	VECTOR(struct source_function *) nodes; /* by scope; NULL = not placed */
};

/* ---- counts per instruction ---- */

/* A range ends with the branch instruction at @end: its first byte stands for it. */
static int add_range(struct attribution *a, const struct map_entry *range)
{
	uint64_t end = range->b < a->symbol->end ? range->b + 1 : a->symbol->end;

	if (range->b < range->a || !range->n)
		return 0;
	a->ran = source_count_add(a->ran, range->n);
	return segments_add(&a->segments, range->a, end, range->n);
}

/* ---- source positions ---- */

static uint32_t name_in_profile(struct attribution *a, uint32_t number)
{
	return strings_add_text(a->out->strings, strings_text(debuginfo_strings(a->debug), number));
}

/* The node of a scope below its parent's: made if absent. *place = false if the call's position is
 * not known. */
static struct source_function *node_of(struct attribution *a, uint32_t number,
				       struct source_function *parent)
{
	const struct debuginfo_scope *scope = &a->info.scopes.items[number];
	struct source_position at = {0};
	struct source_function *node;
	uint32_t name = name_in_profile(a, scope->name);

	debuginfo_call_position(&a->info, scope, &at);
	node = name == STRINGS_NONE ? NULL : source_function_callee(parent, at, name);
	if (!node)
		return NULL;
	node->file = name_in_profile(a, scope->file);
	return node->file == STRINGS_NONE ? NULL : node;
}

/*
 * a->nodes[scope] for all scopes below @root. Making a node moves its siblings, so all are made
 * first and looked up again in a second round, which makes none.
 */
static int place_scopes(struct attribution *a, struct source_function *root)
{
	size_t count = a->info.scopes.count;

	a->nodes.count = 0;
	if (vector_reserve(&a->nodes, count))
		return -1;
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < count; i++) {
			const struct debuginfo_scope *scope = &a->info.scopes.items[i];
			struct source_function *parent = scope->parent == DEBUGINFO_NONE
								 ? NULL
								 : a->nodes.items[scope->parent];
			struct source_position at;

			a->nodes.items[i] = NULL;
			if (scope->parent == DEBUGINFO_NONE) {
				a->nodes.items[i] = root;
			} else if (parent && debuginfo_call_position(&a->info, scope, &at)) {
				a->nodes.items[i] = node_of(a, i, parent);
				if (!a->nodes.items[i])
					return -1;
			}
		}
	a->nodes.count = count;
	return 0;
}

static uint64_t scaled(uint64_t count, uint32_t factor)
{
	uint64_t product;

	return __builtin_mul_overflow(count, (uint64_t)factor, &product) ? UINT64_MAX : product;
}

/* The line of a span, made if absent; NULL with *placed set if there is no memory, else because the
 * span has no position. */
static struct source_line *line_of(struct attribution *a, const struct debuginfo_span *span,
				   uint32_t *factor, bool *placed)
{
	struct source_position at;
	struct source_function *node;

	*placed = debuginfo_span_position(&a->info, span, &at, factor);
	node = *placed ? a->nodes.items[span->scope] : NULL;
	*placed = node != NULL;
	return node ? source_function_line(node, at) : NULL;
}

static int count_span(struct attribution *a, const struct debuginfo_span *span, uint64_t greatest,
		      uint64_t weight)
{
	struct attribute_stats *s = a->stats;
	struct source_line *l;
	uint32_t factor;
	bool placed;

	l = line_of(a, span, &factor, &placed);
	if (!placed) {
		if (span->scope == DEBUGINFO_NONE)
			s->weight_no_row += weight;
		else
			s->weight_line_zero += weight;
		return 0;
	}
	if (!l)
		return -1;
	s->weight_placed += weight;
	greatest = scaled(greatest, factor);
	if (a->sums)
		l->count = source_count_add(l->count, scaled(weight, factor));
	else if (greatest > l->count)
		l->count = greatest;
	return 0;
}

/* Spans and segments are both ascending and disjoint. */
static int count_spans(struct attribution *a)
{
	const struct segment *segment = a->segments.list.items;
	const struct segment *last = segment + a->segments.list.count;
	const struct debuginfo_span *span;
	uint64_t total = 0, covered = 0;

	for (const struct segment *p = segment; p < last; p++)
		total += (p->end - p->begin) * p->count;
	vector_each (&a->info.spans, span) {
		uint64_t greatest = 0, weight = 0;

		while (segment < last && segment->end <= span->begin)
			segment++;
		for (const struct segment *p = segment; p < last && p->begin < span->end; p++) {
			uint64_t low = p->begin > span->begin ? p->begin : span->begin;
			uint64_t high = p->end < span->end ? p->end : span->end;

			weight += (high - low) * p->count;
			if (p->count > greatest)
				greatest = p->count;
		}
		covered += weight;
		if (count_span(a, span, greatest, weight))
			return -1;
	}
	a->stats->weight += total;
	a->stats->weight_no_row += total - covered;
	return 0;
}

/* ---- calls ---- */

static const struct debuginfo_span *span_at(const struct debuginfo_function *f, uint64_t va)
{
	const struct debuginfo_span *s;
	size_t low = vector_count_while(&f->spans, s, s->end <= va);

	if (low == f->spans.count || f->spans.items[low].begin > va)
		return NULL;
	return &f->spans.items[low];
}

static int add_call(struct attribution *a, const struct attribute_call *call)
{
	const struct debuginfo_span *span = span_at(&a->info, call->from);
	struct source_line *l;
	uint32_t factor, name;
	bool placed = false;

	l = span ? line_of(a, span, &factor, &placed) : NULL;
	if (!placed)
		return 0;
	name = strings_add_text(a->out->strings, call->callee->name);
	if (!l || name == STRINGS_NONE)
		return -1;
	a->stats->target_lines += !l->targets.count;
	a->stats->calls_attributed += call->count;
	return source_line_add_target(l, name, call->count);
}

/* ---- functions ---- */

/* More ranges than this at once in a function, and it may well be that no trace saw it entered: a
 * loop that runs for long, main, a thread's start. */
#define LONG_RUN 64

/*
 * Times entered: as seen, or what the first instruction ran without being jumped to from within,
 * whichever is more; never 0 for what ran, since GCC takes such a function for cold.
 */
static void count_head(struct attribution *a, struct source_function *f)
{
	struct attribute_entry entry = attribute_calls_entry(&a->calls, a->symbol->begin);
	uint64_t runs = segments_count_at(&a->segments, a->symbol->begin);
	uint64_t arrived = source_count_add(entry.entered, entry.jumped);
	struct attribute_stats *s = a->stats;

	if (attribute_calls_is_part(a->symbol) || !a->info.scopes.count)
		return;
	s->runs = source_count_add(s->runs, a->ran);
	if (!entry.entered && !entry.returned_to && entry.left && a->ran / entry.left <= LONG_RUN)
		s->runs_zero_head = source_count_add(s->runs_zero_head, a->ran);
	s->entries += entry.entered;
	s->entry_runs += runs;
	s->entry_residual += runs > arrived ? runs - arrived : arrived - runs;
	f->head = entry.entered;
	if (runs > entry.jumped && runs - entry.jumped > f->head)
		f->head = runs - entry.jumped;
	if (!f->head)
		f->head = 1;
}

/* Inlined calls of which no instruction has a position would look as if they never ran. */
static void prune_empty(struct source_function *f)
{
	struct source_callsite *c, *keep = f->callsites.items;

	vector_each (&f->callsites, c) {
		prune_empty(&c->callee);
		if (c->callee.lines.count || c->callee.callsites.count)
			*keep++ = *c;
		else
			source_function_deinit(&c->callee);
	}
	f->callsites.count = (size_t)(keep - f->callsites.items);
}

/*
 * The oldest branch of a stack has no range that leads to it: a call may be seen only there. A line
 * that called ran as often, if nothing else tells; 0 would say that it is known not to run.
 */
static void count_callers(struct source_function *f)
{
	const struct source_target *target;
	struct source_callsite *c;
	struct source_line *l;

	vector_each (&f->lines, l) {
		uint64_t calls = 0;

		vector_each (&l->targets, target)
			calls = source_count_add(calls, target->count);
		if (!l->count)
			l->count = calls;
	}
	vector_each (&f->callsites, c)
		count_callers(&c->callee);
}

/* ---- symbols ---- */

static int add_symbol(struct attribution *a, struct source_function *f)
{
	const struct attribute_call *call, *end;

	if (a->info.scopes.count) {
		f->file = name_in_profile(a, a->info.scopes.items[0].file);
		if (f->file == STRINGS_NONE)
			return -1;
	}
	if (place_scopes(a, f) || count_spans(a))
		return -1;
	call = attribute_calls_from(&a->calls, a->symbol, &end);
	for (; call < end; call++)
		if (add_call(a, call))
			return -1;
	count_head(a, f);
	return 0;
}

static struct source_position without_copy(struct source_position at)
{
	return (struct source_position){at.line, gcc_discriminator_base(at.discriminator)};
}

/* Add to @to the counts of all copies of each position of @from. */
static int add_copies(struct source_function *to, const struct source_function *from)
{
	const struct source_target *target;
	const struct source_callsite *c;
	const struct source_line *l;

	vector_each (&from->lines, l) {
		struct source_line *sum = source_function_line(to, without_copy(l->at));

		if (!sum)
			return -1;
		sum->count = source_count_add(sum->count, l->count);
		vector_each (&l->targets, target)
			if (source_line_add_target(sum, target->name, target->count))
				return -1;
	}
	vector_each (&from->callsites, c) {
		struct source_function *sum = source_function_callee(to, without_copy(c->at),
								     c->callee.name);

		if (!sum || add_copies(sum, &c->callee))
			return -1;
		sum->file = c->callee.file;
	}
	return 0;
}

static int join_copies(struct source_function *f)
{
	struct source_function joined = {.name = f->name, .file = f->file, .head = f->head};
	int rc = add_copies(&joined, f);

	source_function_deinit(f);
	*f = joined;
	return rc;
}

/* All of @f's code was counted: it is added to those of its name. -1 without memory. */
static int finish_function(struct attribution *a, struct source_function *f, bool copies)
{
	struct source_function *shared;

	if (copies && join_copies(f))
		return -1;
	count_callers(f);
	prune_empty(f);
	if (!f->lines.count && !f->callsites.count)
		return 0;
	shared = source_profile_function(a->out, f->name);
	return shared ? source_function_merge(shared, f, NULL) : -1;
}

static int finish_parted(struct attribution *a)
{
	struct parted_function *p;

	vector_each (&a->parted.items, p)
		if (finish_function(a, &p->function, p->copies))
			return -1;
	parted_functions_deinit(&a->parted);
	return 0;
}

/* a->symbol's lines, with the counts of a->segments. */
static int attribute_symbol(struct attribution *a)
{
	struct parted_function *parted = parted_function_of(&a->parted, a->debug, a->symbol);
	struct source_function local = {0}, *f = parted ? &parted->function : &local;
	int rc = debuginfo_look_up(a->debug, a->symbol->begin, a->symbol->end, &a->info, a->e);

	if (rc)
		return rc;
	debuginfo_fold_unplaced(&a->info);
	a->out->dotted_names |= a->info.producer.compiler == PRODUCER_GO;
	if (!parted || !parted->named)
		f->name = strings_add_text(a->out->strings, a->symbol->name);
	if (parted) {
		parted->named |= !attribute_calls_is_part(a->symbol);
		parted->ran |= a->segments.list.count;
		parted->copies |= a->info.copies;
	}
	if (f->name == STRINGS_NONE || add_symbol(a, f) ||
	    (!parted && finish_function(a, f, a->info.copies)))
		rc = error_set_nomem(a->e);
	source_function_deinit(&local);
	return rc;
}

static int count_producer(struct attribution *a, uint64_t weight)
{
	const struct producer *its = &a->info.producer;
	struct made_by *m;

	if (its->compiler == PRODUCER_UNKNOWN)
		return 0;
	vector_each (&a->producers, m)
		if (!strcmp(m->producer.driver, its->driver) && m->producer.major == its->major &&
		    m->producer.minor == its->minor) {
			m->weight = source_count_add(m->weight, weight);
			return 0;
		}
	return vector_add(&a->producers, (struct made_by){*its, weight}) ? error_set_nomem(a->e)
									 : 0;
}

static struct producer main_producer(const struct attribution *a)
{
	struct made_by most = {producer_read(NULL, 0), 0};
	const struct made_by *m;

	vector_each (&a->producers, m)
		if (m->weight >= most.weight)
			most = *m;
	return most.producer;
}

/* a->segments hold the ranges of a->symbol. */
static int attribute_function(struct attribution *a)
{
	uint64_t before = a->stats->weight;
	int rc = segments_sweep(&a->segments) ? error_set_nomem(a->e) : 0;

	if (rc || !a->segments.list.count)
		return rc;
	rc = attribute_symbol(a) ?: count_producer(a, a->stats->weight - before);
	if (rc)
		return rc;
	a->stats->functions++;
	a->stats->functions_no_debug += !a->info.spans.count || !a->info.scopes.count;
	return 0;
}

/* Ranges stay in one function. */
static bool has_run(const struct attribution *a, const struct binary_function *f)
{
	size_t low = 0, high = a->range_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (a->ranges[middle]->a < f->begin)
			low = middle + 1;
		else
			high = middle;
	}
	return low < a->range_count && a->ranges[low]->a < f->end;
}

/* Symbols that never ran of functions in parts that did: their lines are known to be cold. */
static int attribute_cold_parts(struct attribution *a)
{
	size_t count;
	const struct binary_function *f = binary_functions(a->b, &count);

	a->ran = 0;
	segments_clear(&a->segments);
	for (size_t i = 0; i < count; i++) {
		const struct parted_function *parted = parted_function_of(&a->parted, a->debug,
									  &f[i]);

		if (!parted || !parted->ran || has_run(a, &f[i]))
			continue;
		a->symbol = &f[i];
		if (attribute_symbol(a))
			return a->e ? -a->e->code : -SOFTLBR_E_INPUT;
	}
	return 0;
}

static void count_outside_symbols(struct attribution *a, const struct map_entry *range)
{
	uint64_t bytes = range->b >= range->a ? range->b - range->a + 1 : 0, weight;

	if (__builtin_mul_overflow(bytes, range->n, &weight))
		weight = UINT64_MAX;
	a->stats->weight = source_count_add(a->stats->weight, weight);
	a->stats->weight_no_symbol = source_count_add(a->stats->weight_no_symbol, weight);
}

static int attribute_ranges(struct attribution *a)
{
	for (size_t i = 0; a->ranges && i < a->range_count;) {
		int rc = 0;

		a->symbol = binary_function_at(a->b, a->ranges[i]->a);
		if (!a->symbol) {
			count_outside_symbols(a, a->ranges[i++]);
			continue;
		}
		segments_clear(&a->segments);
		a->ran = 0;
		while (i < a->range_count && a->ranges[i]->a < a->symbol->end)
			if (add_range(a, a->ranges[i++]))
				return error_set_nomem(a->e);
		rc = attribute_function(a);
		if (rc)
			return rc;
	}
	return 0;
}

/* Each sampled instruction as a range of its own first byte. */
static int samples_as_ranges(const struct branch_profile *p, struct map *ranges)
{
	enum sample_event best = sample_events_best(p);

	for (const struct map_entry *s = NULL; (s = map_next(&p->samples, (void *)s));) {
		struct map_entry *r;

		if (s->b != best)
			continue;
		r = map_at(ranges, s->a, s->a);
		if (!r)
			return -1;
		r->n = s->n;
	}
	return 0;
}

int attribute_branches(struct binary *b, const struct branch_profile *clean,
		       struct source_profile *out, struct attribute_stats *stats,
		       struct softlbr_error *e)
{
	struct attribute_stats unwanted = {0};
	struct attribution a = {.b = b, .out = out, .e = e, .stats = stats ? stats : &unwanted};
	struct map samples = {0};
	size_t functions;
	int rc = 0;

	*a.stats = (struct attribute_stats){0};
	if (source_profile_init(out))
		return error_set_nomem(e);
	binary_functions(b, &functions);
	a.debug = debuginfo_open(b, e);
	if (!a.debug)
		return e ? -e->code : -SOFTLBR_E_INPUT;
	a.sums = !clean->ranges.count && !clean->branches.count;
	if (a.sums && samples_as_ranges(clean, &samples))
		rc = error_set_nomem(e);
	a.range_count = a.sums ? samples.count : clean->ranges.count;
	a.ranges = a.range_count ? map_sorted(a.sums ? &samples : &clean->ranges) : NULL;
	if (rc || (a.range_count && !a.ranges) ||
	    attribute_calls_collect(&a.calls, b, clean, a.stats) ||
	    attribute_range_ends_count(b, clean, a.stats) ||
	    parted_functions_find(&a.parted, b, a.debug))
		rc = error_set_nomem(e);
	if (!rc)
		rc = attribute_ranges(&a);
	if (!rc && !a.sums)
		rc = attribute_cold_parts(&a);
	if (!rc && finish_parted(&a))
		rc = error_set_nomem(e);
	if (!rc && source_profile_sort(out))
		rc = error_set_nomem(e);
	a.stats->producer = main_producer(&a);
	a.stats->units_unreadable = debuginfo_unreadable_units(a.debug);
	parted_functions_deinit(&a.parted);
	attribute_calls_deinit(&a.calls);
	memory_free(a.ranges);
	map_deinit(&samples);
	vector_deinit(&a.producers);
	segments_deinit(&a.segments);
	vector_deinit(&a.nodes);
	debuginfo_function_deinit(&a.info);
	debuginfo_close(a.debug);
	return rc;
}
