/* SPDX-License-Identifier: MIT */
/* The file that execvp(3) would run. By system calls alone: also in the child of a vfork. */
#ifndef COLLECTOR_INSIDE_EXEC_SEARCH_H
#define COLLECTOR_INSIDE_EXEC_SEARCH_H

#define EXEC_SEARCH_BYTES 4096u

/* Into @path; @file itself where it has a slash. NULL if none is found. */
const char *exec_search_find(const char *file, char path[EXEC_SEARCH_BYTES]);

#endif
