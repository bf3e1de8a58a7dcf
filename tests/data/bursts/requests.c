/* SPDX-License-Identifier: MIT */
/* Requests of four kinds are read, looked up and answered, in turns of a hundred: a table that fits
 * no cache, a checksum, a parser, a counter. */
#include "start.h"

#define ROWS   (1 << 17)
#define LENGTH 48

struct row {
	uint32_t key, value;
	struct row *next;
};

static struct row rows[ROWS], *heads[ROWS];
static char text[LENGTH + 1];
static uint32_t counters[16];

static uint32_t hash(uint32_t key)
{
	key ^= key >> 15;
	key *= 0x85ebca6bu;
	return (key ^ key >> 13) % ROWS;
}

static NOINLINE void fill(void)
{
	for (int i = 0; i < ROWS; i++) {
		struct row **head = &heads[hash(rows[i].key = draw())];

		rows[i].value = (uint32_t)i;
		rows[i].next = *head;
		*head = &rows[i];
	}
}

static NOINLINE uint32_t look_up(uint32_t number)
{
	uint32_t sum = 0, key = rows[number % ROWS].key + (number % 5 == 0);

	for (const struct row *r = heads[hash(key)]; r; r = r->next) {
		if (r->key == key)
			return r->value;
		sum += r->value;
	}
	return sum;
}

static NOINLINE uint32_t checksum(uint32_t number)
{
	uint32_t sum = number;

	for (int i = 0; i < LENGTH; i++) {
		sum ^= (uint8_t)text[i];
		for (int bit = 0; bit < 4; bit++)
			sum = sum & 1 ? sum >> 1 ^ 0xedb88320u : sum >> 1;
	}
	return sum;
}

static NOINLINE uint32_t parse(uint32_t number)
{
	uint32_t words = 0, digits = 0, in_word = 0;

	text[number % LENGTH] = (char)('0' + number % 60);
	for (const char *c = text; *c; c++) {
		if (*c >= '0' && *c <= '9') {
			digits++;
			in_word = 0;
		} else if (*c == ' ') {
			in_word = 0;
		} else if (!in_word) {
			in_word = 1;
			words++;
		}
	}
	return words * 64 + digits;
}

static NOINLINE uint32_t count(uint32_t number)
{
	return ++counters[number % 16] > 1000 ? counters[number % 16] = 0 : number;
}

typedef uint32_t (*handler)(uint32_t);
static const handler handlers[] = {look_up, checksum, parse, count};

static NOINLINE unsigned run(void)
{
	uint32_t sum = 0;

	fill();
	for (int i = 0; i < LENGTH; i++)
		text[i] = " ab 12 cdef"[i % 11];
	for (int turn = 0; turn < 250; turn++) {
		for (int i = 0; i < 100; i++)
			sum += handlers[turn & 3](draw());
		for (int i = 0; i < 40; i++) {
			uint32_t number = draw();

			sum ^= handlers[number >> 3 & 3](number);
		}
	}
	return sum;
}
