/* SPDX-License-Identifier: MIT */
/* A profile of one version of a program's sources made one of another version: softlbr update. */
#pragma once

#include "formats/profile_kind.h"
#include "softlbr/error.h"
#include "converter/update/bolt_update.h"
#include "converter/update/counter_update.h"
#include "converter/update/source_update.h"

struct update;

struct update_options {
	const char *profile_path;
	const char *old_source, *new_source; /* directories; with a diff one of the two */
	const char *diff_path;		     /* from old to new, or NULL */
	const char *old_binary, *new_binary; /* builds with debug information, or NULL */
	char *(*demangle)(const char *name, bool arguments); /* as function_pairs.h has it */
	/* Of counters, in place of sources: the keys of both builds; NULL: those of the profile. */
	const char *old_keys, *new_keys;
	double max_lost; /* share of the counts, in [0,1] */
	/* Called when all is known, before the profile is written; or NULL. */
	int (*tell)(void *context, const struct update *u, struct softlbr_error *e);
	void *context;
	bool force; /* write also what is refused, and over files of other kinds */
};

struct update {
	struct function_pairs pairs; /* which the losses borrow from */
	struct source_update source;
	struct counter_update counters;
	struct binary *old_binary, *new_binary; /* of fdata */
	struct bolt_update bolt;
	enum profile_kind kind;
	unsigned gcov_version;
};

/*
 * Read, update and write the profile. @u is zeroed, ended with update_deinit also on failure. 0 or
 * a negative code: what can't be read (INPUT), sources that have no function of the profile
 * (BINARY) or nothing left of it (EMPTY): without @options->force nothing is written. POOR: it was
 * written, but more was lost than @options->max_lost.
 */
int update_file(struct update *u, const struct update_options *options, const char *output,
		struct softlbr_error *e);
void update_deinit(struct update *u);
/* What became of the profile; lines are arcs of counters and records of fdata. */
const struct update_funnel *update_funnel_of(const struct update *u);
const struct update_loss *update_losses_of(const struct update *u, size_t *count);
/* As it is called: "same", "moved", ... */
const char *update_kind_name(enum update_kind kind);
