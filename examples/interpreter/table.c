/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash_string(const char *key)
{
	uint32_t hash = 2166136261u;

	while (*key) {
		hash ^= (unsigned char)*key;
		hash *= 16777619u;
		key++;
	}
	return hash;
}

static struct table_slot *find_slot(const struct table *table, const char *key, uint32_t hash)
{
	size_t at = hash & (table->capacity - 1);

	for (;;) {
		struct table_slot *slot = &table->slots[at];

		if (!slot->key)
			return slot;
		if (slot->hash == hash) {
			if (strcmp(slot->key, key) == 0)
				return slot;
		}
		at = (at + 1) & (table->capacity - 1);
	}
}

static int grow(struct table *table)
{
	struct table larger;

	larger.capacity = table->capacity * 2;
	larger.count = table->count;
	larger.slots = calloc(larger.capacity, sizeof(*larger.slots));
	if (!larger.slots)
		return -1;
	for (size_t i = 0; i < table->capacity; i++) {
		struct table_slot *slot = &table->slots[i];

		if (slot->key)
			*find_slot(&larger, slot->key, slot->hash) = *slot;
	}
	free(table->slots);
	*table = larger;
	return 0;
}

int table_init(struct table *table)
{
	table->capacity = 16;
	table->count = 0;
	table->slots = calloc(table->capacity, sizeof(*table->slots));
	return table->slots ? 0 : -1;
}

void table_free(struct table *table)
{
	for (size_t i = 0; i < table->capacity; i++)
		free(table->slots[i].key);
	free(table->slots);
	table->slots = NULL;
	table->capacity = 0;
}

int table_put(struct table *table, const char *key, int64_t value)
{
	uint32_t hash = hash_string(key);
	struct table_slot *slot = find_slot(table, key, hash);

	if (slot->key) {
		slot->value = value;
		return 0;
	}
	if (table->count * 3 >= table->capacity * 2) {
		if (grow(table))
			return -1;
		slot = find_slot(table, key, hash);
	}
	slot->key = strdup(key);
	if (!slot->key)
		return -1;
	slot->hash = hash;
	slot->value = value;
	table->count++;
	return 0;
}

int table_get(const struct table *table, const char *key, int64_t *value)
{
	struct table_slot *slot = find_slot(table, key, hash_string(key));

	if (!slot->key)
		return 0;
	*value = slot->value;
	return 1;
}
