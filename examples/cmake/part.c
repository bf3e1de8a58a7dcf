/* SPDX-License-Identifier: MIT */
/* part RECORDING: record one part of a program's run, from inside. */
#include <stdio.h>

#include <softlbr/collector.h>

static volatile unsigned long sum;

static void work(unsigned long steps)
{
	for (unsigned long i = 0; i < steps; i++)
		sum += i % 3 ? i : i / 3;
}

int main(int argc, char **argv)
{
	struct softlbr_collector_options options = {.size = sizeof(options)};
	struct softlbr_error error = {0};

	options.output = argc > 1 ? argv[1] : "part.data";
	work(1000000); /* not recorded */
	if (softlbr_collector_start(&options, &error)) {
		fprintf(stderr, "part: %s\n", error.text);
		return 1;
	}
	work(100000000);
	if (softlbr_collector_stop(&error)) {
		fprintf(stderr, "part: %s\n", error.text);
		return 1;
	}
	return 0;
}
