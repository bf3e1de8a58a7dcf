/* SPDX-License-Identifier: MIT */
/*
 * interpreter FILE [SCALE [trace]]: assemble FILE and run it; SCALE is the machine's variable $9 at
 * the start. Prints what the program prints, then the number of steps and a checksum. If FILE says
 * `; expect SCALE CHECKSUM`, the result is checked.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "program.h"

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *text = NULL;
	size_t size = 0;

	if (!file)
		return NULL;
	for (size_t got = 1; got;) {
		char *larger = realloc(text, size + 4097);

		if (!larger) {
			free(text);
			text = NULL;
			break;
		}
		text = larger;
		got = fread(text + size, 1, 4096, file);
		size += got;
		text[size] = '\0';
	}
	fclose(file);
	return text;
}

/* The checksum that @text promises for @scale, 0 if it promises none. */
static uint64_t expected_checksum(const char *text, int64_t scale)
{
	for (const char *at = text; (at = strstr(at, "; expect ")); at++) {
		int64_t for_scale;
		uint64_t checksum;

		if (sscanf(at, "; expect %" SCNd64 " %" SCNx64, &for_scale, &checksum) != 2)
			continue;
		if (for_scale == scale)
			return checksum;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct machine machine;
	struct program program;
	const char *reason;
	uint64_t expected;
	int64_t scale;
	char *text;
	int failed;
	int line;

	if (argc < 2) {
		fprintf(stderr, "usage: interpreter FILE [SCALE [trace]]\n");
		return 2;
	}
	text = read_file(argv[1]);
	if (!text) {
		perror(argv[1]);
		return 1;
	}
	scale = argc > 2 ? strtoll(argv[2], NULL, 10) : 1;
	expected = expected_checksum(text, scale);
	line = program_assemble(&program, text, &reason);
	free(text);
	if (line) {
		fprintf(stderr, "%s:%d: %s\n", argv[1], line, reason);
		return 1;
	}
	failed = machine_init(&machine, &program, stdout);
	if (argc > 3)
		machine.trace = stderr;
	machine.variables[9] = scale;
	if (!failed)
		failed = machine_run(&machine);
	printf("steps %" PRIu64 "\nchecksum %016" PRIx64 "\n", machine.steps, machine.checksum);
	if (!failed && expected && expected != machine.checksum) {
		fprintf(stderr, "self-check failed: expected checksum %016" PRIx64 "\n", expected);
		failed = 1;
	}
	machine_free(&machine);
	program_free(&program);
	return failed ? 1 : 0;
}
