/* SPDX-License-Identifier: MIT */
/*
 * Recordings (perf.data) to the branch profile of one binary. Everything is counted on raw
 * addresses per address space first and resolved to modules once per distinct pair.
 *
 * Of a stack, newest entry first: each entry is a branch, and from each entry's target to the next
 * newer entry's source there is a range. A range is kept only if both ends are in the binary. What
 * is dropped is counted by cause in the funnel, whose numbers add up to the input.
 */
#pragma once

#include "converter/binary/binary.h"
#include "converter/samples/address_space.h"
#include "converter/samples/frequencies.h"
#include "converter/samples/funnel.h"
#include "converter/samples/joint_traces.h"
#include "converter/samples/modules.h"
#include "converter/samples/evidence.h"
#include "formats/model/branch_profile.h"
#include "formats/model/value_profile.h"
#include "formats/profile_kind.h"
#include "softlbr/error.h"

/* Where the doubled newest entry of some Intel CPUs is told from a short loop; autofdo's figure. */
#define AGGREGATE_STRIDE_BYTES 0x1000

/* Called every now and then while a perf.data is read; NULL = not. */
struct aggregate_progress {
	void (*report)(void *context, uint64_t done_bytes, uint64_t all_bytes);
	void *context;
};

struct aggregate_result;
struct aggregate_recording;

/* A moment that was sampled. */
struct aggregate_moment {
	const struct address_space *space;
	const struct perfdata_event *event;
	const struct perfdata_record *record; /* valid during the call */
	uint64_t times;
};

/* Who is handed each trace of a recording: h->traces has the branches that were met so far, and the
 * address spaces that these are in; or each sample. Each may be NULL; 0, or -1 without memory. */
struct aggregate_watcher {
	int (*take)(void *context, struct address_history *h, const struct trace *t);
	int (*take_moment)(void *context, struct address_history *h,
			   const struct aggregate_moment *moment);
	void *context;
};

struct aggregate_options {
	uint64_t stride;	/* bytes; 0 = AGGREGATE_STRIDE_BYTES */
	bool any_build;		/* take another build of the binary if there is no better match */
	const char *event;	/* count this event's samples alone; NULL = all events' */
	enum profile_kind kind; /* of the files; PROFILE_UNKNOWN = by their content */
	unsigned threads;	/* to count with; 0 = 1. The result does not depend on it */
	struct aggregate_progress progress;
	bool keep; /* only count: see aggregate_resolve */
	/* Also read samples that tell values, and resolve those of a recording by this: see
	 * value_samples.h; NULL = not */
	int (*resolve_values)(struct aggregate_result *result,
			      struct aggregate_recording *recording);
	/* Is handed each trace, instead of what estimates are made of; NULL. The recording's
	 * branches are all in its traces, or there are none. */
	const struct aggregate_watcher *watcher;
	bool first_runs;  /* also when code ran first: aggregate_result.first_runs */
	bool predictions; /* also how many branches hardware predicted: funnel */
	/* with all that it says of branches: aggregate_result.details; not with a watcher */
	bool details;
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
	uint64_t count; /* the sum of their periods: how often it occurred while it was counted */
	/* how long it was meant to be counted, and was; 0 where samples do not tell. */
	uint64_t enabled_ns, running_ns;
	bool counted; /* or passed over, as asked for */
};

/* The recordings whose counts are to be estimated; those of one weight are estimated together. */
struct aggregate_frequencies {
	uint64_t recordings, estimated; /* examined; of these estimated: the others are raw */
	uint64_t rated;			/* of the estimated ones by the traces' rates */
	uint64_t traces;
	double starts, middles; /* of the last one examined: see converter/samples/frequencies.h */
	unsigned sweeps;	/* of the last chain */
};

struct aggregate_share {
	uint64_t branches; /* entries that begin in the module */
	uint64_t samples;  /* of recordings without branch stacks */
	bool is_binary;
};

/* Lines of a text of perf script that were left out, and the number of the first; and how many of
 * its samples may be in a wrong file, as they name no process that is known. */
struct aggregate_damage {
	uint64_t lines, first;
	uint64_t samples_unnamed;
};

/* The result of reading recordings. */
struct aggregate_result {
	struct binary *binary; /* whose profile it is; NULL: modules, shares and crossings alone */
	int64_t of_module;     /* or the module's, without a file, at offsets in that; else -1 */
	struct branch_profile profile; /* see aggregate_estimate */
	VECTOR(struct joint_traces) joint;
	/* With options.first_runs: (address in the binary, 0) -> n = when it ran first, in ns since
	 * its program began, or, if that was before the recording, since the first sample, from 1
	 * on; where branches led from and to, and where samples were taken. */
	struct map first_runs;
	struct value_profile values;   /* with options.values */
	struct branch_details details; /* with options.details */
	struct funnel funnel;
	struct modules modules;
	VECTOR(struct aggregate_share) shares; /* by module number */
	struct map crossings; /* (from module, to module), which differ -> n = branches */
	struct module_match match;
	size_t recordings;
	size_t scripts, scripts_without_maps; /* of them texts of perf script */
	uint32_t auxtrace; /* a hardware trace that the last one has, as in struct perfdata_info */
	bool all_softlbr;  /* each was recorded by softlbr */
	struct aggregate_frequencies frequencies;
	struct evidence evidence;	/* of what was estimated, of most traces */
	struct aggregate_damage damage; /* of the last recording */
	char cpu[64];			/* of the last recording that says, as perf names it */
	VECTOR(struct aggregate_event) events;
};

/* The recording at hand, counted at raw addresses. */
struct aggregate_recording {
	struct address_history history;
	uint64_t weight;    /* what each of its counts is worth in the profile */
	bool own_addresses; /* they are the binary's virtual addresses */
};

/* Exact counts, whose branches take the binary to be read. */
struct aggregate_exact {
	struct file_view view;
	char *name;
	uint64_t weight;
	struct map taken; /* (module, 0) -> n = branches that begin in it */
};

struct aggregate {
	struct aggregate_options options;
	struct aggregate_result result;
	VECTOR(struct aggregate_recording) kept; /* with options.keep */
	VECTOR(struct aggregate_exact) kept_exact;
	bool borrows; /* modules and events, of those that were kept */
};

/* How many threads to count with are worth it on this machine. */
unsigned aggregate_threads(void);
/* @options may be NULL. @binary must outlive @a; NULL: see struct aggregate_result. */
int aggregate_init(struct aggregate *a, struct binary *binary,
		   const struct aggregate_options *options, struct softlbr_error *e);
void aggregate_deinit(struct aggregate *a);
/*
 * Add a recording, each count @weight times: a perf.data, what perf script prints of one, or a
 * branch profile as text (converter/samples/text_input.c), told by their content unless
 * options.kind says. On SOFTLBR_E_INPUT from a file that is cut off or damaged, what could be read
 * has been added; on any other error the profile is incomplete, and the funnel as it was.
 */
int aggregate_add(struct aggregate *a, const char *path, uint64_t weight, struct softlbr_error *e);
/* One that was opened, which is left open; its pages are given back while it is read. */
int aggregate_add_view(struct aggregate *a, const struct file_view *view, const char *name,
		       uint64_t weight, struct softlbr_error *e);
int aggregate_add_bytes(struct aggregate *a, const uint8_t *data, size_t size, const char *name,
			uint64_t weight, struct softlbr_error *e);
/* Before the profile is read, behind the last recording: branches and ranges of recordings that are
 * estimated together are added to it. 0 or a negative code. */
int aggregate_estimate(struct aggregate *a, struct softlbr_error *e);
/*
 * For several binaries of the same recordings, which are read once, by aggregate_add to @counted
 * with options.keep: start @a with the profile of @binary (NULL: shares and crossings). @counted
 * has to outlive @a, which aggregate_deinit ends also after an error.
 */
int aggregate_resolve(struct aggregate *a, struct aggregate *counted, struct binary *binary,
		      struct softlbr_error *e);
/* Before that, of all recordings that were kept: is anonymous memory over the code of the module,
 * whose file @binary is, that code (address_space.h)? 0, or -1 without memory. */
int aggregate_judge_copies(struct aggregate *counted, size_t module, struct binary *binary);
/* Nothing more will be resolved: what was counted by options.keep takes no memory any longer. */
void aggregate_forget_kept(struct aggregate *counted);
/* Resolve for a module whose file is not here: the profile is of offsets in the module. */
int aggregate_resolve_module(struct aggregate *a, struct aggregate *counted, size_t module,
			     struct softlbr_error *e);
/* How many branches (or, in recordings without any, samples) begin in a module; and in all. */
uint64_t aggregate_module_share(const struct aggregate_result *r, size_t module);
uint64_t aggregate_whole(const struct aggregate_result *r);
/* Module numbers by falling share, at most @max; returns how many. */
size_t aggregate_top_modules(const struct aggregate_result *r, size_t *numbers, size_t max);
