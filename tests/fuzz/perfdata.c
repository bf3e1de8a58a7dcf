/* SPDX-License-Identifier: MIT */
/* perf.data bytes through the reader and the aggregation, with a binary that maps all offsets; and
 * trace by trace, with what was copied of stacks. */
#include <stdlib.h>

#include "../unit/fake_binary.h"
#include "converter/samples/aggregate.h"
#include "converter/samples/branch_stacks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* All registers of all samples that tell values. */
static int read_values(struct aggregate_result *result, struct aggregate_recording *recording)
{
	const struct value_samples *values = &recording->history.values;
	const struct value_sample *s;
	uint64_t value;

	vector_each (&values->items, s)
		for (unsigned i = 0; i < 66; i++)
			if (value_samples_register(values, s, i, &value) &&
			    !value_profile_add(&result->values, s->ip, VALUE_ARGUMENT, value,
					       s->runs, true) &&
			    !value_profile_find(&result->values, s->ip, VALUE_ARGUMENT))
				abort();
	return 0;
}

/* All bytes and registers of a trace's stack are there. */
static int take_trace(void *context, struct address_history *h, const struct trace *t)
{
	const struct stack_sample *s = t->stack;
	uint64_t *sum = context;

	(void)h;
	for (size_t i = 0; s && i < s->stack.count; i++)
		*sum += s->stack.items[i];
	for (int i = 0; s && i < __builtin_popcountll(s->register_mask); i++)
		*sum += s->registers[i];
	return 0;
}

static void follow(const uint8_t *data, size_t size)
{
	uint64_t sum = 0;
	const struct aggregate_watcher watcher = {.take = take_trace, .context = &sum};
	const struct aggregate_options options = {.keep = true, .watcher = &watcher};
	static volatile uint64_t sink;
	struct aggregate a;

	if (aggregate_init(&a, NULL, &options, NULL))
		abort();
	aggregate_add_bytes(&a, data, size, "fuzz", 1, NULL);
	aggregate_deinit(&a);
	sink = sum;
	(void)sink;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct aggregate_options options = {
		.resolve_values = read_values, .predictions = true, .details = true};
	static struct binary binary = {.path = "/bin/program", .size = 1u << 30};
	struct softlbr_error e = {0};
	struct aggregate a;
	int rc;

	if (aggregate_init(&a, &binary, &options, &e))
		abort();
	rc = aggregate_add_bytes(&a, data, size, "fuzz", 1, &e);
	if (rc != -e.code || (rc && !e.text[0]))
		abort(); /* an error without a message, or the other way round */
	if (aggregate_estimate(&a, NULL))
		abort();
	if (!funnel_adds_up(&a.result.funnel))
		abort();
	aggregate_deinit(&a);
	follow(data, size);
	return 0;
}
