/* SPDX-License-Identifier: MIT */
/* hazards NAME: one of them. */
#include <string.h>

#include "hazards.h"

static const struct hazard *const tables[] = {hazards_processes, hazards_threads,
					      hazards_memory,	 hazards_signals,
					      hazards_system,	 hazards_sandboxed};

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (size_t t = 0; argc > 1 && t < sizeof(tables) / sizeof(tables[0]); t++)
		for (const struct hazard *h = tables[t]; h->name; h++)
			if (!strcmp(h->name, argv[1]))
				return h->run(argv);
	fprintf(stderr, "usage: hazards NAME\n");
	return 2;
}
