/* SPDX-License-Identifier: MIT */
#include <argp.h>
#include <errno.h>
#include <string.h>

#include "cli/cli.h"
#include "converter/elf/debug_search.h"

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
