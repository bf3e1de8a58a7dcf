/* SPDX-License-Identifier: MIT */
/* A comparison as JSON; the schema is in docs/scores.md. */
#include "report/diff_report.h"

#include <inttypes.h>
#include <math.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "compare/confidence.h"
#include "report/demangle.h"

static struct json_node *side(const struct diff *d, unsigned number)
{
	const struct comparand *c = &d->sides[number];
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

static struct json_node *scores(const struct diff *d)
{
	struct json_node *node = json_node_object();

	for (int level = 0; level < DIFF_LEVELS; level++)
		json_node_add_real(node, diff_level_name((enum diff_level)level), d->scores[level]);
	return node;
}

/* Of the levels that it is known of. */
static struct json_node *confidence(const struct diff *d)
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

static struct json_node *taken_ratio(const struct diff *d)
{
	struct json_node *node = json_node_object();

	json_node_add_real(node, "error", d->edge_score.taken_ratio_error);
	json_node_add_real(node, "covered", d->edge_score.taken_ratio_covered);
	return node;
}

static struct json_node *llvm(const struct source_similarity *l)
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

static struct json_node *function(const struct diff_function *f, bool mangled)
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

int diff_json_report(const struct diff *d, size_t top, const struct sheet_style *style,
		     FILE *stream, struct softlbr_error *e)
{
	struct json_node *root = json_node_document(), *functions = json_node_array();
	const struct diff_function *f;
	int rc;

	json_node_add_take(root, "a", side(d, 0));
	json_node_add_take(root, "b", side(d, 1));
	if (d->binary)
		json_node_add_text(root, "binary", binary_path(d->binary));
	json_node_add_text(root, "reference", d->reference ? "b" : "a");
	if (d->has_edges) {
		json_node_add_bool(root, "without_returns", d->edges.without_returns);
		json_node_add_bool(root, "without_jumps_to_next", d->edges.without_jumps_to_next);
		json_node_add_bool(root, "without_functions", d->edges.without_functions);
	}
	json_node_add_take(root, "scores", scores(d));
	json_node_add_take(root, "confidence", confidence(d));
	if (d->has_edges)
		json_node_add_take(root, "taken_ratio", taken_ratio(d));
	if (d->has_source)
		json_node_add_take(root, "llvm", llvm(&d->source.score.llvm));
	vector_each (&d->functions, f) {
		if ((size_t)(f - d->functions.items) == top)
			break;
		json_node_add_take(functions, NULL, function(f, style->mangled));
	}
	json_node_add_take(root, "functions", functions);
	rc = json_node_write(root, stream, NULL) && !ferror(stream) ? error_set_nomem(e) : 0;
	json_node_free(root);
	return rc;
}
