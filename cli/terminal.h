/* SPDX-License-Identifier: MIT */
/* The terminal that results are printed to, if it is one. */
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stddef.h>

/* How many columns lines of standard output may have: 100 where it is no terminal. */
size_t terminal_columns(void);

#endif
