/* SPDX-License-Identifier: MIT */
#include "collector/inside/life/exec_environment.h"

#include <stdbool.h>
#include <string.h>

#include "collector/shared/program_file.h"
#include "collector/shared/session.h"

#define PRELOAD "LD_PRELOAD="

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool is_session(const char *entry)
{
	return begins(entry, SESSION_ENVIRONMENT "=");
}

/* The names in LD_PRELOAD end at these (ld.so(8)). */
static size_t name_length(const char *list)
{
	size_t n = 0;

	while (list[n] && list[n] != ':' && list[n] != ' ')
		n++;
	return n;
}

static bool is_library(const char *name, size_t length, const char *library)
{
	return length == strlen(library) && !memcmp(name, library, length);
}

/* @list without the names that are ours, into @out; how many are left. The recorder puts
 * AddressSanitizer's library before the collector, for a command that needs it (sanitizer.c). */
static unsigned strip(const char *list, const char *library, char *out)
{
	const char *last = NULL; /* the name before, if it was kept, */
	char *before = out;	 /* and what was written before it */
	unsigned kept = 0;

	for (const char *at = list;; at++) {
		size_t length = name_length(at);

		if (!is_library(at, length, library)) {
			before = out;
			if (kept++)
				*out++ = at[-1];
			memcpy(out, at, length);
			out += length;
			last = at;
		} else if (last && program_file_is_first_library(last)) {
			out = before;
			kept--;
			last = NULL;
		}
		at += length;
		if (!*at)
			break;
	}
	*out = 0;
	return kept;
}

size_t exec_environment_bytes(char *const *from, const char *library)
{
	size_t bytes = sizeof(char *);
	bool changes = false;

	for (; from && *from; from++) {
		bytes += sizeof(char *);
		if (begins(*from, PRELOAD)) {
			bytes += strlen(*from) + 1;
			changes |= strstr(*from, library) != NULL;
		}
		changes |= is_session(*from);
	}
	return changes ? bytes : 0;
}

char **exec_environment_make(char *const *from, const char *library, void *room)
{
	char **made = room, **to = made, *text;
	size_t count = 1;

	while (from[count - 1])
		count++;
	text = (char *)(made + count);
	for (; *from; from++) {
		if (is_session(*from))
			continue;
		*to++ = *from;
		if (!begins(*from, PRELOAD))
			continue;
		strcpy(text, PRELOAD);
		if (!strip(*from + strlen(PRELOAD), library, text + strlen(PRELOAD))) {
			to--;
			continue;
		}
		to[-1] = text;
		text += strlen(text) + 1;
	}
	*to = NULL;
	return made;
}
