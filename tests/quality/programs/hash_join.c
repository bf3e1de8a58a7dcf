/* SPDX-License-Identifier: MIT */
/* A hash join whose table does not fit the caches, a sort and a checksum, in turn: phases of some
 * ten milliseconds that run at very different speeds. hash_join ROUNDS */
#include <stdio.h>
#include <stdlib.h>

#define ROWS   (1 << 19)
#define SORTED 100000

struct row {
	unsigned key, value;
	struct row *next;
};

static struct row **table;
static unsigned seed = 1;

static unsigned draw(void)
{
	return seed = seed * 1664525u + 1013904223u;
}

__attribute__((noinline)) static unsigned hash(unsigned key)
{
	key ^= key >> 16;
	key *= 0x85ebca6bu;
	key ^= key >> 13;
	return key % ROWS;
}

__attribute__((noinline)) static void build(struct row *rows)
{
	for (int i = 0; i < ROWS; i++) {
		struct row **head = &table[hash(rows[i].key)];

		rows[i].next = *head;
		*head = &rows[i];
	}
}

__attribute__((noinline)) static unsigned long probe(int count)
{
	unsigned long sum = 0;

	for (int i = 0; i < count; i++) {
		unsigned key = draw() % (4 * ROWS);

		for (const struct row *r = table[hash(key)]; r; r = r->next) {
			if (r->key == key) {
				sum += r->value;
				break;
			}
		}
	}
	return sum;
}

/* A heap sort of our own: libc's is not part of the binary. */
__attribute__((noinline)) static void sift(unsigned *values, int at, int count)
{
	for (int child; (child = 2 * at + 1) < count; at = child) {
		unsigned value = values[at];

		if (child + 1 < count && values[child + 1] > values[child])
			child++;
		if (values[child] <= value)
			return;
		values[at] = values[child];
		values[child] = value;
	}
}

__attribute__((noinline)) static void sort(unsigned *values, int count)
{
	for (int i = count / 2; i-- > 0;)
		sift(values, i, count);
	for (int end = count - 1; end > 0; end--) {
		unsigned value = values[0];

		values[0] = values[end];
		values[end] = value;
		sift(values, 0, end);
	}
}

__attribute__((noinline)) static unsigned checksum(const unsigned char *bytes, int count)
{
	unsigned sum = ~0u;

	while (count--) {
		sum ^= *bytes++;
		for (int bit = 0; bit < 8; bit++)
			sum = sum & 1 ? sum >> 1 ^ 0xedb88320u : sum >> 1;
	}
	return ~sum;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 10;
	struct row *rows = malloc(ROWS * sizeof(*rows));
	unsigned *values = malloc(SORTED * sizeof(*values));
	unsigned long sum = 0;

	table = calloc(ROWS, sizeof(*table));
	if (!rows || !values || !table)
		return 1;
	for (int i = 0; i < ROWS; i++)
		rows[i] = (struct row){draw() % (4 * ROWS), (unsigned)i, NULL};
	build(rows);
	for (int round = 0; round < rounds; round++) {
		sum += probe(400000);
		for (int i = 0; i < SORTED; i++)
			values[i] = draw();
		sort(values, SORTED);
		sum += checksum((unsigned char *)values, 200000);
	}
	printf("%lu\n", sum);
	return 0;
}
