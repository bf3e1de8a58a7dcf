/* SPDX-License-Identifier: MIT */
/*
 * Propeller's profile: what clang -fbasic-block-sections=list=FILE reads, in two forms of text.
 *clang 16 reads version 0 alone, and passes version 1 over without a word; clang 19 and 22 read
 *both. Lines that begin with '#' are comments.
 *
 *	version 0		version 1
 *				v1
 *				m a.c		the source file of the next function
 *	!step/alias		f step alias
 *	!!0 2 5			c0 2 5		its hot blocks in order, by their ids
 *
 * Later versions of clang know a source file in version 0, too; clang 16 would take it for a part
 *of the name, so none is written.
 *
 * What a function has besides becomes step.cold. clang takes ids that there are none of, and passes
 * over functions and files that it does not have, all without a word.
 */
#pragma once

#include <stdio.h>

#include "formats/model/block_layout.h"
#include "softlbr/error.h"

enum propeller_form { PROPELLER_V0, PROPELLER_V1 };

/* Write all functions of @l. 0, or an error: SOFTLBR_E_EMPTY if there are none. The stream's own
 * errors are the caller's to look for. */
int propeller_write_blocks(const struct block_layout *l, enum propeller_form form, FILE *out,
			   struct softlbr_error *e);
/* Write their symbols in @order, of functions by number, and then those of the cold parts: what
 * ld.lld --symbol-ordering-file reads. */
int propeller_write_symbols(const struct block_layout *l, const uint32_t *order, FILE *out,
			    struct softlbr_error *e);
