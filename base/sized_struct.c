/* SPDX-License-Identifier: MIT */
#include "base/sized_struct.h"

#include <string.h>

#include "base/error.h"

int sized_struct_take(void *to, size_t size, const void *from, struct softlbr_error *e)
{
	size_t given;

	if (!from)
		return 0;
	memcpy(&given, from, sizeof(given));
	if (given < sizeof(given))
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "the first member of the options must be their size");
	memcpy(to, from, given < size ? given : size);
	return 0;
}

int sized_struct_give(void *to, void *from, size_t size, struct softlbr_error *e)
{
	size_t room;

	memcpy(&room, to, sizeof(room));
	if (room < sizeof(room))
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "the first member of the struct to be filled must be its size");
	if (room > size)
		room = size;
	memcpy(from, &room, sizeof(room));
	memcpy(to, from, room);
	return 0;
}
