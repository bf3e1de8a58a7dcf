/* SPDX-License-Identifier: MIT */
/*
 * An AVL tree whose nodes have counts of who refers to them; one that several refer to is copied
 * before it changes. Functions that take trees by value take over a reference to each, also if
 * there is no memory: then the edit has failed, and what is left of the tree is given up.
 */
#include "converter/samples/address_maps.h"

#include <stddef.h>

#include "base/memory.h"

struct address_node {
	struct address_map map;
	struct address_node *left, *right;
	unsigned references;
	int height;
};

struct edit {
	bool failed;
};

static void give_up(struct address_node *n)
{
	if (!n || --n->references)
		return;
	give_up(n->left);
	give_up(n->right);
	memory_free(n);
}

static struct address_node *refer_to(struct address_node *n)
{
	if (n)
		n->references++;
	return n;
}

static struct address_node *new_node(struct edit *e, const struct address_map *map)
{
	struct address_node *n = memory_alloc(sizeof(*n));

	if (!n) {
		e->failed = true;
		return NULL;
	}
	n->map = *map;
	n->references = 1;
	n->height = 1;
	return n;
}

/* The node for us alone. */
static struct address_node *own(struct edit *e, struct address_node *n)
{
	struct address_node *copy;

	if (n->references == 1)
		return n;
	copy = new_node(e, &n->map);
	if (copy) {
		copy->left = refer_to(n->left);
		copy->right = refer_to(n->right);
		copy->height = n->height;
	}
	give_up(n);
	return copy;
}

/* ---- balance ------------------------------------------------------------------------------- */

static int height(const struct address_node *n)
{
	return n ? n->height : 0;
}

static void measure(struct address_node *n)
{
	int left = height(n->left), right = height(n->right);

	n->height = 1 + (left > right ? left : right);
}

/* A child becomes the parent of its parent @n: the right one, or the left one. */
static struct address_node *rotate(struct edit *e, struct address_node *n, bool right_up)
{
	struct address_node **from = right_up ? &n->right : &n->left, *up = own(e, *from), **to;

	*from = NULL;
	if (!up) {
		give_up(n);
		return NULL;
	}
	to = right_up ? &up->left : &up->right;
	*from = *to;
	*to = n;
	measure(n);
	measure(up);
	return up;
}

/* The heights of @n's children differ by two at most. */
static struct address_node *rebalance(struct edit *e, struct address_node *n)
{
	int lean = height(n->right) - height(n->left);
	bool right = lean > 0;
	struct address_node **high = right ? &n->right : &n->left;

	measure(n);
	if (lean >= -1 && lean <= 1)
		return n;
	if (right ? height((*high)->left) > height((*high)->right)
		  : height((*high)->right) > height((*high)->left)) {
		struct address_node *child = own(e, *high);

		*high = child ? rotate(e, child, !right) : NULL;
		if (!*high) {
			give_up(n);
			return NULL;
		}
	}
	return rotate(e, n, right);
}

/* ---- pieces -------------------------------------------------------------------------------- */

/* One tree of all in @left, then @middle, which is a node for us alone, then all in @right. */
static struct address_node *join(struct edit *e, struct address_node *left,
				 struct address_node *middle, struct address_node *right)
{
	int lean = height(right) - height(left);
	struct address_node *top = lean > 1 ? right : left;

	if (!middle || e->failed) {
		give_up(left);
		give_up(middle);
		give_up(right);
		return NULL;
	}
	if (lean >= -1 && lean <= 1) {
		middle->left = left;
		middle->right = right;
		measure(middle);
		return middle;
	}
	top = own(e, top);
	if (!top) {
		give_up(lean > 1 ? left : right);
		give_up(middle);
		return NULL;
	}
	if (lean > 1)
		top->left = join(e, left, middle, top->left);
	else
		top->right = join(e, top->right, middle, right);
	if (e->failed) {
		give_up(top);
		return NULL;
	}
	return rebalance(e, top);
}

/* Cut @n into those that begin before @address and the others. */
static void split(struct edit *e, struct address_node *n, uint64_t address,
		  struct address_node **before, struct address_node **others)
{
	struct address_node *left, *right, *inner = NULL;

	*before = *others = NULL;
	n = n ? own(e, n) : NULL;
	if (!n)
		return;
	left = n->left;
	right = n->right;
	n->left = n->right = NULL;
	if (n->map.start < address) {
		split(e, right, address, &inner, others);
		*before = join(e, left, n, inner);
	} else {
		split(e, left, address, before, &inner);
		*others = join(e, inner, n, right);
	}
}

/* Add a map behind all in @n, unless it is empty. */
static struct address_node *append(struct edit *e, struct address_node *n,
				   const struct address_map *map)
{
	return map->start < map->end ? join(e, n, new_node(e, map), NULL) : n;
}

/* The part of @map in [start,end), if it is one. */
static struct address_map part_of(const struct address_map *map, uint64_t start, uint64_t end)
{
	struct address_map part = {0};

	if (!map)
		return part;
	part = *map;
	part.start = start > map->start ? start : map->start;
	part.end = end < map->end ? end : map->end;
	part.file_offset += part.start - map->start;
	return part;
}

/* ---- the maps ------------------------------------------------------------------------------ */

void address_maps_deinit(struct address_maps *m)
{
	give_up(m->root);
	m->root = NULL;
}

struct address_maps address_maps_share(const struct address_maps *m)
{
	return (struct address_maps){refer_to(m->root)};
}

int address_maps_put(struct address_maps *m, const struct address_map *map)
{
	const struct address_map left = part_of(address_maps_behind(m, map->start), 0, map->start),
				 right = part_of(address_maps_before(m, map->end), map->end,
						 UINT64_MAX);
	struct address_node *before, *covered, *rest;
	struct edit e = {false};

	split(&e, m->root, left.start < left.end ? left.start : map->start, &before, &rest);
	split(&e, rest, map->end, &covered, &rest);
	give_up(covered);
	before = append(&e, before, &left);
	if (right.start < right.end) {
		before = append(&e, before, map);
		m->root = join(&e, before, new_node(&e, &right), rest);
	} else {
		m->root = join(&e, before, new_node(&e, map), rest);
	}
	return e.failed ? -1 : 0;
}

const struct address_map *address_maps_behind(const struct address_maps *m, uint64_t address)
{
	const struct address_map *found = NULL;

	for (const struct address_node *n = m->root; n;) {
		bool behind = n->map.end > address;

		found = behind ? &n->map : found;
		n = behind ? n->left : n->right;
	}
	return found;
}

const struct address_map *address_maps_before(const struct address_maps *m, uint64_t address)
{
	const struct address_map *found = NULL;

	for (const struct address_node *n = m->root; n;) {
		bool before = n->map.start < address;

		found = before ? &n->map : found;
		n = before ? n->right : n->left;
	}
	return found;
}
