/* SPDX-License-Identifier: MIT */
#include "base/printable.h"

#include <stddef.h>
#include <string.h>

/* How many bytes at @at are a control character; 0 = none. */
static size_t control_bytes(const char *at)
{
	const unsigned char *byte = (const unsigned char *)at;

	if (byte[0] == 0xc2 && byte[1] >= 0x80 && byte[1] < 0xa0)
		return 2;
	return byte[0] < ' ' || byte[0] == 0x7f;
}

void printable_put_bytes(FILE *stream, const char *text, size_t bytes)
{
	const char *end = text + bytes;

	while (text < end) {
		size_t control = control_bytes(text);

		fputc(control ? '?' : *text, stream);
		text += control ? control : 1;
	}
}

void printable_put(FILE *stream, const char *text)
{
	printable_put_bytes(stream, text, strlen(text));
}

void printable_make(char *text)
{
	char *to = text;

	while (*text) {
		size_t control = control_bytes(text);

		*to++ = control ? '?' : *text;
		text += control ? control : 1;
	}
	*to = 0;
}

const char *printable_of(struct printable *room, const char *text)
{
	snprintf(room->text, sizeof(room->text), "%s", text);
	printable_make(room->text);
	return room->text;
}
