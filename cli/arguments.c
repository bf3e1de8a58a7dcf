/* SPDX-License-Identifier: MIT */
/* Arguments that several commands take. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "converter/elf/debug_search.h"
#include "converter/pipeline/verdict.h"
#include "formats/profile_kind.h"

const char *const cli_frequencies[] = {
	[FREQUENCIES_RAW] = "raw",
	[FREQUENCIES_AUTO] = "auto",
	[FREQUENCIES_REWEIGHT] = "reweight",
	[FREQUENCIES_CHAIN] = "chain",
	NULL,
};

/* Is it a comma and a number that no file's name ends in? */
static bool has_weight(const char *argument, const char *comma)
{
	const char *digits = comma ? comma + 1 + (comma[1] == '-') : "";

	return *digits && strspn(digits, "0123456789") == strlen(digits) && access(argument, F_OK);
}

bool cli_weighted_file(char *argument, uint64_t *weight, struct argp_state *state)
{
	char *comma = strrchr(argument, ','), *end;
	bool negative;

	if (!has_weight(argument, comma))
		return false;
	negative = comma[1] == '-';
	errno = 0;
	*weight = strtoull(comma + 1 + negative, &end, 10);
	if (errno || !*weight || *weight > UINT32_MAX)
		argp_error(state,
			   "--profile=%s: the weight must be from 1 to %u, or from -1 to -%u "
			   "to subtract",
			   argument, UINT32_MAX, UINT32_MAX);
	*comma = '\0';
	return negative;
}

error_t cli_directory(void *path, const struct option_row *o, char *text, struct argp_state *state)
{
	struct stat is;

	if (stat(text, &is) || !S_ISDIR(is.st_mode))
		argp_error(state, "--%s=%s: there is no such directory", o->name, text);
	*(const char **)path = text;
	return 0;
}

error_t cli_path_prefix(void *search, const struct option_row *o, char *text,
			struct argp_state *state)
{
	struct debug_search *s = search;
	char *equals = strchr(text, '=');
	struct debug_prefix *prefix;

	if (!equals || equals == text)
		argp_error(state, "--%s=%s: expected OLD=NEW", o->name, text);
	prefix = vector_push(&s->prefixes);
	if (!prefix || !equals)
		return ENOMEM;
	*equals = '\0';
	*prefix = (struct debug_prefix){text, equals + 1};
	return 0;
}

error_t cli_input_format(void *kind, const struct option_row *o, char *text,
			 struct argp_state *state)
{
	bool (*is)(enum profile_kind) = o->value ? profile_kind_is_recording : NULL;
	enum profile_kind named = profile_kind_named(text);
	char known[PROFILE_KIND_NAMES_BYTES];

	if (named == PROFILE_UNKNOWN || (is && !is(named)))
		argp_error(state, "--%s=%s: expected one of %s", o->name, text,
			   profile_kind_names(is, known));
	*(enum profile_kind *)kind = named;
	return 0;
}

error_t cli_limit(void *verdict, const struct option_row *o, char *text, struct argp_state *state)
{
	enum verdict_figure figure = (enum verdict_figure)o->value;
	bool percent = !verdict_is_count(figure);
	char *end;
	double number = strtod(text, &end);

	if (*end || end == text || !(number >= 0) || (percent && number > 100))
		argp_error(state, "--%s=%s: expected a %s", o->name, text,
			   percent ? "percentage from 0 to 100" : "number");
	verdict_limit(verdict, figure, percent ? number / 100 : number);
	return 0;
}
