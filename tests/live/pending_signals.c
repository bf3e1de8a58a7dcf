/* SPDX-License-Identifier: MIT */
/*
 * pending_signals ROUNDS [GO]: blocks all signals, works, and looks for pending ones; there are
 * none but those that it sends to itself. Writes more than a pipe holds, all at once. Has one
 * thread, of which libc handles none of its own signals. With GO it goes on until there is such a
 * file.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LARGE 300000
#define DRY   64

static char large[LARGE];
static int wrong;

static void expect(const char *what, long got, long wanted)
{
	if (got == wanted)
		return;
	printf("%s: %ld, not %ld\n", what, got, wanted);
	wrong = 1;
}

static uint64_t work(uint64_t x)
{
	for (unsigned i = 0; i < 200000; i++)
		x = x & 1 ? x * 6364136223846793005u + i : x / 3 + i;
	return x;
}

static void read_all(int end)
{
	static char bytes[4096];
	uint64_t x = 1;

	while (read(end, bytes, sizeof(bytes)) > 0) /* slowly: the writer waits */
		for (unsigned i = 0; i < 2000; i++)
			x = x * 31 + (uint64_t)bytes[i];
	_exit(x == 0);
}

/* The first pending one, or 0. */
static int first_pending(void)
{
	sigset_t set;

	sigpending(&set);
	for (int number = 1; number <= DRY; number++)
		if (sigismember(&set, number) == 1)
			return number;
	return 0;
}

static void look(const sigset_t *all, int round)
{
	static const int numbers[] = {SIGUSR1, SIGTERM, SIGURG, SIGWINCH, SIGALRM};
	const struct timespec none = {0};
	int number = numbers[round % 5];
	union sigval value = {.sival_int = round};
	siginfo_t info;

	expect("pending", first_pending(), 0);
	expect("taken", sigtimedwait(all, &info, &none), -1);
	sigqueue(getpid(), number, value);
	expect("pending of its own", first_pending(), number);
	expect("waited for", sigwaitinfo(all, &info), number);
	expect("value", info.si_int, round);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 10, ends[2], i;
	uint64_t sum = 1;
	sigset_t all;
	pid_t reader;

	if (pipe(ends))
		return 2;
	reader = fork();
	if (!reader) {
		close(ends[1]);
		read_all(ends[0]);
	}
	close(ends[0]);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	for (i = 0; i < rounds || (argc > 2 && access(argv[2], F_OK)); i++) {
		sum = work(sum);
		look(&all, i);
		expect("written", write(ends[1], large, LARGE), LARGE);
	}
	close(ends[1]);
	waitpid(reader, NULL, 0);
	puts(wrong || !sum ? "wrong" : "right");
	return wrong;
}
