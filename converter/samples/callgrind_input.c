/* SPDX-License-Identifier: MIT */
/*
 * Exact counts of callgrind to the branch profile that complete hardware records would have given:
 * each taken branch but the returns, which callgrind does not list, and the ranges between.
 *
 * Ranges are not recorded either. Along straight code they follow from the instructions' counts:
 * where an instruction ran more often than control came from the one before it, ranges begin; at a
 * branch as many end as it was taken; the last that began is the first to end. Whatever way they
 * are paired, the counts of instructions and of fall-through edges are the exact ones.
 *
 * The modules of callgrind's exact counts: its objects.
 */
#include "converter/samples/aggregate_private.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/order.h"
#include "converter/binary/code.h"
#include "formats/callgrind.h"

/* Where Valgrind 3 loads a position-independent program: code of it that it takes for no object's
 * ("???") is at this distance from its ELF addresses. */
#define LOADED_AT UINT64_C(0x108000)

#define NO_OBJECT UINT32_MAX

/* A range that has begun and not ended, so many times. */
struct open_range {
	uint64_t begin, count;
};

struct exact {
	struct binary *binary;
	const struct callgrind *c;
	struct branch_profile *out;
	uint32_t object, unknown; /* of the binary; "???", or NO_OBJECT */
	struct map counts;	  /* (address, 0) -> n = executed */
	struct map taken;	  /* (address, 0) -> n = left by a branch there */
	struct map arrived;	  /* (address, 0) -> n = reached by a jump */
	VECTOR(struct open_range) open;
};

static bool same_file(const char *a, const char *b)
{
	char real_a[PATH_MAX], real_b[PATH_MAX];

	return realpath(a, real_a) && realpath(b, real_b) && !strcmp(real_a, real_b);
}

static void list_objects(const struct callgrind *c, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < c->objects.count && used < size; i++)
		used += (size_t)snprintf(
			text + used, size - used, "%s%s", i ? ", " : "",
			file_base_name(strings_text(c->strings, c->objects.items[i])));
}

static int find_object(struct exact *x, const char *name, struct softlbr_error *e)
{
	const char *path = binary_path(x->binary);
	uint32_t by_name = NO_OBJECT;
	char objects[256];

	x->object = x->unknown = NO_OBJECT;
	for (size_t i = 0; i < x->c->objects.count; i++) {
		uint32_t number = x->c->objects.items[i];
		const char *object = strings_text(x->c->strings, number);

		if (!strcmp(object, "???") && binary_is_position_independent(x->binary))
			x->unknown = number;
		if (same_file(object, path))
			x->object = number;
		if (!strcmp(file_base_name(object), file_base_name(path)))
			by_name = number;
	}
	if (x->object == NO_OBJECT)
		x->object = by_name;
	if (x->object != NO_OBJECT)
		return 0;
	list_objects(x->c, objects, sizeof(objects));
	return error_set(
		e, SOFTLBR_E_BINARY, name,
		"%s has no counts of %s; it has those of: %s. Give the binary that ran, or "
		"one of its name",
		name, path, objects);
}

/* The binary's address of one in @object, BRANCH_OUTSIDE if it is another's. */
static uint64_t callgrind_place(const struct exact *x, uint32_t object, uint64_t address)
{
	if (object == x->object && binary_is_code(x->binary, address))
		return address;
	if (object == x->unknown && address >= LOADED_AT &&
	    binary_is_code(x->binary, address - LOADED_AT))
		return address - LOADED_AT;
	return BRANCH_OUTSIDE;
}

static uint64_t number_in(const struct map *m, uint64_t address)
{
	const struct map_entry *entry = map_find(m, address, 0);

	return entry ? entry->n : 0;
}

static int place_counts(struct exact *x)
{
	struct map_entry *i = NULL;

	while ((i = map_next(&x->c->instructions, i))) {
		uint64_t at = callgrind_place(x, (uint32_t)i->a, i->b);

		if (at != BRANCH_OUTSIDE && map_add(&x->counts, at, 0, i->n, 0))
			return -1;
	}
	return 0;
}

/* Also what Valgrind takes for a branch, the turns of a repeated string instruction, is listed. */
static bool is_branch(const struct exact *x, uint64_t address)
{
	struct isa_insn insn;

	return binary_decode(x->binary, address, &insn) && isa_is_branch(insn.kind);
}

static int place_transfers(struct exact *x)
{
	const struct callgrind_transfer *t;

	vector_each (&x->c->transfers, t) {
		uint64_t from = callgrind_place(x, t->object, t->from);
		uint64_t to = callgrind_place(x, t->target_object, t->to);

		if (!t->taken || (from == BRANCH_OUTSIDE && to == BRANCH_OUTSIDE) ||
		    (from != BRANCH_OUTSIDE && !is_branch(x, from)))
			continue;
		if ((from != BRANCH_OUTSIDE && map_add(&x->taken, from, 0, t->taken, 0)) ||
		    (to != BRANCH_OUTSIDE && !t->call &&
		     map_add(&x->arrived, to, 0, t->taken, 0)) ||
		    branch_profile_add_branch(x->out, from, to, t->taken, 0))
			return -1;
	}
	return 0;
}

static int end_ranges(struct exact *x, uint64_t at, uint64_t count)
{
	while (count && x->open.count) {
		struct open_range *r = &x->open.items[x->open.count - 1];
		uint64_t n = r->count < count ? r->count : count;

		if (branch_profile_add_range(x->out, r->begin, at, n))
			return -1;
		r->count -= n;
		count -= n;
		if (!r->count)
			x->open.count--;
	}
	return 0;
}

/* rep movs and its kin (Intel SDM, volume 2, "REP"): Valgrind counts each turn. */
static bool repeats(const struct exact *x, const struct isa_insn *insn)
{
	size_t size;
	const uint8_t *byte = binary_code(x->binary, insn->address, &size), *end;

	uint16_t machine = binary_machine(x->binary);

	if ((machine != EM_X86_64 && machine != EM_386) || !byte || insn->kind != ISA_OTHER)
		return false;
	end = byte + (size < insn->length ? size : insn->length);
	if (byte < end && *byte == 0x66)
		byte++;
	if (byte == end || (*byte != 0xf2 && *byte != 0xf3))
		return false;
	for (byte++; byte < end && (*byte == 0x66 || (*byte & 0xf0) == 0x40); byte++)
		;
	return byte < end && ((*byte >= 0xa4 && *byte <= 0xa7) || (*byte >= 0xaa && *byte <= 0xaf));
}

/* How often control left the straight line at an instruction that ran @count times. */
static uint64_t left_at(const struct exact *x, const struct isa_insn *insn, uint64_t count)
{
	uint64_t taken;

	if (insn->kind != ISA_JUMP_CONDITIONAL)
		return code_stops(insn->kind) ? count : 0;
	taken = number_in(&x->taken, insn->address);
	return taken < count ? taken : count;
}

static int trace_function(struct exact *x, const struct code *code)
{
	uint64_t carried = 0, previous = 0, returned = 0;

	x->open.count = 0;
	for (size_t i = 0; i < code->count; i++) {
		const struct isa_insn *insn = &code->insns[i];
		uint64_t at = insn->address, count = number_in(&x->counts, at), left;

		if (i && previous + code->insns[i - 1].length != at) { /* data between */
			if (end_ranges(x, previous, carried))
				return -1;
			carried = 0;
		}
		if (count && repeats(x, insn))
			count = carried + returned + number_in(&x->arrived, at);
		if (count > carried ? vector_add(&x->open, (struct open_range){at, count - carried})
				    : end_ranges(x, previous, carried - count))
			return -1;
		left = left_at(x, insn, count);
		if (end_ranges(x, at, left))
			return -1;
		carried = count - left;
		returned = isa_is_call(insn->kind) ? count : 0;
		previous = at;
	}
	return end_ranges(x, previous, carried);
}

ORDER_BY(compare_functions, struct binary_function *const, order_numbers((*a)->begin, (*b)->begin));

/* The functions of what was executed, each once. */
static int trace_functions(struct exact *x)
{
	VECTOR(const struct binary_function *) hit = {0};
	struct code_cache *cache = code_cache_new(x->binary);
	const struct binary_function **f, *before = NULL;
	struct map_entry *i = NULL;
	int rc = cache ? 0 : -1;

	while (!rc && (i = map_next(&x->counts, i))) {
		const struct binary_function *here = binary_function_at(x->binary, i->a);

		if (!here || !i->n)
			continue;
		rc = vector_add(&hit, here);
	}
	vector_sort(&hit, compare_functions);
	vector_each (&hit, f) {
		const struct code *code;

		if (rc || *f == before)
			continue;
		before = *f;
		code = code_cache_get(cache, *f);
		rc = code ? trace_function(x, code) : -1;
	}
	vector_deinit(&hit);
	code_cache_free(cache);
	return rc;
}

int callgrind_input_read(struct binary *b, const uint8_t *data, size_t size, const char *name,
			 struct branch_profile *out, struct softlbr_error *e)
{
	struct callgrind c = {0};
	struct exact x = {.binary = b, .c = &c, .out = out};
	int rc;

	if (!binary_is_decoded(b))
		return error_set(e, SOFTLBR_E_INPUT, name,
				 "%s: exact counts become branches with the help of the code, and "
				 "%s is of a CPU that softlbr doesn't decode (ELF machine %u)",
				 name, binary_path(b), binary_machine(b));
	rc = callgrind_read_bytes(&c, data, size, name, e) ?: find_object(&x, name, e);
	if (!rc && (place_counts(&x) || place_transfers(&x) || trace_functions(&x)))
		rc = error_set_nomem(e);
	vector_deinit(&x.open);
	map_deinit(&x.counts);
	map_deinit(&x.taken);
	map_deinit(&x.arrived);
	callgrind_deinit(&c);
	return rc;
}

static int64_t module_of(const struct callgrind *c, uint32_t object, struct modules *modules)
{
	static const struct build_id unknown;

	return modules_add(modules, strings_text(c->strings, object), &unknown);
}

static int share_transfers(const struct callgrind *c, struct modules *modules, struct map *taken)
{
	const struct callgrind_transfer *t;
	const uint32_t *object;

	vector_each (&c->objects, object)
		if (module_of(c, *object, modules) < 0)
			return -1;
	vector_each (&c->transfers, t) {
		int64_t module = module_of(c, t->object, modules);

		if (module < 0 || map_add(taken, (uint64_t)module, 0, t->taken, 0))
			return -1;
	}
	return 0;
}

int callgrind_modules_read(const uint8_t *data, size_t size, const char *name,
			   struct modules *modules, struct map *taken, struct softlbr_error *e)
{
	struct callgrind c = {0};
	int rc = callgrind_read_bytes(&c, data, size, name, e);

	if (!rc && share_transfers(&c, modules, taken))
		rc = error_set_nomem(e);
	callgrind_deinit(&c);
	return rc;
}
