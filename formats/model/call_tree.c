/* SPDX-License-Identifier: MIT */
#include "formats/model/call_tree.h"

#include <string.h>

#include "base/memory.h"
#include "base/order.h"

int call_tree_init(struct call_tree *t, const char *unit)
{
	struct call_node *top;

	*t = (struct call_tree){.unit = unit, .strings = strings_new()};
	top = vector_push(&t->nodes);
	if (!t->strings || !top)
		return -1;
	*top = (struct call_node){.parent = CALL_TREE_NONE,
				  .first_child = CALL_TREE_NONE,
				  .next_sibling = CALL_TREE_NONE};
	return 0;
}

void call_tree_deinit(struct call_tree *t)
{
	strings_free(t->strings);
	t->strings = NULL;
	vector_deinit(&t->frames);
	vector_deinit(&t->nodes);
	map_deinit(&t->frame_numbers);
	map_deinit(&t->node_numbers);
}

uint32_t call_tree_frame(struct call_tree *t, const char *name, const char *shown,
			 const char *module, bool inlined)
{
	uint32_t text = strings_add_text(t->strings, name),
		 file = strings_add_text(t->strings, module);
	const struct call_frame *frame;

	if (text == STRINGS_NONE || file == STRINGS_NONE)
		return UINT32_MAX;
	frame = map_item(&t->frame_numbers, text, (uint64_t)file << 1 | inlined, &t->frames,
			 (struct call_frame){
				 .name = text,
				 .shown = shown ? strings_add_text(t->strings, shown) : text,
				 .module = file,
				 .inlined = inlined,
			 });
	return frame && frame->shown != STRINGS_NONE ? (uint32_t)(frame - t->frames.items)
						     : UINT32_MAX;
}

size_t call_tree_child(struct call_tree *t, size_t parent, uint32_t frame)
{
	struct map_entry *number = map_at(&t->node_numbers, parent, frame);
	struct call_node *node;

	if (!number)
		return CALL_TREE_NONE;
	if (!number->n) {
		node = vector_push(&t->nodes);
		if (!node)
			return CALL_TREE_NONE;
		number->n = t->nodes.count - 1;
		*node = (struct call_node){.parent = parent,
					   .frame = frame,
					   .first_child = CALL_TREE_NONE,
					   .next_sibling = t->nodes.items[parent].first_child};
		t->nodes.items[parent].first_child = number->n;
	}
	return number->n;
}

const char *call_tree_name(const struct call_tree *t, size_t node)
{
	const struct call_frame *frame = &t->frames.items[t->nodes.items[node].frame];

	return strings_text(t->strings, frame->shown);
}

struct sibling {
	const char *name;
	uint64_t total;
	size_t node;
};

ORDER_BY(by_total, struct sibling, ORDER_DOWN(total) ?: strcmp(a->name, b->name) ?: ORDER_UP(node));

/* @room is for as many as there are nodes. */
static void sort_children(struct call_tree *t, size_t parent, struct sibling *room)
{
	struct call_node *nodes = t->nodes.items;
	size_t count = 0, *link = &nodes[parent].first_child;

	for (size_t i = *link; i != CALL_TREE_NONE; i = nodes[i].next_sibling)
		room[count++] = (struct sibling){call_tree_name(t, i), nodes[i].total, i};
	qsort(room, count, sizeof(*room), by_total);
	for (size_t i = 0; i < count; i++) {
		*link = room[i].node;
		link = &nodes[room[i].node].next_sibling;
	}
	*link = CALL_TREE_NONE;
}

int call_tree_sum(struct call_tree *t)
{
	struct sibling *room = memory_alloc_array(t->nodes.count, sizeof(*room));
	struct call_node *node;

	if (!room)
		return -1;
	vector_each (&t->nodes, node)
		node->total = node->self;
	/* children stand behind their parents */
	for (size_t i = t->nodes.count; i-- > 1;)
		t->nodes.items[t->nodes.items[i].parent].total += t->nodes.items[i].total;
	for (size_t i = 0; i < t->nodes.count; i++)
		sort_children(t, i, room);
	memory_free(room);
	return 0;
}

size_t call_tree_depth(const struct call_tree *t, size_t node)
{
	size_t depth = 0;

	while (node != CALL_TREE_TOP && (node = t->nodes.items[node].parent) != CALL_TREE_TOP)
		depth++;
	return depth;
}

size_t call_tree_path(const struct call_tree *t, size_t node, size_t *path, size_t max)
{
	size_t count = node == CALL_TREE_TOP ? 0 : call_tree_depth(t, node) + 1;

	for (size_t i = count; i-- > 0; node = t->nodes.items[node].parent)
		if (i < max)
			path[i] = node;
	return count < max ? count : max;
}
