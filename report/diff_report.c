/* SPDX-License-Identifier: MIT */
/* What `softlbr diff` found, as text and as JSON; softlbr-diff(1) has the members. */
#include "report/compare_reports.h"

#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/printable.h"
#include "compare/confidence.h"
#include "report/demangle.h"

static void print_side(const struct diff *d, unsigned side, FILE *stream)
{
	const struct side *c = &d->sides[side];

	fprintf(stream, "%c  %s (%s", side ? 'B' : 'A', PRINTABLE(c->path),
		profile_kind_name(c->kind));
	if (d->has_edges)
		fprintf(stream, ", %" PRIu64 " taken branches", d->edges.taken[side]);
	if (c->samples && !c->exact)
		fprintf(stream, ", %" PRIu64 " samples", c->samples);
	if (d->reference == side)
		fputs("), the reference\n", stream);
	else
		fputs(")\n", stream);
}

#define NAME_BYTES_MOST 1024

/* How many columns of a line are left for the function's name. */
static size_t name_bytes(const struct document_style *style)
{
	const size_t before = sizeof("  0.00%   0.00%   0.00%   0.00%  "), least = 20;

	if (style->columns < before + least)
		return least;
	return style->columns - before < NAME_BYTES_MOST ? style->columns - before
							 : NAME_BYTES_MOST;
}

static void print_name(const char *name, const struct document_style *style, FILE *stream)
{
	char *demangled = style->mangled ? NULL : demangle_text(name), room[NAME_BYTES_MOST + 1];

	printable_put(stream,
		      demangle_shorten(demangled ? demangled : name, name_bytes(style), room));
	fputc('\n', stream);
	memory_free(demangled);
}

static void print_functions(const struct diff *d, size_t top, const struct document_style *style,
			    FILE *stream)
{
	const struct diff_function *f;

	if (!d->functions.count || !top)
		return;
	fprintf(stream, "\n%8s %8s %8s %8s  %s\n", "A", "B", "within", "lost", "function");
	vector_each (&d->functions, f) {
		if ((size_t)(f - d->functions.items) == top)
			break;
		fprintf(stream, "%7.2f%% %7.2f%% ", 100 * f->share[0], 100 * f->share[1]);
		if (isnan(f->within))
			fprintf(stream, "%8s ", "-");
		else
			fprintf(stream, "%7.2f%% ", 100 * f->within);
		fprintf(stream, "%7.2f%%  ", 100 * f->lost);
		print_name(f->name, style, stream);
	}
}

static void print_llvm(const struct source_similarity *l, FILE *stream)
{
	fprintf(stream,
		"\nas llvm-profdata overlap reports: similarity %.3f %%, sample overlap %.3f %%,\n",
		100 * l->program, 100 * l->samples);
	fprintf(stream,
		"samples unique to A %.3f %%, to B %.3f %%; overlap of functions %.3f %%,\n",
		100 * l->unique[0], 100 * l->unique[1], 100 * l->functions);
	fprintf(stream, "of hot functions %.3f %%, of hot blocks %.3f %%\n", 100 * l->hot_functions,
		100 * l->hot_blocks);
}

static void print_edges(const struct diff *d, FILE *stream)
{
	const struct edges *edges = &d->edges;

	fputc('\n', stream);
	if (!isnan(d->edge_score.taken_ratio_error)) {
		fprintf(stream,
			"taken ratios of conditional jumps differ by %.2f points on average, ",
			100 * d->edge_score.taken_ratio_error);
		fprintf(stream, "over %.1f %% of their weight\n",
			100 * d->edge_score.taken_ratio_covered);
	}
	for (enum edges_note note = 0; note < EDGES_NOTES; note++)
		if (edges_note_holds(edges, note))
			fprintf(stream, "%s\n", edges_note_text(note));
	for (unsigned side = 0; side < 2; side++)
		if (edges->homeless[side] && !edges->without_functions)
			fprintf(stream,
				"%.2f %% of %c's taken branches are in code of no function, where "
				"fall-throughs of conditional jumps are not compared\n",
				100 * (double)edges->homeless[side] / (double)edges->taken[side],
				side ? 'B' : 'A');
}

static void print_score(const struct diff *d, enum diff_level level, FILE *stream)
{
	const struct diff_confidence *c = &d->confidence[level];

	fprintf(stream, "%-9s %8.2f %%   ", diff_level_name(level), 100 * d->scores[level]);
	if (!isnan(c->low))
		fprintf(stream, "%6.2f to %6.2f", 100 * c->low, 100 * c->high);
	if (!isnan(c->low) && isnan(c->ceiling))
		fprintf(stream, "%19s", "");
	else if (!isnan(c->low))
		fprintf(stream, ", ceiling %6.2f   ", 100 * c->ceiling);
	fprintf(stream, "%s\n",
		!d->has_counters       ? diff_level_meaning(level)
		: level == DIFF_EDGE   ? "arcs that have a counter"
		: level == DIFF_WITHIN ? "these arcs within each function"
				       : diff_level_meaning(level));
}

static void print_advice(const struct diff *d, FILE *stream)
{
	double longer = confidence_times_longer(d, DIFF_EDGE);

	if (isnan(longer))
		return;
	fputs("\n\"to\": 95 % confidence interval; ceiling: expected score of an unbiased profiler with "
	      "this sample count\n",
	      stream);
	if (longer > 1)
		fprintf(stream,
			"record about %.*f times longer for sampling noise to cost at most 1 point of "
			"edge overlap\n",
			longer < 10 ? 1 : 0, longer);
}

void diff_text_report(const struct diff *d, size_t top, const struct document_style *style,
		      FILE *stream)
{
	print_side(d, 0, stream);
	print_side(d, 1, stream);
	if (d->binary)
		fprintf(stream, "of %s\n", PRINTABLE(binary_path(d->binary)));
	fputc('\n', stream);
	for (int level = 0; level < DIFF_LEVELS; level++)
		if (!isnan(d->scores[level]))
			print_score(d, (enum diff_level)level, stream);
	print_advice(d, stream);
	if (d->has_edges)
		print_edges(d, stream);
	else if (d->has_source)
		print_llvm(&d->source.score.llvm, stream);
	print_functions(d, top, style, stream);
}

static struct json_node *side_node(const struct diff *d, unsigned number)
{
	const struct side *c = &d->sides[number];
	struct json_node *node = json_node_object();

	json_node_add_text(node, "path", c->path);
	json_node_add_text(node, "kind", profile_kind_name(c->kind));
	json_node_add_bool(node, "exact", c->exact);
	if (d->has_edges)
		json_node_add_integer(node, "taken_branches", (int64_t)d->edges.taken[number]);
	if (!c->exact && !d->has_counters && !profile_kind_is_source(c->kind))
		json_node_add_integer(node, "samples", (int64_t)c->samples);
	return node;
}

static struct json_node *scores_node(const struct diff *d)
{
	struct json_node *node = json_node_object();

	for (int level = 0; level < DIFF_LEVELS; level++)
		json_node_add_real(node, diff_level_name((enum diff_level)level), d->scores[level]);
	return node;
}

/* The intervals of those levels that have one. */
static struct json_node *confidence_node(const struct diff *d)
{
	struct json_node *node = json_node_object();

	for (int level = 0; level < DIFF_LEVELS; level++) {
		const struct diff_confidence *c = &d->confidence[level];
		struct json_node *one;

		if (isnan(c->low))
			continue;
		one = json_node_object();
		json_node_add_real(one, "low", c->low);
		json_node_add_real(one, "high", c->high);
		json_node_add_real(one, "ceiling", c->ceiling);
		json_node_add_real(one, "times_longer",
				   confidence_times_longer(d, (enum diff_level)level));
		json_node_add_take(node, diff_level_name((enum diff_level)level), one);
	}
	return node;
}

static struct json_node *taken_ratio_node(const struct diff *d)
{
	struct json_node *node = json_node_object();

	json_node_add_real(node, "error", d->edge_score.taken_ratio_error);
	json_node_add_real(node, "covered", d->edge_score.taken_ratio_covered);
	return node;
}

static struct json_node *llvm_node(const struct source_similarity *l)
{
	struct json_node *node = json_node_object();

	json_node_add_real(node, "similarity", l->program);
	json_node_add_real(node, "sample_overlap", l->samples);
	json_node_add_real(node, "unique_a", l->unique[0]);
	json_node_add_real(node, "unique_b", l->unique[1]);
	json_node_add_real(node, "function_overlap", l->functions);
	json_node_add_real(node, "hot_function_overlap", l->hot_functions);
	json_node_add_real(node, "hot_block_overlap", l->hot_blocks);
	return node;
}

static struct json_node *function_node(const struct diff_function *f, bool mangled)
{
	struct json_node *node = json_node_object();
	char address[32], *demangled = mangled ? NULL : demangle_text(f->name);

	json_node_add_text(node, "name", f->name);
	if (demangled)
		json_node_add_text(node, "name_demangled", demangled);
	memory_free(demangled);
	if (f->va) {
		snprintf(address, sizeof(address), "0x%" PRIx64, f->va);
		json_node_add_text(node, "address", address);
	}
	json_node_add_real(node, "share_a", f->share[0]);
	json_node_add_real(node, "share_b", f->share[1]);
	json_node_add_real(node, "within", f->within);
	json_node_add_real(node, "lost", f->lost);
	return node;
}

int diff_json_report(const struct diff *d, size_t top, const struct document_style *style,
		     FILE *stream, struct softlbr_error *e)
{
	struct json_node *root = json_node_document(), *functions = json_node_array();
	const struct diff_function *f;
	int rc;

	json_node_add_take(root, "a", side_node(d, 0));
	json_node_add_take(root, "b", side_node(d, 1));
	if (d->binary)
		json_node_add_text(root, "binary", binary_path(d->binary));
	json_node_add_text(root, "reference", d->reference ? "b" : "a");
	if (d->has_edges) {
		json_node_add_bool(root, "without_returns", d->edges.without_returns);
		json_node_add_bool(root, "without_jumps_to_next", d->edges.without_jumps_to_next);
		json_node_add_bool(root, "without_functions", d->edges.without_functions);
	}
	json_node_add_take(root, "scores", scores_node(d));
	json_node_add_take(root, "confidence", confidence_node(d));
	if (d->has_edges)
		json_node_add_take(root, "taken_ratio", taken_ratio_node(d));
	if (d->has_source)
		json_node_add_take(root, "llvm", llvm_node(&d->source.score.llvm));
	vector_each (&d->functions, f) {
		if ((size_t)(f - d->functions.items) == top)
			break;
		json_node_add_take(functions, NULL, function_node(f, style->mangled));
	}
	json_node_add_take(root, "functions", functions);
	rc = json_node_write(root, stream, NULL) && !ferror(stream) ? error_set_nomem(e) : 0;
	json_node_free(root);
	return rc;
}
