/* SPDX-License-Identifier: MIT */
/* Readers together, writers alone, and who waits wakes. Also under ThreadSanitizer. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/atomics.h"
#include "collector/inside/handler/rwlock.h"

#define ROUNDS	5000u
#define THREADS 3u

static struct rwlock lock;
static uint64_t first, second; /* the same, but while a writer is at it */
static uint32_t torn, written;

static void *read_often(void *unused)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t before = rwlock_read(&lock);

		if (first != second)
			atomic_add_relaxed(&torn, 1);
		rwlock_read_end(&lock, before);
	}
	return unused;
}

static void *write_often(void *unused)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t before = rwlock_write(&lock);

		first++;
		second++;
		rwlock_write_end(&lock, before);
	}
	return unused;
}

static void *read_once(void *unused)
{
	rwlock_read_end(&lock, rwlock_read(&lock));
	return unused;
}

static void *write_once(void *unused)
{
	uint64_t before = rwlock_write(&lock);

	atomic_write_release(&written, 1);
	rwlock_write_end(&lock, before);
	return unused;
}

static pthread_t start(void *(*routine)(void *))
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, routine, NULL), 0);
	return thread;
}

static void join(pthread_t thread)
{
	assert_int_equal(pthread_join(thread, NULL), 0);
}

static void test_writers_are_alone(void **state)
{
	pthread_t readers[THREADS], writers[THREADS];

	(void)state;
	for (unsigned i = 0; i < THREADS; i++) {
		readers[i] = start(read_often);
		writers[i] = start(write_often);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		join(readers[i]);
		join(writers[i]);
	}
	assert_int_equal(torn, 0);
	assert_int_equal(first, (uint64_t)THREADS * ROUNDS);
	assert_int_equal(second, first);
	assert_int_equal(lock.state, 0);
}

static void test_readers_are_together(void **state)
{
	uint64_t before = rwlock_read(&lock);

	(void)state;
	join(start(read_once));
	rwlock_read_end(&lock, before);
	assert_int_equal(lock.state, 0);
}

/* And readers that come later wait for it. */
static void test_a_writer_waits_for_readers(void **state)
{
	uint64_t before = rwlock_read(&lock);
	pthread_t writer, reader;

	(void)state;
	writer = start(write_once);
	while (atomic_read_relaxed(&lock.state) != (RWLOCK_WRITER | 1))
		usleep(100);
	reader = start(read_once);
	usleep(20000);
	assert_int_equal(atomic_read_acquire(&written), 0);
	assert_int_equal(atomic_read_relaxed(&lock.state), RWLOCK_WRITER | 1);
	rwlock_read_end(&lock, before);
	join(writer);
	join(reader);
	assert_int_equal(written, 1);
	assert_int_equal(lock.state, 0);
}

static void test_signals_are_blocked(void **state)
{
	sigset_t now;
	uint64_t before = rwlock_write(&lock);

	(void)state;
	sigprocmask(SIG_BLOCK, NULL, &now);
	assert_int_equal(sigismember(&now, SIGTRAP), 1);
	rwlock_write_end(&lock, before);
	sigprocmask(SIG_BLOCK, NULL, &now);
	assert_int_equal(sigismember(&now, SIGTRAP), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writers_are_alone),
		cmocka_unit_test(test_readers_are_together),
		cmocka_unit_test(test_a_writer_waits_for_readers),
		cmocka_unit_test(test_signals_are_blocked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
