/* SPDX-License-Identifier: MIT */
/* JSON in: what another command of ours wrote. */
#pragma once

#include <stdint.h>

#include "softlbr/error.h"

struct json_file;

/* NULL: it can't be read, or is no JSON. */
struct json_file *json_file_read(const char *path, struct softlbr_error *e);
void json_file_free(struct json_file *f);
/* The value of @key, "group.key" for one in a group; what is not there is NULL, or NaN. A text is
 * borrowed from @f. */
const char *json_file_text(const struct json_file *f, const char *key);
double json_file_number(const struct json_file *f, const char *key);
