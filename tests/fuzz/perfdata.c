/* SPDX-License-Identifier: MIT */
/* perf.data bytes through the reader and the aggregation, with a binary that maps all offsets. */
#include <stdlib.h>

#include "converter/samples/aggregate.h"
#include "../unit/fake_binary.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct aggregate_options options = {.resolve_values = read_values,
							 .details = true};
	static struct binary binary = {.path = "/bin/program", .size = 1u << 30};
	struct softlbr_error e = {0};
	struct aggregate a;
	int rc;

	if (aggregate_init(&a, &binary, &options, &e))
		abort();
	rc = aggregate_add_bytes(&a, data, size, "fuzz", 1, &e);
	if (rc != -e.code || (rc && !e.text[0]))
		abort(); /* an error without a message, or the other way round */
	if (!funnel_adds_up(&a.result.funnel))
		abort();
	aggregate_deinit(&a);
	return 0;
}
