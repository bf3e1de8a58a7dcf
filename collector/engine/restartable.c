/* SPDX-License-Identifier: MIT */
#include "collector/engine/restartable.h"

#include "base/atomics.h"

static bool contains(const struct restartable *r, uint64_t address)
{
	/* acquires the release in restartable_add */
	uint32_t count = atomic_read_acquire(&r->count);

	for (uint32_t i = 0; i < count; i++)
		if (address - r->ranges[i].begin < r->ranges[i].end - r->ranges[i].begin)
			return true;
	return atomic_read_relaxed(&r->learnt[address % RESTARTABLE_LEARNT]) == address;
}

bool restartable_allows(struct restartable *r, uint64_t address)
{
	return (!r->look || r->look(r, address)) && !contains(r, address);
}

void restartable_learn(struct restartable *r, uint64_t address)
{
	atomic_write_release(&r->learnt[address % RESTARTABLE_LEARNT], address);
}

void restartable_add(struct restartable *r, uint64_t begin, uint64_t end)
{
	uint32_t count = atomic_read_relaxed(&r->count);

	for (uint32_t i = 0; i < count; i++)
		if (r->ranges[i].begin == begin && r->ranges[i].end == end)
			return;
	if (count == RESTARTABLE_RANGES)
		return; /* what is beyond is learnt when it is met */
	r->ranges[count] = (struct restartable_range){begin, end};
	atomic_write_release(&r->count, count + 1);
}
