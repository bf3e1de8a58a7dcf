/* SPDX-License-Identifier: MIT */
#include "collector/core/site_values.h"

#include <stddef.h>

void site_values_begin(struct site_values *v)
{
	v->count = 0;
	v->met = 0;
}

/* xorshift64*: good enough to choose by, and without state elsewhere. */
static uint64_t draw(struct site_values *v)
{
	uint64_t x = v->random ? v->random : UINT64_C(0x9e3779b97f4a7c15);

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	v->random = x;
	return x * UINT64_C(0x2545f4914f6cdd1d) >> 32;
}

/* Where the next one goes, NULL if it is not kept: reservoir sampling. */
static struct site_value *place(struct site_values *v)
{
	uint64_t at = v->met++;

	if (v->count < v->most)
		return &v->items[v->count++];
	at = draw(v) % (at + 1);
	return at < v->most ? &v->items[at] : NULL;
}

void site_values_call(struct site_values *v, uint64_t site, const struct isa_state *s)
{
	struct site_value *to = place(v);

	if (!to)
		return;
	to->site = site;
	to->value = isa_state_pc(s);
	to->has_arguments = isa_state_arguments(s, to->arguments);
}

void site_values_division(struct site_values *v, const struct isa_record *r, struct isa_state *s,
			  const struct isa_memory *m)
{
	struct site_value *to;
	uint64_t divisor;

	if (!isa_state_divisor(r, s, m, &divisor))
		return;
	to = place(v);
	if (to)
		*to = (struct site_value){.site = isa_state_pc(s), .value = divisor};
}

uint64_t site_values_share(const struct site_values *v, unsigned i)
{
	return v->met / v->count + (i < v->met % v->count);
}
