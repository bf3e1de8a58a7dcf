/* SPDX-License-Identifier: MIT */
#include "isa/x86_64/op.h"

bool x86_select_vector(const struct x86_layout *l, struct isa_record *r)
{
	(void)l, (void)r;
	return false;
}
