/* SPDX-License-Identifier: MIT */
/*
 * alarms.c ROUNDS: two halves of the same number of taken branches; signals come by a timer, every
 * 200 us, in the first of them only. Which branch is taken how often does not depend on when they
 * come, but for the handler's own.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#define WORDS 4096u

static uint32_t words[WORDS]; /* what a trace meets for the first time */
static volatile sig_atomic_t alarms;

static void on_alarm(int number)
{
	(void)number;
	alarms++;
}

static void set_alarms(long us)
{
	struct itimerval each = {{0, us}, {0, us}};

	setitimer(ITIMER_REAL, &each, NULL);
}

static uint32_t next(uint32_t x)
{
	x ^= x << 13;
	x ^= x >> 17;
	return x ^ x << 5;
}

__attribute__((noinline)) static uint32_t disturbed(uint32_t x)
{
	for (unsigned i = 0; i < WORDS; i++) {
		x = next(x + words[i]);
		if (x & 4)
			x += i;
	}
	return x;
}

__attribute__((noinline)) static uint32_t quiet(uint32_t x)
{
	for (unsigned i = 0; i < WORDS; i++) {
		x = next(x + words[i]);
		if (x & 8)
			x -= i;
	}
	return x;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
	uint32_t x = 1;

	for (unsigned i = 0; i < WORDS; i++)
		words[i] = x = next(x);
	signal(SIGALRM, on_alarm);
	set_alarms(200);
	for (long i = 0; i < rounds; i++)
		x = disturbed(x);
	set_alarms(0);
	for (long i = 0; i < rounds; i++)
		x = quiet(x);
	printf("%u\n", x);
	return 0;
}
