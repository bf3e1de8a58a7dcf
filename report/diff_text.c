/* SPDX-License-Identifier: MIT */
/* A comparison as text, as `softlbr diff` prints it. */
#include "report/diff_report.h"

#include <inttypes.h>
#include <math.h>

#include "base/memory.h"
#include "compare/confidence.h"
#include "report/demangle.h"

static void print_side(const struct diff *d, unsigned side, FILE *stream)
{
	const struct comparand *c = &d->sides[side];

	fprintf(stream, "%c  %s (%s", side ? 'B' : 'A', c->path, profile_kind_name(c->kind));
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

/* What is left of a line for the function's name. */
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

	fprintf(stream, "%s\n",
		demangle_shorten(demangled ? demangled : name, name_bytes(style), room));
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
		d->has_counters && level == DIFF_EDGE ? "arcs that have a counter"
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
		fprintf(stream, "of %s\n", binary_path(d->binary));
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
