/* SPDX-License-Identifier: MIT */
#include "converter/gcc/keys/response_file.h"

#include <string.h>

#include "base/file.h"
#include "base/memory.h"

/* Files may name files, but not without end. */
#define DEPTH_MOST 50

static bool is_blank(char c)
{
	return c && strchr(" \t\n\r\v\f", c);
}

/* The word at *at, unquoted in place, and *at behind it. */
static char *cut_word(char **at)
{
	char *word = *at, *to = word, *from = word;
	char quote = 0;

	for (; *from && (quote || !is_blank(*from)); from++) {
		if (*from == '\\' && from[1])
			*to++ = *++from;
		else if (quote ? *from == quote : *from == '\'' || *from == '"')
			quote = quote ? 0 : *from;
		else
			*to++ = *from;
	}
	*at = *from ? from + 1 : from;
	*to = 0;
	return word;
}

static int add(struct gcc_command *c, const char *word, unsigned depth);

static int add_words(struct gcc_command *c, char *text, unsigned depth)
{
	int rc = 0;

	while (!rc) {
		while (is_blank(*text))
			text++;
		if (!*text)
			break;
		rc = add(c, cut_word(&text), depth + 1);
	}
	return rc;
}

static int add(struct gcc_command *c, const char *word, unsigned depth)
{
	struct softlbr_error ignored = {0};
	struct file_view v;
	char *text;
	int rc;

	if (*word != '@' || depth == DEPTH_MOST || file_view_open(&v, word + 1, &ignored))
		return gcc_command_add(c, word);
	text = memory_alloc(v.size + 1);
	if (text)
		memcpy(text, v.data, v.size);
	file_view_close(&v);
	rc = text ? add_words(c, text, depth) : -1;
	memory_free(text);
	return rc;
}

int response_file_add(struct gcc_command *c, const char *word)
{
	return add(c, word, 0);
}
