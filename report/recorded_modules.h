/* SPDX-License-Identifier: MIT */
/* The modules of a recording, each with the file that is found for it and its counts. */
#pragma once

#include "base/file.h"
#include "converter/elf/debug_search.h"
#include "converter/pipeline/conversion.h"
#include "converter/pipeline/recorded_program.h"
#include "report/document.h"

struct recorded_module {
	size_t number; /* among the recording's modules */
	const char *path;
	struct module_file file; /* and why there is no binary */
	bool shared;		 /* the same build as one before, whose counts are of both */
	struct binary *binary;
	const struct branch_profile
		*profile;	      /* of nothing if shared; without a binary at offsets */
	struct conversion conversion; /* with a binary */
	struct aggregate offsets;     /* without */
};

struct recorded_modules {
	struct conversion shares; /* of no binary: modules and their shares */
	VECTOR(struct recorded_module) items;
	size_t resolved; /* with a binary, or shared */
	/* Of all branches (samples, without them): of files that are not found here. Code that is
	 * in no file is not among it. */
	double missing;
	const struct recorded_module *largest; /* of those files the one with the most; or NULL */
};

/* As much as that missing, and nothing true can be told of functions and lines. */
#define RECORDED_MODULES_MISSING_MOST 0.5

/*
 * Open the binary that a user names: a file or, of a recording that says its modules, one of those.
 * NULL on failure.
 */
struct binary *recorded_module_open(const struct recorded_input *input, const char *name,
				    const struct debug_search *search, struct softlbr_error *e);

/*
 * Find and resolve all modules that branches or samples of @counted began in, a conversion of no
 * binary with options.read.keep, which must outlive them. @m is initialised by the call, ended with
 * recorded_modules_deinit also on failure. 0 or a negative code.
 */
int recorded_modules_read(struct recorded_modules *m, struct conversion *counted,
			  const struct module_search *search, struct softlbr_error *e);
void recorded_modules_deinit(struct recorded_modules *m);

/* Refuse a recording whose files are not here, for the most part, as convert does: SOFTLBR_E_BINARY
 * if the largest is another build. */
int recorded_modules_check(const struct recorded_modules *m, struct softlbr_error *e);
/*
 * The module whose verdict is that of the recording, as convert chooses it: the program with the
 * most branches, or of a recording with hardly any in its programs the file with the most. NULL:
 * its file is not here.
 */
struct recorded_module *recorded_modules_main(const struct recorded_modules *m);
/* Put a fact "warning" of files that are not here, if they have some share. */
void recorded_modules_warn(const struct recorded_modules *m, struct document *out);
/* Put a table of all modules without a binary, with the reasons, at most @top rows; nothing if
 * there are none. */
void recorded_modules_put_unresolved(const struct recorded_modules *m, struct document *out,
				     size_t top);

/* ---- what it says of itself (recording_facts.c) --------------------------------------------- */

/* Add what the header of a perf.data says of its making; nothing if it is damaged, which is for the
 * reading of the whole to find. */
void recording_facts_put_origin(struct document *s, const struct file_view *view, const char *path);

/* Say whose code was copied to anonymous memory, if any was. */
void recording_facts_put_copied(struct document *s, const struct aggregate_result *r);

/* Say the verdict, in the words of all who judge. */
void recording_facts_put_verdict(struct document *s, const struct verdict *v);

/* Below that share of its time an event's scaled count is no more than a guess. */
#define RECORDING_FACTS_ENOUGH 0.25

/*
 * Put a table of the events, at most @top rows, and a fact that warns of events that hardly ran.
 * With more events than counters the kernel lets them take turns; a count is then scaled by the
 * time that it was meant to be counted and the time that it was, enabled / running.
 */
void recording_facts_put_events(struct document *s, const struct aggregate_result *r, size_t top);
