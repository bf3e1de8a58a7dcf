/* SPDX-License-Identifier: MIT */
#include "converter/pipeline/branch_output.h"

#include "formats/preagg.h"

static bool same_function(void *context, uint64_t from, uint64_t to)
{
	const struct binary_function *f = binary_function_at(context, from);

	return f && to >= f->begin && to < f->end;
}

int branch_output_preagg_to(struct binary *b, const struct branch_profile *p, FILE *out,
			    struct softlbr_error *e)
{
	return preagg_write_to(p, same_function, b, out, e);
}

int branch_output_preagg(struct binary *b, const struct branch_profile *p, const char *path,
			 struct softlbr_error *e)
{
	return preagg_write(p, same_function, b, path, e);
}
