/* SPDX-License-Identifier: MIT */
/*
 * JSON out. Values are built into a tree and written once. Running out of memory is remembered by
 * the tree: build without checking, json_node_write reports it. Keys appear in the order given.
 */
#pragma once

#include <stdio.h>

#include "base/file_guard.h"

#include "softlbr/error.h"

struct json_node;

/*
 * Every JSON file that we write begins with this number, as "schema_version". It is raised when a
 * key is renamed or removed, or means something else; new keys do not raise it.
 */
#define JSON_SCHEMA_VERSION 1

/* Files of ours: an object with a whole number as its "schema_version". */
extern const struct file_guard_kind json_file_kind;

/* NULL without memory; every call below accepts NULL for @node and makes the writing fail. */
struct json_node *json_node_object(void);
struct json_node *json_node_document(void); /* an object that has its schema_version */
struct json_node *json_node_array(void);
void json_node_free(struct json_node *node);

/* @key is NULL exactly when @node is an array. What of a text is not UTF-8 is written as "?". */
void json_node_add_text(struct json_node *node, const char *key, const char *text);
void json_node_add_integer(struct json_node *node, const char *key, int64_t number);
void json_node_add_real(struct json_node *node, const char *key, double number); /* NaN = null */
void json_node_add_bool(struct json_node *node, const char *key, bool value);
void json_node_add_null(struct json_node *node, const char *key);
/* The parent owns @child from now on. */
void json_node_add_take(struct json_node *node, const char *key, struct json_node *child);

/* Indented, with a newline at the end. */
int json_node_write(const struct json_node *node, FILE *stream, struct softlbr_error *e);
