/* SPDX-License-Identifier: MIT */
/* A hash table from strings to numbers: open addressing, linear probing, grows by doubling. */
#ifndef TABLE_H
#define TABLE_H

#include <stddef.h>
#include <stdint.h>

struct table_slot {
	char *key; /* NULL = free */
	uint32_t hash;
	int64_t value;
};

struct table {
	struct table_slot *slots;
	size_t capacity; /* a power of two */
	size_t count;
};

int table_init(struct table *table); /* 0, or -1 without memory */
void table_free(struct table *table);
int table_put(struct table *table, const char *key, int64_t value); /* 0, or -1 without memory */
int table_get(const struct table *table, const char *key, int64_t *value); /* 1 if found */

#endif
