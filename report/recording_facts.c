/* SPDX-License-Identifier: MIT */
/* What a recording says of itself: who made it, and how long each of its events was counted. */
#include "report/recorded_modules.h"

#include <stdio.h>

#include "formats/perfdata.h"

static uint64_t scaled(const struct aggregate_event *e)
{
	unsigned __int128 product = (unsigned __int128)e->count * e->enabled_ns;

	product = e->running_ns ? product / e->running_ns : e->count;
	return product > UINT64_MAX ? UINT64_MAX : (uint64_t)product;
}

static void put_event(struct document *s, const struct aggregate_event *e)
{
	document_put_number(s, e->samples);
	document_put_number(s, e->count);
	if (e->enabled_ns) {
		document_put_number(s, scaled(e));
		document_put_real(s, (double)e->enabled_ns / 1e9);
		document_put_real(s, (double)e->running_ns / 1e9);
		document_put_share(s, e->running_ns, e->enabled_ns);
	} else {
		for (unsigned i = 0; i < 4; i++)
			document_put_none(s);
	}
	document_put_text(s, e->name);
}

static void warn(struct document *s, const struct aggregate_result *r)
{
	const struct aggregate_event *e;
	char names[400] = "";
	size_t used = 0;

	vector_each (&r->events, e)
		if ((double)e->running_ns < RECORDING_FACTS_ENOUGH * (double)e->enabled_ns &&
		    used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
						 used ? ", " : "", e->name);
	if (used)
		document_fact_text(s, "hardly_counted",
				   "counted for less than a quarter of the time", names);
}

void recording_facts_put_events(struct document *s, const struct aggregate_result *r, size_t top)
{
	const struct aggregate_event *e;

	warn(s, r);
	document_table(s, "events", "Events",
		       "samples, count, scaled, enabled: enabled s, running: running s, "
		       "running_share: running, event");
	vector_each (&r->events, e)
		put_event(s, e);
	document_rank(s, 0, top);
}

void recording_facts_put_copied(struct document *s, const struct aggregate_result *r)
{
	char text[MODULES_COPIED_BYTES];

	if (modules_copied(&r->modules, text))
		document_fact_text(s, "copied_code", "note", text);
}

void recording_facts_put_verdict(struct document *s, const struct verdict *v)
{
	char why[VERDICT_TEXT_BYTES];

	document_fact_text(s, "verdict", "verdict", verdict_name(v));
	verdict_explain(v, why);
	if (*why)
		document_fact_text(s, "why", "why", why);
}

void recording_facts_put_origin(struct document *s, const struct file_view *view, const char *path)
{
	struct softlbr_error none = {0};
	struct perfdata_reader *r = perfdata_open_view(view, path, &none);
	const struct perfdata_info *info;

	if (!r)
		return;
	info = perfdata_info(r);
	if (info->comment)
		document_fact_text(s, "recorder", "recorder", info->comment);
	if (info->host)
		document_fact_text(s, "host", "host", info->host);
	if (info->command)
		document_fact_text(s, "command", "command", info->command);
	perfdata_close(r);
}
