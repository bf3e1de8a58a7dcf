/* SPDX-License-Identifier: MIT */
/*
 * switched ROUNDS LEVELS: two pairs of threads work a little and hand each other blocks that do not
 * fit into a pipe, by calls that a signal would end, so that they are switched all the time. Then
 * the same in a child, and in the program anew, LEVELS times. Prints how many calls did not do what
 * they should.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAIRS 2
#define LARGE 100000 /* a pipe takes 64 KB at once */

static long rounds;
static unsigned long failed;
static volatile unsigned sink;

struct side {
	int from, to, large_from, large_to;
	char bytes[LARGE];
};

static void expect(long got, long wanted)
{
	if (got == wanted)
		return;
	fprintf(stderr, "%ld instead of %ld: errno %d\n", got, wanted, errno);
	__atomic_fetch_add(&failed, 1, __ATOMIC_RELAXED);
}

__attribute__((noinline)) static void work(void)
{
	for (unsigned i = 0; i < 2000; i++)
		sink += i % 3 ? i : 1;
}

static void receive_large(struct side *s)
{
	long got = 0;

	while (got < LARGE) {
		long n = read(s->large_from, s->bytes, LARGE);

		if (n <= 0)
			break;
		got += n;
	}
	expect(got, LARGE);
}

static void *play(void *argument)
{
	struct side *s = argument;
	char byte = 0;

	for (long i = 0; i < rounds; i++) {
		struct pollfd wait = {.fd = s->from, .events = POLLIN};

		expect(poll(&wait, 1, 20000), 1);
		expect(read(s->from, &byte, 1), 1);
		work();
		expect(write(s->to, &byte, 1), 1);
		if (i % 64)
			continue;
		if (s->large_to >= 0)
			expect(write(s->large_to, s->bytes, LARGE), LARGE);
		else
			receive_large(s);
	}
	return NULL;
}

static void play_all(void)
{
	static struct side sides[PAIRS][2];
	pthread_t threads[PAIRS][2];

	for (int i = 0; i < PAIRS; i++) {
		int pair[2], large[2];

		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || pipe(large)) {
			perror("switched");
			exit(1);
		}
		for (int k = 0; k < 2; k++) {
			sides[i][k].from = sides[i][k].to = pair[k];
			sides[i][k].large_from = k ? large[0] : -1;
			sides[i][k].large_to = k ? -1 : large[1];
			pthread_create(&threads[i][k], NULL, play, &sides[i][k]);
		}
		expect(write(pair[0], "", 1), 1);
	}
	for (int i = 0; i < PAIRS * 2; i++)
		pthread_join(threads[i / 2][i % 2], NULL);
	printf("%lu calls failed\n", failed);
	fflush(stdout);
}

int main(int count, char **arguments)
{
	long levels = count > 2 ? atol(arguments[2]) : 0;
	char next[32];
	int status = 0;
	pid_t child;

	rounds = count > 1 ? atol(arguments[1]) : 1000;
	play_all();
	child = fork();
	if (child == 0) {
		play_all();
		return failed != 0;
	}
	expect(waitpid(child, &status, 0), child);
	expect(status, 0);
	if (levels <= 0 || failed)
		return failed != 0;
	snprintf(next, sizeof(next), "%ld", levels - 1);
	execl(arguments[0], arguments[0], arguments[1], next, (char *)NULL);
	perror("switched: execl");
	return 1;
}
