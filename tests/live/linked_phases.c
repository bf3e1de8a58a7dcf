/* SPDX-License-Identifier: MIT */
/* linked_phases STEPS [plain]: the two phases of quality/programs/two_phases.c and a third one,
 * which record themselves into perf.data by the collector's defaults, or not. */
#include <stdio.h>

#include "softlbr/collector.h"

static int run_phases(int argc, char **argv);
#define main run_phases
#include "../quality/programs/two_phases.c"
#undef main

#define WORDS (1u << 20)

static volatile unsigned words[WORDS];

/* Fast, and always at a word that it has not seen for long: traces are as long as any. */
__attribute__((noinline)) static void sweep(long times)
{
	while (times-- > 0)
		for (unsigned i = 0; i < WORDS; i++)
			sum += words[i];
}

int main(int argc, char **argv)
{
	struct softlbr_error e = {0};

	if (argc < 3 && softlbr_collector_start(NULL, &e)) {
		fprintf(stderr, "%s\n", e.text);
		return 2;
	}
	if (run_phases(argc, argv))
		return 1;
	sweep(argc > 1 ? atol(argv[1]) / 2000 : 500);
	if (argc < 3 && softlbr_collector_stop(&e)) {
		fprintf(stderr, "%s\n", e.text);
		return 3;
	}
	return 0;
}
