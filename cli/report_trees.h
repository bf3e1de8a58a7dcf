/* SPDX-License-Identifier: MIT */
/* --to of softlbr report: the call tree in files for other tools. */
#ifndef CLI_REPORT_TREES_H
#define CLI_REPORT_TREES_H

#include <argp.h>

#include "base/file_guard.h"
#include "base/vector.h"
#include "formats/model/call_tree.h"

struct cli_tree_output {
	unsigned format;
	const char *path;
};

struct cli_tree_outputs {
	VECTOR(struct cli_tree_output) list;
};

/* Take "FORMAT=FILE". */
void cli_tree_output_add(struct cli_tree_outputs *o, const char *text, struct argp_state *state);
/* Before anything is read: what they are must not be what is read, nor files of another kind. */
int cli_tree_outputs_check(const struct cli_tree_outputs *o, struct file_guard *g, bool force,
			   struct softlbr_error *e);
/* All or none. @name is what the profile is called. */
int cli_tree_outputs_write(const struct cli_tree_outputs *o, const struct call_tree *t,
			   const char *name, struct softlbr_error *e);

#endif
