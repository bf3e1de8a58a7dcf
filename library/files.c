/* SPDX-License-Identifier: MIT */
/* softlbr/profile.h: the version, and files as a whole. */
#include "base/error.h"
#include "base/memory.h"
#include "converter/pipeline/merge.h"
#include "library/private.h"

unsigned softlbr_profile_api(void)
{
	return SOFTLBR_PROFILE_API;
}

const char *softlbr_profile_format(const char *path, struct softlbr_error *e)
{
	enum profile_kind kind = PROFILE_UNKNOWN;
	struct file_view view = {0};
	int rc;

	e = library_error(e);
	rc = profile_kind_open(path, &kind, &view, e);
	file_view_close(&view);
	return rc ? NULL : profile_kind_name(kind);
}

int softlbr_profile_merge(const struct softlbr_merge_input *inputs, size_t count,
			  const char *binary, const char *output, struct softlbr_error *e)
{
	struct merge_options how = {.binary_path = binary};
	struct merge_input *list = memory_alloc_array(count + 1, sizeof(*list));
	int rc;

	e = library_error(e);
	if (!list)
		return error_set_nomem(e);
	for (size_t i = 0; i < count; i++)
		list[i] = (struct merge_input){.path = inputs[i].path,
					       .weight = inputs[i].weight ? inputs[i].weight : 1};
	rc = merge_files(list, count, &how, output, e);
	memory_free(list);
	return rc;
}
