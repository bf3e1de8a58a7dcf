/* SPDX-License-Identifier: MIT */
/* mcf/flow.h on graphs whose equal flows are seen at a glance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "mcf/flow.h"

#define OUTSIDE FLOW_OUTSIDE
#define NODES	6

/* 0 goes to 1 or 2, and both to 3, which is a loop with 4 and ends in 5. */
static const uint32_t edges[][2] = {
	{OUTSIDE, 0}, {0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}, {4, 3}, {3, 5},
};

static void make(struct flow_network *n, size_t from, size_t count)
{
	*n = (struct flow_network){0};
	for (size_t i = 0; i < NODES; i++)
		assert_non_null(vector_push(&n->nodes));
	for (size_t i = from; i < count; i++) {
		struct flow_edge *e = vector_push(&n->edges);

		assert_non_null(e);
		e->from = edges[i][0];
		e->to = edges[i][1];
	}
}

static void equal_flows(void **state)
{
	struct flow_network n;
	uint64_t labels[NODES];

	(void)state;
	make(&n, 0, 8);
	assert_int_equal(equivalence_classes(&n, labels), 0);
	assert_true(labels[0] == labels[5]); /* once in, once out; 5 has no edge from it */
	for (size_t i = 0; i < NODES; i++) {
		assert_true(labels[i] != 0);
		for (size_t k = 0; k < i; k++)
			assert_true((labels[i] == labels[k]) == (i == 5 && k == 0));
	}
	flow_network_deinit(&n);
	/* 0 goes to 1 alone, and the others to nowhere */
	make(&n, 0, 2);
	assert_int_equal(equivalence_classes(&n, labels), 0);
	assert_true(labels[0] == labels[1]);
	assert_true(labels[2] != labels[1] && labels[3] != labels[1] && labels[2] != labels[3]);
	flow_network_deinit(&n);
}

/* What nothing comes back from carries no flow. */
static void no_flow(void **state)
{
	struct flow_network n;
	uint64_t labels[NODES];
	struct flow_edge *e;

	(void)state;
	make(&n, 0, 8);
	e = vector_push(&n.edges);
	assert_non_null(e);
	*e = (struct flow_edge){.from = 5, .to = 5}; /* for ever */
	assert_int_equal(equivalence_classes(&n, labels), 0);
	assert_true(labels[0] == 0);
	assert_true(labels[1] == labels[2]); /* round and round, without direction */
	assert_true(labels[5] != 0 && labels[5] != labels[3]);
	flow_network_deinit(&n);

	n = (struct flow_network){0};
	assert_int_equal(equivalence_classes(&n, labels), 0);
	make(&n, 0, 8);
	memory_fail_at(3);
	assert_int_equal(equivalence_classes(&n, labels), -1);
	memory_fail_at(0);
	flow_network_deinit(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_flows),
		cmocka_unit_test(no_flow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
