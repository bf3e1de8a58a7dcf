/* SPDX-License-Identifier: MIT */
/* Where our descriptors are in the program's table. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>

#include "collector/inside/handler/handler_state.h"
#include "collector/kernel/syscall.h"
#include "tests/unit/fake_kernel.h"

static void limit(rlim_t soft, rlim_t hard)
{
	fake_kernel.limits[RLIMIT_NOFILE] = (struct rlimit){soft, hard};
}

static int take(void)
{
	fake_kernel.open[3] = true;
	return descriptors_take(3);
}

static void above_the_soft_limit(void **state)
{
	int fd;

	(void)state;
	limit(1024, 4096);
	fd = take();
	assert_int_equal(fd, 1024);
	assert_false(fake_kernel.open[3]);
	assert_true(descriptors_contain(fd));
	assert_int_equal(fake_kernel.limits[RLIMIT_NOFILE].rlim_cur, 1024);
	assert_int_equal(take(), 1025);
	assert_int_equal(descriptors_next(0, 5000), 1024);
	assert_int_equal(descriptors_next(1025, 5000), 1025);
	assert_int_equal(descriptors_next(1026, 5000), -1);
	assert_int_equal(descriptors_next(0, 1000), -1);
	descriptors_forget(1024);
	assert_false(descriptors_contain(1024));
	descriptors_forget(-1);
	assert_false(descriptors_contain(-1));
	assert_false(descriptors_contain(1 << 20));
}

/* A lowered limit may be raised again to what most programs begin with. */
static void a_lowered_limit(void **state)
{
	(void)state;
	limit(64, 4096);
	assert_int_equal(take(), 1024);
	assert_int_equal(fake_kernel.limits[RLIMIT_NOFILE].rlim_cur, 64);
	limit(64, 512);
	assert_int_equal(take(), 64);
}

static void no_room_above(void **state)
{
	(void)state;
	limit(4096, 4096);
	assert_int_equal(take(), 1000);
	limit(400, 400);
	assert_int_equal(take(), 300);
	limit(1u << 20, 1u << 20);
	assert_int_equal(take(), 1001);
}

static void no_number_is_left(void **state)
{
	(void)state;
	limit(8, 8);
	fake_kernel.open[6] = fake_kernel.open[7] = true;
	assert_int_equal(take(), -EMFILE);
	assert_false(fake_kernel.open[3]);
	fake_kernel_answer(SYS_prlimit64, -EPERM);
	assert_int_equal(take(), -EMFILE);
}

/* A number that the bits do not reach is given back. */
static void too_high_a_number(void **state)
{
	(void)state;
	limit(8192, 8192);
	for (unsigned fd = 1000; fd < 8192; fd++)
		fake_kernel.open[fd] = true;
	limit(8999, 8999);
	assert_int_equal(take(), -EMFILE);
	assert_false(fake_kernel.open[8192]);
}

static void a_number_that_the_program_wants(void **state)
{
	int fd = take(), moved = descriptors_move(fd);

	(void)state;
	assert_true(moved > fd);
	assert_false(descriptors_contain(fd));
	assert_true(descriptors_contain(moved));
	handler_state.descriptors.limit.state = 1; /* of a thread that a fork's child lacks */
	descriptors_after_fork();
	assert_int_equal(handler_state.descriptors.limit.state, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(above_the_soft_limit, fake_kernel_reset),
		cmocka_unit_test_setup(a_lowered_limit, fake_kernel_reset),
		cmocka_unit_test_setup(no_room_above, fake_kernel_reset),
		cmocka_unit_test_setup(no_number_is_left, fake_kernel_reset),
		cmocka_unit_test_setup(too_high_a_number, fake_kernel_reset),
		cmocka_unit_test_setup(a_number_that_the_program_wants, fake_kernel_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
