/* SPDX-License-Identifier: MIT */
/*
 * From samples with values to the binary's value profile: those that softlbr evaluated are at their
 * sites; of registers that were sampled anywhere, a sample counts for each site that it lies in the
 * backward slice of.
 */
#include "base/order.h"
#include "converter/samples/value_samples.h"

#include "converter/binary/code.h"
#include "converter/samples/aggregate.h"
#include "converter/samples/aggregate_private.h"

/* A slice is not followed further: what stands there for so long is seldom a value of a site's. */
#define STEPS_MOST 128u

/* A sample of registers, in the binary. */
struct placed_sample {
	uint64_t va;
	const struct value_sample *sample;
};

struct value_resolver {
	struct aggregate_result *result;
	struct aggregate_recording *recording;
	struct binary *binary;
	struct value_profile *out;
	const struct value_samples *values;
	struct locator where;
	struct code_cache *cache;
	struct value_sites *sites;
	VECTOR(struct placed_sample) placed;
};

static struct location values_find(struct value_resolver *r, const struct address_space *space,
				   uint64_t address)
{
	if (r->where.space != space)
		locator_init(&r->where, r->result, r->recording, space);
	return locator_find(&r->where, address);
}

/* The low bytes of a register as the instruction takes them. */
static uint64_t part_of(uint64_t value, unsigned bytes, bool is_signed)
{
	unsigned unused = bytes && bytes < 8 ? 64 - bytes * 8 : 0;

	return is_signed ? (uint64_t)((int64_t)(value << unused) >> unused)
			 : value << unused >> unused;
}

static int add_arguments(struct value_resolver *r, const struct value_sample *s, uint64_t entry)
{
	uint16_t machine = binary_machine(r->binary);
	int arguments = value_sites_arguments(r->sites, entry), rc = arguments < 0 ? -1 : 0;
	uint64_t value;

	for (unsigned a = 0; !rc && arguments >> a; a++)
		if (arguments >> a & 1 &&
		    value_samples_register(r->values, s, operands_argument(machine, a), &value))
			rc = value_profile_add(r->out, entry, VALUE_ARGUMENT + a, value, s->runs,
					       true);
	return rc;
}

static uint64_t target_of(const struct location *at)
{
	return at->where == LOCATION_BINARY ? at->va : VALUE_ELSEWHERE;
}

static int add_evaluated(struct value_resolver *r, const struct value_sample *s, uint64_t va,
			 const struct location *target)
{
	struct value_instruction insn;
	uint64_t value;
	int rc = 0;

	value_sites_instruction(r->sites, va, &insn);
	if (insn.divides)
		return value_profile_add(r->out, va, VALUE_DIVISOR, s->address, s->runs, true);
	if (!insn.calls || !value_sites_may_call(r->sites, va, target_of(target)))
		return 0;
	if (insn.indirect)
		rc = value_profile_add(r->out, va, VALUE_TARGET, target_of(target), s->runs, true);
	if (!rc && insn.size != VALUE_SITES_NO_SIZE &&
	    value_samples_register(r->values, s,
				   operands_argument(binary_machine(r->binary), insn.size), &value))
		rc = value_profile_add(r->out, va, VALUE_SIZE, value, s->runs, true);
	if (!rc && target->where == LOCATION_BINARY)
		rc = add_arguments(r, s, target->va);
	return rc;
}

ORDER_BY(values_compare, struct placed_sample, ORDER_UP(va) ?: ORDER_UP(sample));

/* The first of those from @begin to @end that is not before @va. */
static size_t first_at(const struct value_resolver *r, size_t begin, size_t end, uint64_t va)
{
	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;

		if (r->placed.items[middle].va < va)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

/* All samples at the instruction where @at is now, for the place @of. */
static int add_samples_at(struct value_resolver *r, const struct value_place *of,
			  const struct value_place *at, uint64_t va, size_t begin, size_t end)
{
	int rc = 0;

	for (size_t i = first_at(r, begin, end, va); !rc && i < end && r->placed.items[i].va == va;
	     i++) {
		const struct value_sample *s = r->placed.items[i].sample;
		uint64_t value;

		if (!value_samples_register(r->values, s, at->reg, &value))
			continue;
		value = part_of(value, at->bytes, at->is_signed);
		if (of->kind == VALUE_TARGET) {
			struct location to = values_find(r, s->space, value);

			value = target_of(&to);
			if (!value_sites_may_call(r->sites, of->va, value))
				continue;
		}
		if (of->kind == VALUE_DIVISOR && !value)
			continue; /* it never comes to the division */
		rc = value_profile_add(r->out, of->va, of->kind, value, s->runs,
				       at->insn == of->insn);
	}
	return rc;
}

static int add_slice(struct value_resolver *r, const struct code *c, const struct value_place *of,
		     size_t begin, size_t end)
{
	struct value_place at = *of;
	unsigned left = STEPS_MOST;
	int rc;

	do {
		rc = add_samples_at(r, of, &at, c->insns[at.insn].address, begin, end);
	} while (!rc && left-- && value_sites_step_back(r->sites, &at));
	return rc;
}

/* The samples from @begin on that are in one function; *end is behind them. */
static int add_function(struct value_resolver *r, size_t begin, size_t *end)
{
	const struct binary_function *f = binary_function_at(r->binary, r->placed.items[begin].va);
	const struct value_place *places;
	const struct code *c;
	size_t count;
	int rc = 0;

	*end = begin + 1;
	if (!f)
		return 0;
	*end = first_at(r, begin, r->placed.count, f->end);
	c = code_cache_get(r->cache, f);
	if (!c || value_sites_read(r->sites, f))
		return -1;
	places = value_sites_places(r->sites, &count);
	for (size_t i = 0; !rc && i < count; i++)
		rc = add_slice(r, c, &places[i], begin, *end);
	return rc;
}

static int add_slices(struct value_resolver *r)
{
	int rc = 0;

	vector_sort(&r->placed, values_compare);
	for (size_t begin = 0, end; !rc && begin < r->placed.count; begin = end)
		rc = add_function(r, begin, &end);
	return rc;
}

static int add_samples(struct value_resolver *r)
{
	const struct value_sample *s;

	vector_each (&r->values->items, s) {
		struct location at = values_find(r, s->space, s->ip), to;

		if (at.where != LOCATION_BINARY)
			continue;
		if (s->evaluated) {
			to = values_find(r, s->space, s->address);
			if (add_evaluated(r, s, at.va, &to))
				return -1;
		} else {
			if (vector_add(&r->placed, (struct placed_sample){at.va, s}))
				return -1;
		}
	}
	return add_slices(r);
}

int value_resolve_recording(struct aggregate_result *result, struct aggregate_recording *recording)
{
	struct value_resolver r = {.result = result,
				   .recording = recording,
				   .binary = result->binary,
				   .out = &result->values,
				   .values = &recording->history.values};
	int rc = -1;

	if (!result->binary || !r.values->items.count || !value_sites_are_known(result->binary))
		return 0;
	r.cache = code_cache_new(result->binary);
	r.sites = r.cache ? value_sites_new(result->binary, r.cache) : NULL;
	if (r.sites)
		rc = add_samples(&r);
	vector_deinit(&r.placed);
	value_sites_free(r.sites);
	code_cache_free(r.cache);
	return rc;
}
