/* SPDX-License-Identifier: MIT */
/*
 * Words in colour, on terminals only: not where the output is a file or a pipe, NO_COLOR is set to
 * anything (no-color.org), or TERM is "dumb".
 */
#ifndef CLI_COLOR_H
#define CLI_COLOR_H

#include <stdio.h>

enum color { COLOR_GOOD, COLOR_DOUBTFUL, COLOR_BAD };

/* What begins @color on @stream, and what ends it: "" where there is no colour. */
const char *cli_color(FILE *stream, enum color color);
const char *cli_color_end(FILE *stream);

#endif
