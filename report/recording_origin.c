/* SPDX-License-Identifier: MIT */
#include "report/recording_origin.h"

#include "formats/perfdata.h"

void recording_origin_state(struct document *s, const struct file_view *view, const char *path)
{
	struct softlbr_error none = {0};
	struct perfdata_reader *r = perfdata_open_bytes(view->data, view->size, path, &none);
	const struct perfdata_info *info;

	if (!r)
		return;
	info = perfdata_info(r);
	if (info->comment)
		document_fact_text(s, "recorder", "recorder", info->comment);
	if (info->command)
		document_fact_text(s, "command", "command", info->command);
	perfdata_close(r);
}
