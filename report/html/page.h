/* SPDX-License-Identifier: MIT */
/*
 * A page: one HTML file that needs no other and no network. Its style and its script are
 * report/html/page.css and page.js, which are built into the program. Everything is readable
 * without the script; drawings that need it say so. Errors of the stream are the caller's to look
 * for.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/file_guard.h"

/* Pages of ours, of any command. */
extern const struct file_guard_kind page_kind;

/* Up to where sections begin; @title is text. */
void page_begin(FILE *out, const char *title);
void page_end(FILE *out);

/* A section with a heading, which is text: what of @title is in parentheses becomes a note below.
 * @id is a word that no other has. */
void page_begin_section(FILE *out, const char *id, const char *title);
void page_end_section(FILE *out);
/* A title without what is in parentheses. */
void page_put_title(FILE *out, const char *title);

/* @text for HTML, also between quotes; control characters but line feeds and tabs are "?". */
void page_put_text(FILE *out, const char *text);
/* A name, or text with linkage names in it: demangled unless @mangled, shortened with the whole as
 * its title. */
void page_put_name(FILE *out, const char *name, bool mangled);
/* 1,234,567 */
void page_put_count(FILE *out, uint64_t count);
