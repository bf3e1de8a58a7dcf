/* SPDX-License-Identifier: MIT */
/* Building small programs and running tools from a test, in a directory of its own. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/tools.h"

static char program_directory[64];

/* Make the directory and go there; it is removed by program_directory_remove. */
static inline int program_directory_make(void)
{
	strcpy(program_directory, "/tmp/softlbr-test-XXXXXX");
	return mkdtemp(program_directory) && !chdir(program_directory) ? 0 : -1;
}

static inline void program_directory_remove(void)
{
	char command[128];

	if (!*program_directory || chdir("/"))
		return;
	snprintf(command, sizeof(command), "rm -rf %s", program_directory);
	if (system(command))
		fprintf(stderr, "%s remains\n", program_directory);
}

/* Run a shell command; its exit status, or -1. The command is printed if it fails. */
__attribute__((format(printf, 1, 2))) static inline int program_run(const char *format, ...)
{
	char command[4096];
	va_list list;
	int status;

	va_start(list, format);
	vsnprintf(command, sizeof(command), format, list);
	va_end(list);
	status = system(command);
	if (status)
		fprintf(stderr, "failed: %s\n", command);
	return status < 0 ? -1 : status >> 8 ? status >> 8 : status;
}

static inline int program_write(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	fputs(text, f);
	return fclose(f);
}

static struct {
	char name[64];
	uint64_t va;
} program_symbols[256];
static size_t program_symbol_count;

/* Ask nm once for all symbols of @file. */
static inline int program_symbols_load(const char *file)
{
	char command[128], line[256];
	FILE *f;

	program_symbol_count = 0;
	snprintf(command, sizeof(command), "nm %s", file);
	f = popen(command, "r");
	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f) && program_symbol_count < 256) {
		unsigned long long va;

		if (sscanf(line, "%llx %*c %63s", &va,
			   program_symbols[program_symbol_count].name) == 2)
			program_symbols[program_symbol_count++].va = va;
	}
	return pclose(f);
}

/* Its address; 0 if nm did not list it. */
static inline uint64_t program_symbol(const char *name)
{
	for (size_t i = 0; i < program_symbol_count; i++)
		if (!strcmp(program_symbols[i].name, name))
			return program_symbols[i].va;
	fprintf(stderr, "no symbol %s\n", name);
	return 0;
}
