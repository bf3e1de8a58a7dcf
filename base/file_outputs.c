/* SPDX-License-Identifier: MIT */
#include "base/file_outputs.h"

#include "base/error.h"
#include "base/memory.h"

int file_outputs_open(struct file_outputs *o, const char *path, FILE **stream,
		      struct softlbr_error *e)
{
	struct file_output *output = vector_push(&o->list);
	int rc = output ? file_output_open(output, path, e) : error_set_nomem(e);

	*stream = rc ? NULL : output->stream;
	return rc;
}

int file_outputs_finish(struct file_outputs *o, struct softlbr_error *e)
{
	return file_output_finish(&o->list.items[o->list.count - 1], e);
}

int file_outputs_hand_over(struct file_outputs *o, struct file_outputs *to, struct softlbr_error *e)
{
	struct file_output *output;

	if (vector_reserve(&to->list, o->list.count)) {
		file_outputs_abandon(o);
		return error_set_nomem(e);
	}
	vector_each (&o->list, output)
		*vector_push(&to->list) = *output;
	vector_deinit(&o->list);
	return 0;
}

int file_outputs_commit(struct file_outputs *o, struct softlbr_error *e)
{
	struct file_output *output;
	int rc = 0;

	vector_each (&o->list, output)
		rc = file_output_end(output, rc, e);
	vector_deinit(&o->list);
	return rc;
}

void file_outputs_abandon(struct file_outputs *o)
{
	struct file_output *output;

	vector_each (&o->list, output)
		file_output_abandon(output);
	vector_deinit(&o->list);
}
