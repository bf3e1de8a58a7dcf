/* SPDX-License-Identifier: MIT */
#include "converter/gcc/files/counter_profile.h"

#include <stddef.h>

#include "base/memory.h"

void counter_profile_deinit(struct counter_profile *p)
{
	struct counter_function *f;
	struct counter_set *s;

	vector_each (&p->functions, f) {
		vector_each (&f->sets, s)
			vector_deinit(&s->counts);
		vector_deinit(&f->sets);
	}
	vector_deinit(&p->functions);
}

struct counter_function *counter_profile_add(struct counter_profile *p)
{
	return vector_push(&p->functions);
}

struct counter_set *counter_function_add(struct counter_function *f, enum counter_kind kind)
{
	struct counter_set *s = vector_push(&f->sets);

	if (s)
		s->kind = kind;
	return s;
}

const struct counter_set *counter_function_set(const struct counter_function *f,
					       enum counter_kind kind)
{
	const struct counter_set *s;

	vector_each (&f->sets, s)
		if (s->kind == kind)
			return s;
	return NULL;
}

const struct counter_function *counter_profile_function(const struct counter_profile *p,
							uint32_t ident)
{
	const struct counter_function *f;

	vector_each (&p->functions, f)
		if (!f->absent && f->ident == ident)
			return f;
	return NULL;
}
