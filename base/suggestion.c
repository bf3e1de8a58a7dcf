/* SPDX-License-Identifier: MIT */
#include "base/suggestion.h"

#include <string.h>

#define LETTERS 32 /* longer words are no misspelt names */

void suggestion_begin(struct suggestion *s, const char *word)
{
	size_t length = strlen(word);

	*s = (struct suggestion){.word = word, .distance = length > LETTERS ? 0 : length / 3 + 1};
	if (s->distance < 2)
		s->distance = 2;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t distance_between(const char *a, size_t as, const char *b, size_t bs)
{
	size_t d[LETTERS + 1][LETTERS + 1];

	for (size_t i = 0; i <= as; i++) {
		for (size_t j = 0; j <= bs; j++) {
			if (!i || !j) {
				d[i][j] = i + j;
				continue;
			}
			d[i][j] = smaller(d[i - 1][j], d[i][j - 1]) + 1;
			d[i][j] = smaller(d[i][j], d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = smaller(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[as][bs];
}

void suggestion_offer(struct suggestion *s, const char *name)
{
	size_t word_length = strlen(s->word), name_length = strlen(name), distance;

	if (word_length > LETTERS || name_length > LETTERS)
		return;
	distance = distance_between(s->word, word_length, name, name_length);
	if (distance >= s->distance)
		return;
	s->distance = distance;
	s->nearest = name;
}
