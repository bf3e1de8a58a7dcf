/* SPDX-License-Identifier: MIT */
/* Where a function's switches can go, by the jump tables in the binary's data. */
#include "converter/binary/code.h"

#include <string.h>

#include "base/cursor.h"
#include "base/order.h"
#include "isa/isa.h"

/* Bounds the work that a hostile file can ask for; real functions have a few thousand. */
#define ENTRIES_MAX 1000000

struct table {
	uint32_t insn;
	struct isa_table at;
};

struct table_list {
	VECTOR(struct table) items;
};

size_t jump_tables_base_name(const char *name)
{
	const char *part = strstr(name, ".cold");

	return part ? (size_t)(part - name) : strlen(name);
}

bool jump_tables_same_function(const struct binary_function *f, const struct binary_function *g)
{
	size_t length = jump_tables_base_name(f->name);

	return f == g ||
	       (length == jump_tables_base_name(g->name) && !memcmp(f->name, g->name, length));
}

ORDER_BY(compare_tables, struct table, ORDER_UP(at.base) ?: ORDER_UP(insn));

ORDER_BY(compare_targets, struct jump_target, ORDER_UP(insn) ?: ORDER_UP(va));

static int find_tables(struct binary *b, const struct code *c, struct table_list *list)
{
	size_t left;
	const uint8_t *bytes = NULL;

	if (c->count)
		bytes = binary_code(b, c->insns[0].address, &left);

	for (size_t i = 0; bytes && i < c->count; i++) {
		struct isa_table at;

		if (c->insns[i].kind != ISA_JUMP_INDIRECT ||
		    !isa_decoder_find_jump_table(binary_machine(b), c->insns, c->count, i, bytes,
						 &at))
			continue;
		if (vector_add(&list->items, (struct table){(uint32_t)i, at}))
			return -1;
	}
	vector_sort(&list->items, compare_tables);
	return 0;
}

/* The target that entry @va of a table holds; false if the file holds no such entry. Tables are
 * little-endian on the CPUs whose tables are known, but for AArch64's big-endian programs. */
static bool read_entry(struct binary *b, const struct isa_table *t, uint64_t va, uint64_t *target)
{
	const uint8_t *bytes = binary_bytes(b, va, t->entry_bytes);
	unsigned bits = 8u * t->entry_bytes;
	struct cursor c;
	uint64_t value;

	if (!bytes)
		return false;
	cursor_init(&c, bytes, t->entry_bytes, binary_is_big_endian(b));
	value = t->entry_bytes == 1   ? cursor_u8(&c)
		: t->entry_bytes == 2 ? cursor_u16(&c)
		: t->entry_bytes == 4 ? cursor_u32(&c)
				      : cursor_u64(&c);
	if (t->is_signed && bits < 64)
		value = (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits));
	*target = t->absolute ? value : t->anchor + (value << t->shift);
	return true;
}

/* Is it an instruction of the function or one of its parts? -1 without memory. */
static int is_possible(struct binary *b, struct code_cache *cache, const struct code *c,
		       uint64_t target)
{
	const struct binary_function *f = binary_function_at(b, target);
	const struct code *there = c;

	if (!f || !jump_tables_same_function(f, c->function))
		return 0;
	if (f != c->function)
		there = code_cache_get(cache, f);
	return there ? code_find(there, target) != CODE_NONE : -1;
}

static int read_table(struct binary *b, struct code_cache *cache, const struct code *c,
		      const struct table *t, uint64_t limit, struct jump_targets *out)
{
	uint64_t step = t->at.entry_bytes;

	if (t->at.entries && t->at.entries * step < limit - t->at.base)
		limit = t->at.base + t->at.entries * step;
	for (uint64_t va = t->at.base; va < limit && limit - va >= step; va += step) {
		uint64_t target;
		int possible;

		if (out->items.count >= ENTRIES_MAX || !read_entry(b, &t->at, va, &target))
			return 0;
		if (target == c->function->end) /* __builtin_unreachable */
			continue;
		possible = is_possible(b, cache, c, target);
		if (possible <= 0)
			return possible;
		if (vector_add(&out->items, (struct jump_target){t->insn, target}))
			return -1;
	}
	return 0;
}

static void remove_duplicates(struct jump_targets *t)
{
	size_t kept = 0;

	vector_sort(&t->items, compare_targets);
	for (size_t i = 0; i < t->items.count; i++)
		if (!kept || compare_targets(&t->items.items[kept - 1], &t->items.items[i]))
			t->items.items[kept++] = t->items.items[i];
	t->items.count = kept;
}

int jump_tables_find(struct binary *b, struct code_cache *cache, const struct code *c,
		     struct jump_targets *out)
{
	struct table_list list = {0};
	int rc = find_tables(b, c, &list);

	for (size_t i = 0; i < list.items.count && !rc; i++) {
		const struct table *t = &list.items.items[i];
		const struct binary_section *s = binary_section_at(b, t->at.base);
		uint64_t limit = s && !s->code ? s->end : 0;

		for (size_t j = i + 1; j < list.items.count; j++)
			if (t[j - i].at.base != t->at.base) {
				limit = t[j - i].at.base < limit ? t[j - i].at.base : limit;
				break;
			}
		rc = read_table(b, cache, c, t, limit, out);
	}
	vector_deinit(&list.items);
	remove_duplicates(out);
	return rc;
}
