/* SPDX-License-Identifier: MIT */
/*
 * linked_traces RECORDING [BRANCHES [VALUES]]: records itself into the file and hears of each
 * trace. Prints how many parts of traces and branches there were, how many parts had a weight, and
 * how many began behind the newest branch's end or told of no thread. Options that can't be are
 * refused.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "softlbr/collector.h"

struct heard {
	uint64_t parts, branches, weighted, wrong;
};

#define MS 1000000u

static volatile uint64_t sink;

static void hear(void *context, const struct softlbr_collector_trace *t)
{
	struct heard *h = context;

	h->parts++;
	h->branches += t->count;
	h->weighted += t->weight != 0;
	h->wrong += t->size != sizeof(*t) || t->tid != (uint32_t)getpid() || !t->time_ns;
	/* between two taken branches code is straight */
	for (size_t i = 0; i + 1 < t->count; i++)
		h->wrong += t->branches[i].from < t->branches[i + 1].to;
}

static void work(void)
{
	for (uint64_t i = 0; i < 300000000; i++)
		sink += i % 7 < 3 ? i / 3 % 11 : i;
}

/* Is it refused, with a text that has @word? */
static int refused(struct softlbr_collector_options o, const char *word)
{
	struct softlbr_error e = {0};

	o.size = sizeof(o);
	return softlbr_collector_start(&o, &e) == -SOFTLBR_E_USAGE && strstr(e.text, word);
}

int main(int argc, char **argv)
{
	struct heard heard = {0};
	struct softlbr_collector_options o = {.size = sizeof(o),
					      .output = argv[1],
					      .timer_correction = "model",
					      .trace = hear,
					      .context = &heard};
	struct softlbr_collector_cost cost = {.size = sizeof(cost)};
	struct softlbr_error e = {0};

	if (softlbr_collector_measure(&cost, NULL) != -SOFTLBR_E_USAGE) {
		fprintf(stderr, "measured without a recording\n");
		return 1;
	}
	if (!refused((struct softlbr_collector_options){.branches = "call,sideways"}, "sideways") ||
	    !refused((struct softlbr_collector_options){.timer_correction = "more"}, "more") ||
	    !refused((struct softlbr_collector_options){.values = 100000}, "values") ||
	    !refused((struct softlbr_collector_options){.stack_copy = 7}, "stack")) {
		fprintf(stderr, "an option that can't be was not refused\n");
		return 1;
	}
	if (argc > 2)
		o.branches = argv[2];
	if (argc > 3)
		o.values = (unsigned)atoi(argv[3]);
	if (softlbr_collector_start(&o, &e)) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	work();
	if (softlbr_collector_measure(&cost, &e) || !cost.traces || cost.period < MS ||
	    cost.spent_ns < cost.traces * 1000 || cost.spent_ns > 1000 * MS) {
		fprintf(stderr, "%lu traces, one each %lu ns, took %lu ns: %s\n", cost.traces,
			cost.period, cost.spent_ns, e.text);
		return 1;
	}
	if (softlbr_collector_stop(&e)) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	printf("%lu %lu %lu %lu\n", heard.parts, heard.branches, heard.weighted, heard.wrong);
	return 0;
}
