/* SPDX-License-Identifier: MIT */
/* Call trees for speedscope.app, and other viewers of its file format: a sampled profile, as
 * github.com/jlfwong/speedscope, src/lib/file-format-spec.ts has it. */
#include "formats/call_tree_formats.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

static struct json_node *frames_of(const struct call_tree *t)
{
	struct json_node *all = json_node_array();
	const struct call_frame *frame;

	vector_each (&t->frames, frame) {
		struct json_node *one = json_node_object();

		json_node_add_text(one, "name", strings_text(t->strings, frame->shown));
		if (frame->module)
			json_node_add_text(one, "file", strings_text(t->strings, frame->module));
		json_node_add_take(all, NULL, one);
	}
	return all;
}

/* Each path with code of its own is a sample, whose weight that is. */
static int add_samples(const struct call_tree *t, struct json_node *profile)
{
	struct json_node *samples = json_node_array(), *weights = json_node_array();
	size_t *path = memory_alloc_array(t->nodes.count, sizeof(*path));

	for (size_t i = 1; path && i < t->nodes.count; i++) {
		struct json_node *stack;
		size_t depth;

		if (!t->nodes.items[i].self)
			continue;
		stack = json_node_array();
		depth = call_tree_path(t, i, path, t->nodes.count);
		for (size_t k = 0; k < depth; k++)
			json_node_add_integer(stack, NULL, t->nodes.items[path[k]].frame);
		json_node_add_take(samples, NULL, stack);
		json_node_add_integer(weights, NULL, (int64_t)t->nodes.items[i].self);
	}
	json_node_add_take(profile, "samples", samples);
	json_node_add_take(profile, "weights", weights);
	memory_free(path);
	return path ? 0 : -1;
}

int speedscope_write(const struct call_tree *t, const char *name, FILE *stream,
		     struct softlbr_error *e)
{
	struct json_node *root = json_node_object(), *shared = json_node_object(),
			 *profiles = json_node_array(), *profile = json_node_object();
	int rc;

	json_node_add_text(root, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_node_add_text(root, "exporter", "softlbr");
	json_node_add_text(root, "name", name);
	json_node_add_take(shared, "frames", frames_of(t));
	json_node_add_take(root, "shared", shared);
	json_node_add_text(profile, "type", "sampled");
	json_node_add_text(profile, "name", t->unit);
	json_node_add_text(profile, "unit", "none");
	json_node_add_integer(profile, "startValue", 0);
	json_node_add_integer(profile, "endValue", (int64_t)t->nodes.items[CALL_TREE_TOP].total);
	rc = add_samples(t, profile);
	json_node_add_take(profiles, NULL, profile);
	json_node_add_take(root, "profiles", profiles);
	rc = rc ? error_set_nomem(e) : json_node_write(root, stream, e);
	json_node_free(root);
	return rc;
}
