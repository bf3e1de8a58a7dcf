/* SPDX-License-Identifier: MIT */
/* When a recording is on, for how long it stays so by itself, and who is heard meanwhile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "collector/recorder/control.h"
#include "collector/kernel/clock.h"

#define SECOND UINT64_C(1000000000)

/* @s after its beginning: its state, and for how long, give or take what the test itself takes. */
static void expect(struct control *s, uint64_t after_ns, enum session_state state,
		   uint64_t steady_ns)
{
	s->begin_ns = clock_now_ns() - after_ns;
	assert_int_equal(control_state(s), state);
	if (steady_ns == UINT64_MAX)
		assert_true(control_steady_ns(s) == UINT64_MAX);
	else
		assert_in_range(control_steady_ns(s), steady_ns - SECOND, steady_ns);
}

static void test_without_options_it_is_on_for_ever(void **state)
{
	struct control s = {.socket = -1};

	(void)state;
	expect(&s, 100 * SECOND, SESSION_RUN, UINT64_MAX);
	control_end(&s);
	expect(&s, 100 * SECOND, SESSION_STOP, UINT64_MAX);
}

static void test_a_window(void **state)
{
	struct control s = {.options = {.delay_ns = 20 * SECOND, .duration_ns = 30 * SECOND}};

	(void)state;
	expect(&s, 5 * SECOND, SESSION_WAIT, 15 * SECOND);
	expect(&s, 25 * SECOND, SESSION_RUN, 25 * SECOND);
	expect(&s, 55 * SECOND, SESSION_STOP, UINT64_MAX);
}

static void test_a_duty_cycle(void **state)
{
	struct control s = {.options = {.delay_ns = 20 * SECOND,
					.duration_ns = 100 * SECOND,
					.on_ns = 10 * SECOND,
					.off_ns = 30 * SECOND}};

	(void)state;
	expect(&s, 5 * SECOND, SESSION_WAIT, 15 * SECOND);
	expect(&s, 24 * SECOND, SESSION_RUN, 6 * SECOND);
	expect(&s, 35 * SECOND, SESSION_WAIT, 25 * SECOND);
	expect(&s, 64 * SECOND, SESSION_RUN, 6 * SECOND);
	/* it ends before it would be on again */
	expect(&s, 115 * SECOND, SESSION_WAIT, 5 * SECOND);
}

/* What @fd is answered, now. */
static const char *answer_of(int fd)
{
	static char answer[128];
	ssize_t got = recv(fd, answer, sizeof(answer) - 1, MSG_DONTWAIT);

	answer[got > 0 ? got : 0] = 0;
	return answer;
}

static int connect_to(const char *path)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

/* Of many who say nothing the first ones go; who speaks is heard at once. */
static void test_silent_ones_keep_nobody_waiting(void **state)
{
	char path[] = "/tmp/control-XXXXXX";
	struct control_options o = {.socket_path = path};
	struct pollfd ears[CONTROL_EARS];
	int silent[3 * CONTROL_ASKERS], fd;
	struct control s;

	(void)state;
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	unlink(path);
	assert_int_equal(control_open(&s, &o, NULL), 0);
	for (size_t i = 0; i < 3 * CONTROL_ASKERS; i++) {
		silent[i] = connect_to(path);
		control_attend(&s, 0);
	}
	fd = connect_to(path);
	assert_int_equal(send(fd, "status", 6, 0), 6);
	control_attend(&s, 1234);
	assert_string_equal(answer_of(fd), "ok on, 1234 bytes\n");
	close(fd);
	/* one of the last is still heard, one of the first is not */
	control_listen(&s, ears);
	assert_int_equal(send(silent[3 * CONTROL_ASKERS - 1], "stop", 4, 0), 4);
	assert_int_equal(poll(ears, CONTROL_EARS, 0), 1);
	control_attend(&s, 0);
	assert_string_equal(answer_of(silent[3 * CONTROL_ASKERS - 1]), "ok\n");
	assert_true(s.off);
	assert_true(send(silent[0], "start", 5, MSG_NOSIGNAL) < 0);
	for (size_t i = 0; i < 3 * CONTROL_ASKERS; i++)
		close(silent[i]);
	control_close(&s);
	assert_true(access(path, F_OK));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_options_it_is_on_for_ever),
		cmocka_unit_test(test_a_window),
		cmocka_unit_test(test_a_duty_cycle),
		cmocka_unit_test(test_silent_ones_keep_nobody_waiting),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
