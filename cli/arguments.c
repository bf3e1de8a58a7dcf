/* SPDX-License-Identifier: MIT */
/* Arguments that several commands take. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/cli.h"
#include "converter/elf/debug_search.h"

size_t cli_rows(const char *text, struct argp_state *state)
{
	unsigned long rows;
	char *end;

	errno = 0;
	rows = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-')
		argp_error(state, "--top=%s: expected a number", text);
	return rows;
}

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

int cli_path_prefix(struct debug_search *search, char *text, struct argp_state *state)
{
	char *equals = strchr(text, '=');
	struct debug_prefix *prefix;

	if (!equals || equals == text)
		argp_error(state, "--path-prefix=%s: expected OLD=NEW", text);
	prefix = vector_push(&search->prefixes);
	if (!prefix || !equals)
		return ENOMEM;
	*equals = '\0';
	*prefix = (struct debug_prefix){text, equals + 1};
	return 0;
}

size_t cli_choice(const char *option, const char *const *names, const char *text,
		  struct argp_state *state)
{
	char known[160] = "";

	for (size_t i = 0; names[i]; i++) {
		if (!strcmp(text, names[i]))
			return i;
		error_add_name(known, sizeof(known), names[i]);
	}
	argp_error(state, "--%s=%s: expected one of %s", option, text, known);
	return 0;
}

enum profile_kind cli_input_format(const char *text, bool (*is)(enum profile_kind kind),
				   struct argp_state *state)
{
	enum profile_kind kind = profile_kind_named(text);
	char known[PROFILE_KIND_NAMES_BYTES];

	if (kind == PROFILE_UNKNOWN || (is && !is(kind)))
		argp_error(state, "--input-format=%s: expected one of %s", text,
			   profile_kind_names(is, known));
	return kind;
}

enum frequencies cli_frequencies(const char *text, struct argp_state *state)
{
	static const char *const names[] = {
		[FREQUENCIES_RAW] = "raw",
		[FREQUENCIES_AUTO] = "auto",
		[FREQUENCIES_REWEIGHT] = "reweight",
		[FREQUENCIES_CHAIN] = "chain",
		NULL,
	};

	return (enum frequencies)cli_choice("frequencies", names, text, state);
}
