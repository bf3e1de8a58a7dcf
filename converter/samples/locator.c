/* SPDX-License-Identifier: MIT */
/*
 * Where a raw address of a recording is: in the binary, and at which of its virtual addresses, or
 * in what else. Remembers the code that it found last, where most of the next addresses are.
 */
#include "converter/samples/aggregate_private.h"

#include "converter/binary/binary.h"

void locator_init(struct locator *f, const struct aggregate_result *result,
		  struct aggregate_recording *recording, const struct address_space *space)
{
	*f = (struct locator){.result = result, .recording = recording, .space = space};
}

static uint64_t va_at(const struct locator *f, const struct address_map *map, uint64_t address)
{
	if (!f->result->binary)
		return address - map->start + map->file_offset;
	return address_map_to_va(map, &f->result->modules, f->result->binary, address);
}

/* From where on, and how far, addresses of @map are as far from their place in the binary as
 * @address is from @p. */
static void remember(struct locator *f, const struct address_map *map, uint64_t address,
		     const struct location *p)
{
	uint64_t before = address - map->start, first = va_at(f, map, map->start);
	size_t available = 0;

	f->begin = address;
	f->at_begin = *p;
	if (first == p->va - before && binary_code(f->result->binary, first, &available) &&
	    available > before) {
		f->begin = map->start;
		f->at_begin.va = first;
	} else if (!binary_code(f->result->binary, p->va, &available)) {
		available = 0;
	}
	f->bytes = map->end - f->begin;
	if (available < f->bytes)
		f->bytes = available;
}

static struct location look_up(struct locator *f, uint64_t address)
{
	const struct address_map *map = address_space_find(f->space, address);
	bool kernel = !map && address >> 63;
	struct location p = {.where = kernel ? LOCATION_KERNEL : LOCATION_NOTHING, .module = -1};

	if (f->recording->own_addresses) {
		p.where = binary_is_code(f->result->binary, address) ? LOCATION_BINARY : p.where;
		p.va = address;
		return p;
	}
	if (!map)
		map = address_space_find(address_history_kernel(&f->recording->history), address);
	if (!map)
		return p;
	p.module = map->module;
	if (!f->result->shares.items[map->module].is_binary) {
		p.where = kernel ? LOCATION_KERNEL : LOCATION_OTHER;
		return p;
	}
	p.va = va_at(f, map, address);
	p.where = p.va == BRANCH_OUTSIDE ? LOCATION_NOTHING : LOCATION_BINARY;
	if (p.where == LOCATION_BINARY && f->result->binary)
		remember(f, map, address, &p);
	return p;
}

struct location locator_find(struct locator *f, uint64_t address)
{
	struct location p;

	if (address - f->begin >= f->bytes)
		return look_up(f, address);
	p = f->at_begin;
	p.va += address - f->begin;
	return p;
}
