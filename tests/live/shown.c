/* SPDX-License-Identifier: MIT */
/* Prints its arguments and what sums up its environment. Built with -DUNENTERED, also what a
 * recorder puts into that; else it is passed over. */
#include <stdio.h>
#include <string.h>

extern char **environ;

static int is_recorders(const char *entry)
{
	return !strncmp(entry, "LD_PRELOAD=", 11) || !strncmp(entry, "SOFTLBR_", 8);
}

int main(int argc, char **argv)
{
	unsigned long sum = 0, count = 0;

	for (int i = 0; i < argc; i++)
		printf("[%s]", argv[i]);
	for (char **at = environ; at && *at; at++) {
		if (!strncmp(*at, "_=", 2)) /* a shell's, with the path of what it started */
			continue;
		if (is_recorders(*at)) {
#ifdef UNENTERED
			printf(" %s", *at);
#endif
			continue;
		}
		for (const char *c = *at; *c; c++)
			sum = sum * 31 + (unsigned char)*c;
		count++;
	}
	printf(" %lu variables, %lx\n", count, sum);
	return 7;
}
