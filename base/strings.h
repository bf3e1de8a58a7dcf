/* SPDX-License-Identifier: MIT */
/*
 * Interned strings: equal texts share one number, so that names compare as integers. Number 0 is
 * always the empty string.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define STRINGS_NONE UINT32_MAX

struct strings;

struct strings *strings_new(void); /* NULL without memory */
void strings_free(struct strings *s);
/* The number of @text[0..length); STRINGS_NONE without memory. */
uint32_t strings_add(struct strings *s, const char *text, size_t length);
uint32_t strings_add_text(struct strings *s, const char *text);
/* The number of @text if it is there, else STRINGS_NONE. */
uint32_t strings_find(const struct strings *s, const char *text, size_t length);
/* The text of @number, NUL-terminated, valid while the table lives. */
const char *strings_text(const struct strings *s, uint32_t number);
uint32_t strings_count(const struct strings *s);
