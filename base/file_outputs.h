/* SPDX-License-Identifier: MIT */
/* Outputs that appear together: each is written to its temporary file, and none is renamed before
 * all are whole. */
#ifndef BASE_FILE_OUTPUTS_H
#define BASE_FILE_OUTPUTS_H

#include "base/file.h"
#include "base/vector.h"

struct file_outputs {
	VECTOR(struct file_output) list;
};

/* Begin the next one, whose stream is *stream until file_outputs_finish. */
int file_outputs_open(struct file_outputs *o, const char *path, FILE **stream,
		      struct softlbr_error *e);
/* The last one that was begun is written. On failure it is gone. */
int file_outputs_finish(struct file_outputs *o, struct softlbr_error *e);
/* Hand all over to @to; without memory they are gone. */
int file_outputs_hand_over(struct file_outputs *o, struct file_outputs *to,
			   struct softlbr_error *e);
/* Rename all, and forget them. On failure the others are gone. */
int file_outputs_commit(struct file_outputs *o, struct softlbr_error *e);
/* Give up those that were not committed; nothing is left behind. */
void file_outputs_abandon(struct file_outputs *o);

#endif
