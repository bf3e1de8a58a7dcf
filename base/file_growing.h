/* SPDX-License-Identifier: MIT */
/*
 * An output that appears under its name as soon as it has begun, and grows there: a recording can
 * be read while it is made, and when who made it was killed. It is its user's alone (0600, whatever
 * the umask). Until it appears it has another name in the same directory, that nobody knows before;
 * a link or a file that somebody puts in its place is never written through.
 */
#ifndef BASE_FILE_GROWING_H
#define BASE_FILE_GROWING_H

#include "softlbr/error.h"

/*
 * Begin @path: a descriptor, or negative. *temporary is its name so far, or NULL where it is
 * written in place (file_is_in_place), to be handed to one of the others.
 */
int file_growing_open(const char *path, char **temporary, struct softlbr_error *e);
/* It gets its name; what was there, if it has any bytes, becomes @path.old. */
int file_growing_appear(const char *path, char *temporary, struct softlbr_error *e);
/* It goes. */
void file_growing_abandon(char *temporary);

#endif
