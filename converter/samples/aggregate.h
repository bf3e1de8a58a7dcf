/* SPDX-License-Identifier: MIT */
/*
 * Recordings (perf.data) to the branch profile of one binary. Everything is counted on raw
 * addresses per address space first and resolved to modules once per distinct pair.
 *
 * Of a stack, newest entry first: each entry is a branch, and from each entry's target to the next
 * newer entry's source there is a range. A range is kept only if both ends are in the binary. What
 * is dropped is counted by cause in the funnel, whose numbers add up to the input.
 */
#ifndef CONVERTER_SAMPLES_AGGREGATE_H
#define CONVERTER_SAMPLES_AGGREGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "converter/samples/address_space.h"
#include "converter/binary/binary.h"
#include "converter/samples/frequencies.h"
#include "converter/samples/funnel.h"
#include "formats/model/branch_profile.h"
#include "formats/profile_kind.h"
#include "softlbr/error.h"

/* Where the doubled newest entry of some Intel CPUs is told from a short loop; autofdo's figure. */
#define AGGREGATE_STRIDE_BYTES 0x1000

struct aggregate_options {
	size_t size;		/* of this struct */
	uint64_t stride;	/* bytes; 0 = AGGREGATE_STRIDE_BYTES */
	bool any_build;		/* take another build of the binary if there is no better match */
	const char *event;	/* count this event's samples alone; NULL = all events' */
	enum profile_kind kind; /* of the files; PROFILE_UNKNOWN = by their content */
	unsigned threads;	/* to count with; 0 = 1. The result does not depend on it */
	/* Called every now and then while a perf.data is read; NULL = not. */
	void (*progress)(void *context, uint64_t done_bytes, uint64_t all_bytes);
	void *progress_context;
	bool keep;	/* only count: see resolve_binary */
	bool by_period; /* in the profile's samples each counts its period, not 1 */
	/* Cut the samples into so many parts at random, stacks of one time together, and count the
	 * part of that number alone; 0 = all. */
	unsigned parts, part;
	enum frequencies frequencies; /* what branches and ranges are counted from traces by */
};

/* An event of the recordings, by name. */
struct aggregate_event {
	char name[64];
	uint64_t samples;
	bool counted; /* or passed over, as asked for */
};

/* Of recordings whose counts are asked to be estimated. */
struct aggregate_frequencies {
	uint64_t recordings, biased; /* examined; of them estimated, the others are raw */
	uint64_t rated;		     /* of the estimated ones by the traces' rates */
	uint64_t traces;
	double starts, middles; /* of the last one examined: see converter/samples/frequencies.h */
	unsigned sweeps;	/* of the last chain */
};

/* How the binary was found in the recordings. */
enum aggregate_match {
	AGGREGATE_MATCH_NONE,
	AGGREGATE_MATCH_BUILD_ID,
	AGGREGATE_MATCH_PATH,
	AGGREGATE_MATCH_BASE_NAME,
	AGGREGATE_MATCH_UNNAMED,     /* the file says nothing of the binary it was made from */
	AGGREGATE_MATCH_OTHER_BUILD, /* by base name, although the build-ids differ */
};

struct aggregate_share {
	uint64_t branches; /* entries that begin in the module */
	uint64_t samples;  /* of recordings without branch stacks */
	bool is_binary;
};

/* A recording's counts at raw addresses. */
struct aggregate_kept {
	struct address_history history;
	uint64_t weight;
};

struct aggregate {
	struct binary *binary;
	struct aggregate_options options;
	struct branch_profile profile;
	struct funnel funnel;
	struct modules modules;
	VECTOR(struct aggregate_share) shares; /* by module number */
	struct map crossings;	    /* (from module, to module), which differ -> n = branches */
	enum aggregate_match match; /* the weakest over all recordings */
	int64_t other_build; /* a module with the binary's name but another build-id, or -1 */
	size_t recordings;
	bool own_addresses; /* the recording at hand has the binary's virtual addresses */
	bool all_softlbr;   /* each was recorded by softlbr */
	bool estimated;	    /* the branches and ranges of the recording at hand */
	struct aggregate_frequencies frequencies;
	char cpu[64];	 /* of the last recording that says, as perf names it */
	uint64_t weight; /* what each count of the next recordings is worth in the profile; 1 */
	VECTOR(struct aggregate_event) events;
	VECTOR(struct aggregate_kept) kept; /* with options.keep */
	bool borrows;			    /* modules and events, of those that were kept */
};

/* @options may be NULL. @binary must outlive @a; NULL: only modules, shares and crossings are of
 * interest. */
int aggregate_init(struct aggregate *a, struct binary *binary,
		   const struct aggregate_options *options, struct softlbr_error *e);
void aggregate_deinit(struct aggregate *a);
/*
 * Add a recording: a perf.data, what perf script prints of one, or a branch profile as text
 * (converter/samples/text_input.h), told by their content unless options.kind says. On
 * SOFTLBR_E_INPUT from a file that is cut off, what could be read has been added; on any other
 * error the profile is incomplete, and the funnel as it was.
 */
int aggregate_add(struct aggregate *a, const char *path, struct softlbr_error *e);
int aggregate_add_bytes(struct aggregate *a, const uint8_t *data, size_t size, const char *name,
			struct softlbr_error *e);
/* Was the recording that was added since @before of the binary, as far as it holds anything?
 * SOFTLBR_E_BINARY if not. @name is the recording, for messages. */
int match_check_added(const struct aggregate *a, const struct funnel *before, const char *name,
		      struct softlbr_error *e);
/* Is there something of the binary in it? An error if not: SOFTLBR_E_BINARY if it is of another,
 * SOFTLBR_E_EMPTY. @name is the input, for messages. */
int match_check(const struct aggregate *a, const char *name, struct softlbr_error *e);
/*
 * For several binaries of the same recordings, which are read once, by aggregate_add to @counted
 * with options.keep: start @a with the profile of @binary (NULL: shares and crossings). @counted
 * has to outlive @a, which aggregate_deinit ends also after an error.
 */
int resolve_binary(struct aggregate *a, struct aggregate *counted, struct binary *binary,
		   struct softlbr_error *e);
/* What began in a module: branches, or of recordings without any, samples; and of how many. */
uint64_t aggregate_module_share(const struct aggregate *a, size_t module);
uint64_t aggregate_whole(const struct aggregate *a);
/* Module numbers by falling share, at most @max; returns how many. */
size_t aggregate_top_modules(const struct aggregate *a, size_t *numbers, size_t max);

#endif
