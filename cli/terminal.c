/* SPDX-License-Identifier: MIT */
#include "cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#define COLUMNS_ELSEWHERE 100

size_t terminal_columns(void)
{
	struct winsize size;

	return !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col
								       : COLUMNS_ELSEWHERE;
}
