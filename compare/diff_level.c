/* SPDX-License-Identifier: MIT */
#include "compare/diff_level.h"

#include <string.h>

static const struct {
	const char *name, *meaning;
} levels[DIFF_LEVELS] = {
	[DIFF_FUNCTION] = {"function", "function weights"},
	[DIFF_LINE] = {"line", "source lines, by inline stack"},
	[DIFF_EDGE] = {"edge", "taken branches and fall-throughs of conditional jumps"},
	[DIFF_BRANCH] = {"branch", "taken branches"},
	[DIFF_WITHIN] = {"within", "edges within each function"},
	[DIFF_JUMP] = {"jump", "conditional jumps, taken and not taken"},
	[DIFF_CALL] = {"call", "calls and their targets"},
};

const char *diff_level_name(enum diff_level level)
{
	return levels[level].name;
}

const char *diff_level_meaning(enum diff_level level)
{
	return levels[level].meaning;
}

enum diff_level diff_level_of(const char *name)
{
	int level = 0;

	while (level < DIFF_LEVELS && strcmp(levels[level].name, name))
		level++;
	return (enum diff_level)level;
}

void diff_level_scores(const struct edge_score *s, double scores[DIFF_LEVELS])
{
	scores[DIFF_FUNCTION] = s->function;
	scores[DIFF_EDGE] = s->edge;
	scores[DIFF_BRANCH] = s->branch;
	scores[DIFF_WITHIN] = s->within;
	scores[DIFF_JUMP] = s->jump;
	scores[DIFF_CALL] = s->call;
}
