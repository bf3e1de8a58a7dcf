/* SPDX-License-Identifier: MIT */
#include "converter/binary/code.h"

#include "base/memory.h"

struct code_cache {
	struct binary *binary;
	const struct binary_function *functions;
	size_t count;
	struct code **codes; /* by function number; NULL = not asked for yet */
};

size_t code_find(const struct code *c, uint64_t va)
{
	size_t low = 0, high = c->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (c->insns[middle].address < va)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->count && c->insns[low].address == va ? low : CODE_NONE;
}

static int sweep(struct binary *b, struct code *c)
{
	VECTOR(struct isa_insn) insns = {0};
	uint64_t at = c->function->begin, end = c->function->end;
	size_t available = 0;
	int rc = 0;

	c->gaps = !binary_is_decoded(b);
	/* All of it from one segment, so that its bytes are one array. */
	if (!binary_code(b, at, &available) || available < end - at) {
		c->gaps = true;
		end = at + available;
	}
	while (at < end) {
		struct isa_insn insn;

		if (!binary_decode(b, at, &insn) || insn.length > end - at) {
			c->gaps = true;
			at++;
			continue;
		}
		rc = vector_add(&insns, insn);
		if (rc)
			break;
		at += insn.length;
	}
	c->insns = insns.items;
	c->count = insns.count;
	return rc;
}

static int find_stops(struct code *c)
{
	c->stops = memory_alloc_array(c->count ? c->count : 1, sizeof(*c->stops));
	if (!c->stops || c->count > UINT32_MAX)
		return -1;
	for (size_t i = c->count; i-- > 0;) {
		const struct isa_insn *insn = &c->insns[i];
		bool runs_on = i + 1 < c->count && !code_stops(insn->kind) &&
			       insn->address + insn->length == insn[1].address;

		c->stops[i] = runs_on ? c->stops[i + 1] : (uint32_t)i;
	}
	return 0;
}

static void code_free(struct code *c)
{
	if (!c)
		return;
	memory_free(c->insns);
	memory_free(c->stops);
	memory_free(c);
}

struct code_cache *code_cache_new(struct binary *b)
{
	struct code_cache *c = memory_alloc(sizeof(*c));

	if (!c)
		return NULL;
	c->binary = b;
	c->functions = binary_functions(b, &c->count);
	c->codes = memory_alloc_array(c->count ? c->count : 1, sizeof(struct code *));
	if (!c->codes) {
		memory_free(c);
		return NULL;
	}
	return c;
}

void code_cache_free(struct code_cache *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->count; i++)
		code_free(c->codes[i]);
	memory_free(c->codes);
	memory_free(c);
}

const struct code *code_cache_get(struct code_cache *c, const struct binary_function *f)
{
	struct code **slot = &c->codes[f - c->functions];
	struct code *code = *slot;

	if (code)
		return code;
	code = memory_alloc(sizeof(*code));
	if (!code)
		return NULL;
	code->function = f;
	if (sweep(c->binary, code) || find_stops(code)) {
		code_free(code);
		return NULL;
	}
	*slot = code;
	return code;
}
