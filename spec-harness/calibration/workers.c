/* SPDX-License-Identifier: MIT */
/* workers ROUNDS: four threads, each with work of its own. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rounds;
static unsigned long results[4];

static unsigned long step(unsigned long h)
{
	return h * 6364136223846793005ul + 1442695040888963407ul;
}

static unsigned long sieve(unsigned long h)
{
	enum { MOST = 200000 };
	char *composite = calloc(MOST, 1);

	for (unsigned i = 2; composite && i < MOST; i++) {
		h += !composite[i];
		if (!composite[i])
			for (unsigned k = 2 * i; k < MOST; k += i)
				composite[k] = 1;
	}
	free(composite);
	return h;
}

static int compare(const void *a, const void *b)
{
	return *(const unsigned *)a < *(const unsigned *)b ? -1 : 1;
}

static unsigned long sort(unsigned long h)
{
	enum { KEYS = 12000 };
	unsigned *keys = malloc(sizeof(*keys) * KEYS);

	for (unsigned i = 0; keys && i < KEYS; i++)
		keys[i] = (unsigned)((h = step(h)) >> 33);
	if (keys) {
		qsort(keys, KEYS, sizeof(*keys), compare);
		h ^= keys[KEYS / 2];
	}
	free(keys);
	return h;
}

static unsigned long lines(unsigned long h)
{
	char text[8192];

	for (unsigned i = 0; i + 1 < sizeof(text); i++)
		text[i] = (h = step(h)) >> 60 ? (char)('a' + (h >> 33) % 26) : '\n';
	text[sizeof(text) - 1] = '\0';
	for (int turn = 0; turn < 30; turn++)
		for (const char *p = text; *p; p++) {
			if (*p == '\n')
				h++;
			else if (*p == 'q' || (*p == 'u' && p[1] == 'e'))
				h += 3;
		}
	return h;
}

static unsigned long matrix(unsigned long h)
{
	enum { SIDE = 96 };
	static double a[SIDE][SIDE], b[SIDE][SIDE];
	double sum = 0;

	for (int i = 0; i < SIDE; i++)
		for (int k = 0; k < SIDE; k++) {
			a[i][k] = (double)(h % 97) + i;
			b[i][k] = (double)k;
		}
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			double cell = 0;

			for (int k = 0; k < SIDE; k++)
				cell += a[i][k] * b[k][j];
			if (cell > sum)
				sum = cell;
		}
	return h + (unsigned long)sum;
}

static void *work(void *number)
{
	static unsigned long (*const works[])(unsigned long) = {sieve, sort, lines, matrix};
	unsigned long which = (unsigned long)number;

	for (int i = 0; i < 3 * rounds; i++)
		results[which] = works[which](results[which] + 1);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[4];

	rounds = argc > 1 ? atoi(argv[1]) : 1;
	for (unsigned long i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)i))
			return 1;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("%lu %lu %lu %lu\n", results[0], results[1], results[2], results[3]);
	return 0;
}
