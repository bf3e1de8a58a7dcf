/* SPDX-License-Identifier: MIT */
/*
 * A project on its way from an ordinary build to a faster one: what is asked for, and what was done
 * so far. Both are in a plain file, "state" in the state's directory, a line for each:
 *
 *	softlbr-pgo 1
 *	build COMMAND, run COMMAND, test-run COMMAND, ...	what was asked for
 *	step NAME	is done
 *	object PATH, program PATH				what the build made
 *	measured FIGURES	of one run, by workflow.c
 *	hottest PATH	the program with the most samples
 *	copy N PATH	of program number N, which the build made besides
 *	root DIRECTORY	gcc's counters are named relative to it
 *	# TEXT		what a step said, with its figures
 *
 * A backslash stands before what would end a line: "\n" is a newline, "\\" a backslash.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/vector.h"
#include "softlbr/error.h"

enum project_step {
	PROJECT_BUILD,	 /* as it can be recorded */
	PROJECT_RECORD,	 /* the training */
	PROJECT_PROFILE, /* of the recordings */
	PROJECT_REBUILD, /* with the profile */
	PROJECT_BOLT,	 /* what was rebuilt, by llvm-bolt */
	PROJECT_MEASURE, /* before against after */
	PROJECT_STEPS,
};

/* "build", "record", ... */
extern const char *const project_step_names[PROJECT_STEPS + 1];

/* What a user hears of. */
struct project_listener {
	/* A line of what a step did. */
	void (*say)(void *context, const char *line);
	/* What runs, number @done of @total; NULL: nothing any more. */
	void (*show)(void *context, const char *what, size_t done, size_t total);
	void *context;
};

typedef VECTOR(char *) project_texts; /* each to be freed with memory_free */

struct project {
	/* where, set by the caller and borrowed; paths from / on */
	const char *softlbr, *directory, *state;
	struct project_listener listener;
	/* asked for; owned */
	project_texts builds, cleans, runs, tests, pids, durations, filters, bolts; /* at most one,
			but of runs and tests */
	/* so far */
	bool done[PROJECT_STEPS];
	project_texts objects, programs, said, measured;
	project_texts hottest; /* the program with the most samples, if any was recorded */
	project_texts copies;  /* of programs: project_copies.h */
	project_texts roots;   /* the directory that gcc's counters are named below, if any */
	bool gcc, clang;       /* compile it */
	bool cleaned;	       /* --clean has run */
	bool building;	       /* now: project_built counts */
	char kept[16];	       /* "before", "after" or "bolted"; empty: nothing was measured */
};

/* What the state's directory says, which is made if it is not there. */
int project_open(struct project *p, struct softlbr_error *e);
int project_save(const struct project *p, struct softlbr_error *e);
void project_deinit(struct project *p);

/* Take what is asked for now; an empty list stays as it was. What was done from the first step on
 * that goes by a changed one is not done any more. */
int project_ask(struct project *p, const struct project *asked, struct softlbr_error *e);
/* From @step on nothing is done any more, nor measured. */
void project_forget(struct project *p, enum project_step step);

/* Say a line, which is kept in the state. */
void project_say(struct project *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void project_show(const struct project *p, const char *what, size_t done, size_t total);

/* The directory that gcc's counters are named below: -fprofile-prefix-path. */
const char *project_root(const struct project *p);
/* The only text, or NULL. */
const char *project_text(const project_texts *t);
int project_texts_add(project_texts *t, const char *text, struct softlbr_error *e);
void project_texts_deinit(project_texts *t);

/* The path of a file of the state's, to be freed with memory_free; NULL: @e. */
char *project_path(const struct project *p, struct softlbr_error *e, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Remove a file or a whole directory of the state's. */
void project_remove(const struct project *p, const char *name);
/* Bytes on disk of the state's files whose names begin so, those in its folders too. */
uint64_t project_bytes(const struct project *p, const char *begin);
/* Why a command failed, of what it printed: the first line with an error, else the last. In @out,
 * which is returned. */
const char *project_why(const struct project *p, const char *log, char out[256]);
