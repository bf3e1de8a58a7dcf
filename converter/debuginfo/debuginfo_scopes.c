/* SPDX-License-Identifier: MIT */
/* The tree of inlined calls of one function. */
#include <dwarf.h>

#include "base/memory.h"
#include "base/order.h"
#include "converter/debuginfo/debuginfo_private.h"

struct adding {
	struct debuginfo_ranges *to;
	uint32_t owner;
	bool any;
};

static int add_range(void *context, uint64_t begin, uint64_t end)
{
	struct adding *a = context;

	if (!begin) /* linkers leave what they removed at address 0 */
		return 0;
	if (vector_add(&a->to->list,
		       (struct debuginfo_range){.begin = begin, .end = end, .owner = a->owner}))
		return -1;
	a->any = true;
	return 0;
}

int debuginfo_ranges_add(struct debuginfo_ranges *r, struct die *e, uint32_t owner, bool *any)
{
	struct adding a = {r, owner, false};
	int rc = die_ranges(e, add_range, &a);

	if (any)
		*any = a.any;
	return rc;
}

ORDER_BY(by_begin, struct debuginfo_range, ORDER_UP(begin) ?: ORDER_UP(owner));

void debuginfo_ranges_sort(struct debuginfo_ranges *r)
{
	struct debuginfo_range *one;
	uint64_t reach = 0;

	vector_sort(&r->list, by_begin);
	vector_each (&r->list, one) {
		if (one->end > reach)
			reach = one->end;
		one->reach = reach;
	}
}

const struct debuginfo_range *debuginfo_ranges_from(const struct debuginfo_ranges *r,
						    uint64_t begin)
{
	const struct debuginfo_range *one;
	size_t low = vector_count_while(&r->list, one, one->reach <= begin);

	return vector_at(&r->list, low);
}

const struct debuginfo_range *debuginfo_ranges_end(const struct debuginfo_ranges *r)
{
	return vector_at(&r->list, r->list.count);
}

struct heap {
	VECTOR(const struct debuginfo_range *) open;
};

static void swap(const struct debuginfo_range **a, const struct debuginfo_range **b)
{
	const struct debuginfo_range *t = *a;

	*a = *b;
	*b = t;
}

static int heap_push(struct heap *h, const struct debuginfo_range *one)
{
	size_t i = h->open.count;

	if (vector_add(&h->open, one))
		return -1;
	for (; i && h->open.items[(i - 1) / 2]->owner < h->open.items[i]->owner; i = (i - 1) / 2)
		swap(&h->open.items[i], &h->open.items[(i - 1) / 2]);
	return 0;
}

static void heap_pop(struct heap *h)
{
	size_t i = 0;

	h->open.items[0] = h->open.items[--h->open.count];
	for (;;) {
		size_t child = 2 * i + 1;

		if (child + 1 < h->open.count &&
		    h->open.items[child + 1]->owner > h->open.items[child]->owner)
			child++;
		if (child >= h->open.count ||
		    h->open.items[child]->owner <= h->open.items[i]->owner)
			return;
		swap(&h->open.items[i], &h->open.items[child]);
		i = child;
	}
}

static int push_flat(struct debuginfo_ranges *flat, uint64_t begin, uint64_t end, uint32_t owner)
{
	struct debuginfo_range *last = flat->list.count ? flat->list.items + flat->list.count - 1
							: NULL;

	if (last && last->owner == owner && last->end == begin) {
		last->end = end;
		return 0;
	}
	return vector_add(&flat->list,
			  (struct debuginfo_range){.begin = begin, .end = end, .owner = owner});
}

/* Give what is open the code from @at up to @limit. */
static int sweep(struct heap *h, struct debuginfo_ranges *flat, uint64_t at, uint64_t limit)
{
	while (h->open.count && at < limit) {
		const struct debuginfo_range *top = h->open.items[0];
		uint64_t end = top->end < limit ? top->end : limit;

		if (top->end <= at) {
			heap_pop(h);
			continue;
		}
		if (push_flat(flat, at, end, top->owner))
			return -1;
		at = end;
	}
	return 0;
}

int debuginfo_ranges_flatten(struct debuginfo_ranges *ranges)
{
	struct debuginfo_ranges flat = {0};
	const struct debuginfo_range *one;
	struct heap heap = {0};
	uint64_t at = 0;
	int rc = 0;

	debuginfo_ranges_sort(ranges);
	vector_each (&ranges->list, one) {
		rc = sweep(&heap, &flat, at, one->begin) ?: heap_push(&heap, one);
		if (rc)
			break;
		at = one->begin;
	}
	if (!rc)
		rc = sweep(&heap, &flat, at, UINT64_MAX);
	vector_deinit(&heap.open);
	vector_deinit(&ranges->list);
	*ranges = flat;
	if (!rc)
		debuginfo_ranges_sort(ranges);
	return rc;
}

/* How far abstract origins and specifications are followed; damaged ones can go in circles. */
#define MOST_REFERENCES 16

static int32_t line_of(const struct die *e, enum die_attribute a)
{
	uint64_t line = die_number(e, a, 0);

	return line <= INT32_MAX ? (int32_t)line : 0;
}

/* Go on to what @e is an instance or a definition of. */
static bool refer(struct die *e)
{
	struct die next;

	if (!die_referred(e, DIE_ORIGIN, &next) && !die_referred(e, DIE_SPECIFICATION, &next))
		return false;
	*e = next;
	return die_read(e);
}

/* The files of a unit's line table; NULL without (or without memory). */
static const struct dwarf_lines *files_of(struct debuginfo *d, struct dwarf_unit *u)
{
	struct dwarf_lines *files, **slot;
	struct map_entry *known;
	uint64_t offset;
	struct die own;

	if (!die_at_top(u, &own))
		return NULL;
	if (!die_section_offset(&own, DIE_STMT_LIST, &offset))
		return u->skeleton ? files_of(d, u->skeleton) : NULL;
	known = map_at(&d->files_at, (uintptr_t)u->file, offset);
	if (!known || known->n)
		return known ? d->files.items[known->n - 1] : NULL;
	files = memory_alloc(sizeof(*files));
	slot = files ? vector_push(&d->files) : NULL;
	if (!slot) {
		memory_free(files);
		return NULL;
	}
	*slot = files;
	known->n = d->files.count;
	dwarf_lines_read_files(u, offset, files);
	return files;
}

static const char *file_of(struct debuginfo *d, const struct die *e)
{
	const struct dwarf_lines *l = files_of(d, e->unit);
	uint64_t number = die_number(e, DIE_DECL_FILE, UINT64_MAX);

	return l && number < l->files.count ? l->files.items[number] : "";
}

struct description {
	const char *name, *linkage_name, *file;
	int32_t line;
};

/* Each from the nearest of @e, its abstract origin and specification that has it. */
static struct description describe_entry(struct debuginfo *d, struct die *e)
{
	struct description all = {0};
	unsigned references = 0;

	do {
		if (!all.linkage_name)
			all.linkage_name = die_string(e, DIE_LINKAGE_NAME);
		if (!all.name)
			all.name = die_string(e, DIE_NAME);
		if (!all.file && die_has(e, DIE_DECL_FILE))
			all.file = file_of(d, e);
		if (!all.line)
			all.line = line_of(e, DIE_DECL_LINE);
	} while (references++ < MOST_REFERENCES && refer(e));
	return all;
}

/* Name, file and line of the definition @e, which is used up. -1 without memory. */
static int describe(struct debuginfo *d, struct die *e, struct debuginfo_scope *scope)
{
	struct map_entry *known = map_at(&d->origins, (uintptr_t)e->unit->file, die_offset(e));

	if (!known)
		return -1;
	if (!known->n) {
		struct description all = die_read(e) ? describe_entry(d, e)
						     : (struct description){0};
		const char *name = all.linkage_name ? all.linkage_name : all.name;
		uint32_t name_number = strings_add_text(d->strings, name ? name : "");
		uint32_t file_number = strings_add_text(d->strings, all.file ? all.file : "");

		if (name_number == STRINGS_NONE || file_number == STRINGS_NONE)
			return -1;
		known->n = (uint64_t)name_number << 32 | (uint32_t)all.line | 1ull << 31;
		known->m = file_number;
	}
	scope->name = (uint32_t)(known->n >> 32);
	scope->decl_line = (int32_t)(known->n & INT32_MAX);
	scope->file = (uint32_t)known->m;
	return 0;
}

/* @e is a function, or with a @parent the call of one that is inlined there. */
static int add_scope(struct debuginfo *d, struct die *e, uint32_t parent,
		     struct debuginfo_function *out, struct debuginfo_ranges *ranges)
{
	uint32_t number = (uint32_t)out->scopes.count;
	struct debuginfo_scope *scope;
	struct die of;

	if (!die_read(e))
		return 0;
	if (debuginfo_ranges_add(ranges, e, number, NULL))
		return -1;
	scope = vector_push(&out->scopes);
	if (!scope)
		return -1;
	scope->parent = parent;
	if (parent != DEBUGINFO_NONE) {
		scope->call_line = line_of(e, DIE_CALL_LINE);
		scope->call_column = (uint32_t)die_number(e, DIE_CALL_COLUMN, 0);
		scope->call_discriminator = (uint32_t)die_number(e, DIE_DISCRIMINATOR, 0);
	}
	/* Inlined calls of one function share its abstract entry: describe that. */
	if (parent == DEBUGINFO_NONE || !die_referred(e, DIE_ORIGIN, &of))
		of = *e;
	return describe(d, &of, scope);
}

/* Inlined calls are inside blocks and each other; everything else in a function is skipped. */
static int add_children(struct debuginfo *d, struct die *e, uint32_t number,
			struct debuginfo_function *out, struct debuginfo_ranges *ranges)
{
	uint32_t parents[DEBUGINFO_DEEPEST] = {number};
	unsigned depth = 0;
	bool into = true;

	while (die_step(e, into && depth + 1 < DEBUGINFO_DEEPEST, &depth)) {
		int tag = die_tag(e);

		into = tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
		       tag == DW_TAG_catch_block;
		parents[depth] = parents[depth - 1];
		if (tag != DW_TAG_inlined_subroutine)
			continue;
		into = true;
		parents[depth] = (uint32_t)out->scopes.count;
		if (add_scope(d, e, parents[depth - 1], out, ranges))
			return -1;
	}
	return 0;
}

int debuginfo_add_scopes(struct debuginfo *d, struct dwarf_unit *u, uint64_t offset,
			 struct debuginfo_function *out, struct debuginfo_ranges *ranges)
{
	uint32_t number = (uint32_t)out->scopes.count;
	struct die e;

	die_at(u, offset, &e);
	if (add_scope(d, &e, DEBUGINFO_NONE, out, ranges))
		return -1;
	return out->scopes.count > number ? add_children(d, &e, number, out, ranges) : 0;
}
