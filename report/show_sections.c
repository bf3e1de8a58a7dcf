/* SPDX-License-Identifier: MIT */
/* The sections that are asked for and those that a file can have; lines that no section shows. */
#include "base/error.h"
#include "report/show_private.h"

static const char *const section_names[SHOW_SECTIONS] = {
	[SHOW_FUNCTIONS] = "functions", [SHOW_LINES] = "lines",		[SHOW_CALLS] = "calls",
	[SHOW_BRANCHES] = "branches",	[SHOW_RANGES] = "ranges",	[SHOW_MODULES] = "modules",
	[SHOW_VALUES] = "values",	[SHOW_ARGUMENTS] = "arguments",
};

const char *show_section_name(enum show_section section)
{
	return section < SHOW_SECTIONS ? section_names[section] : NULL;
}

bool show_wants(const struct show *s, enum show_section section, unsigned usual)
{
	unsigned asked = s->options->sections;

	if (!asked && (s->options->function || s->options->source_directory))
		return false;
	return (asked ? asked : usual) & 1u << section;
}

int show_check(const struct show *s, unsigned possible, const char *why, struct softlbr_error *e)
{
	const char *path = s->options->path;

	for (unsigned i = 0; i < SHOW_SECTIONS; i++)
		if (s->options->sections & ~possible & 1u << i)
			return error_set(e, SOFTLBR_E_INPUT, path, "%s cannot be shown by %s: %s",
					 path, section_names[i], why);
	if ((s->options->function || s->options->source_directory) &&
	    !(possible & 1u << SHOW_LINES))
		return error_set(e, SOFTLBR_E_INPUT, path, "%s has no lines of source: %s", path,
				 why);
	return 0;
}

void show_damage(struct show *s, const struct aggregate_damage *damage)
{
	if (damage->lines) {
		document_fact_number(s->out, "damaged_lines", "damaged lines", damage->lines);
		document_fact_number(s->out, "first_damaged_line", "first damaged line",
				     damage->first);
	}
	if (damage->samples_unnamed)
		document_fact_number(s->out, "samples_unnamed", "of no known process",
				     damage->samples_unnamed);
}
