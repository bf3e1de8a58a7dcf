/* SPDX-License-Identifier: MIT */
/*
 * The conversion library (libsoftlbr-profile.so): read recordings and profiles, convert, merge and
 * compare them, from other profilers and services. examples/profile/summary.c is a program that
 * uses it.
 *
 *	struct softlbr_error e = {0};
 *	struct softlbr_branches *b = softlbr_branches_new("app", NULL, &e);
 *
 *	if (b && !softlbr_branches_read(b, "perf.data", 1, &e)) {
 *		struct softlbr_profile *p = softlbr_profile_convert(b, &e);
 *
 *		if (p)
 *			softlbr_profile_write(p, "app.gcov", NULL, &e);
 *		softlbr_profile_free(p);
 *	}
 *	softlbr_branches_free(b);
 *
 * Calls return 0 or a negative enum softlbr_code, constructors NULL; the error, which may be NULL,
 * says what failed, on which input, why, and what to try. Nothing is printed, and no input ends the
 * program. Handles are independent: different threads may use different ones at the same time.
 * Options structs begin with their size, and zero is the default of every other member; structs
 * that are handed out may grow at their ends, and begin with how much was filled.
 *
 * Formats are named as on softlbr's command line: "perf.data", "perf-script", "preagg", "ranges",
 * "callgrind", "fdata", "gcov", "llvm-text", "llvm-binary", "llvm-extbinary". Files to be read may
 * be compressed by gzip, zstd or xz, and "-" is standard input.
 */
#ifndef SOFTLBR_PROFILE_H
#define SOFTLBR_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "softlbr/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface: of the header, and of the library that is running. A program runs
 * with libraries of its own version; calls and members that are added leave it as it is. */
#define SOFTLBR_PROFILE_API 1
SOFTLBR_EXPORT unsigned softlbr_profile_api(void);

/* What a file holds, by its content: "gcov"; NULL with an error if it can't be told. */
SOFTLBR_EXPORT const char *softlbr_profile_format(const char *path, struct softlbr_error *e);

/* ---- branch profiles ----------------------------------------------------------------------- */

/* Taken branches of one binary, and the ranges of straight code between them, with their counts. */
struct softlbr_branches;

/* An address in another module, or in none. All others are ELF virtual addresses. */
#define SOFTLBR_OUTSIDE UINT64_MAX

struct softlbr_branches_options {
	size_t size;	    /* sizeof(struct softlbr_branches_options) */
	const char *event;  /* count the samples of this event alone; NULL = of all */
	const char *format; /* of the files; NULL = by their content */
	const char *symfs;  /* look for debug files below this directory first; NULL = don't */
	int any_build;	    /* take recordings of another build of the binary */
	int ip_samples;	    /* of recordings without branches take the sampled addresses */
	/* As softlbr convert's --frequencies: how often branches were taken, from traces. NULL =
	 * "auto"; "raw", "reweight", "chain". */
	const char *frequencies;
	/* As --smooth: NULL = "auto", which makes counts that are written for clang conserve flow
	 * where that helps; "none", "mcf"; with ip_samples "static", "flat". */
	const char *smooth;
};

/* An empty profile of a binary. @options may be NULL. */
SOFTLBR_EXPORT struct softlbr_branches *
softlbr_branches_new(const char *binary, const struct softlbr_branches_options *options,
		     struct softlbr_error *e);
SOFTLBR_EXPORT void softlbr_branches_free(struct softlbr_branches *b); /* NULL is fine */

/*
 * Add a recording (perf.data, text of perf script) or a text of addresses (preagg, ranges,
 * callgrind), each count @weight times. After an error what was added before is lost too: the
 * profile can only be freed. Errors: SOFTLBR_E_BINARY if it is not of this binary. That there is
 * nothing in it is none: the calls that use the sum say SOFTLBR_E_EMPTY.
 */
SOFTLBR_EXPORT int softlbr_branches_read(struct softlbr_branches *b, const char *path,
					 uint64_t weight, struct softlbr_error *e);
/* The same from memory, uncompressed; @name is for messages. */
SOFTLBR_EXPORT int softlbr_branches_read_memory(struct softlbr_branches *b, const void *data,
						size_t size, const char *name, uint64_t weight,
						struct softlbr_error *e);
/* Add what another profiler counted. @from is the address of the branch instruction; ranges are
 * inclusive, and end with the address of the branch that ended them. */
SOFTLBR_EXPORT int softlbr_branches_add(struct softlbr_branches *b, uint64_t from, uint64_t to,
					uint64_t count, uint64_t mispredicted,
					struct softlbr_error *e);
SOFTLBR_EXPORT int softlbr_branches_add_range(struct softlbr_branches *b, uint64_t begin,
					      uint64_t end, uint64_t count,
					      struct softlbr_error *e);

struct softlbr_branches_figures {
	size_t size;	       /* given: sizeof this struct; back: how much was filled */
	uint64_t branches;     /* times taken, as read */
	uint64_t ranges;       /* times run, as read */
	double valid_branches; /* share in [0,1] of branches that the code has */
	double whole_ranges;   /* share in [0,1] of ranges that control can run through */
};

/* Compare it with the binary's code. Good recordings have at least 0.95 of both. */
SOFTLBR_EXPORT int softlbr_branches_check(struct softlbr_branches *b,
					  struct softlbr_branches_figures *out,
					  struct softlbr_error *e);

/* Called for each branch and range that the code can have done, ascending by address; a return
 * other than 0 ends it and is passed on. @is_range: from and to are its begin and end. */
typedef int softlbr_branches_handler(void *context, int is_range, uint64_t from, uint64_t to,
				     uint64_t count, uint64_t mispredicted);
SOFTLBR_EXPORT int softlbr_branches_each(struct softlbr_branches *b,
					 softlbr_branches_handler *handler, void *context,
					 struct softlbr_error *e);

/* Write "preagg" (perf2bolt) or "fdata" (llvm-bolt). The file is there whole or not at all. */
SOFTLBR_EXPORT int softlbr_branches_write(struct softlbr_branches *b, const char *format,
					  const char *path, struct softlbr_error *e);

/* How much alike two profiles are: shares in [0,1] (docs/scores.md). */
struct softlbr_overlap {
	size_t size; /* given: sizeof this struct; back: how much was filled */
	double function;
	double branch; /* of branch profiles; NaN for profiles of source */
	double edge;   /* the same */
	double line;   /* of profiles of source; NaN for branch profiles */
};

/* Both of one binary file; @reference is taken for true. */
SOFTLBR_EXPORT int softlbr_branches_compare(struct softlbr_branches *reference,
					    struct softlbr_branches *other,
					    struct softlbr_overlap *out, struct softlbr_error *e);

/* ---- profiles of source -------------------------------------------------------------------- */

struct softlbr_profile;

/*
 * Branches to counts of source lines, by the binary's debug information. Where the counts for clang
 * are smoothed, the profile holds them too: softlbr_profile_write writes those in LLVM's formats,
 * all else is about the others. Errors: SOFTLBR_E_EMPTY; SOFTLBR_E_BINARY for branches that are not
 * of this code; SOFTLBR_E_INPUT without debug information.
 */
SOFTLBR_EXPORT struct softlbr_profile *softlbr_profile_convert(struct softlbr_branches *b,
							       struct softlbr_error *e);
/* Read a finished profile: gcov of every version, LLVM's text, binary and extensible binary. */
SOFTLBR_EXPORT struct softlbr_profile *softlbr_profile_read(const char *path,
							    struct softlbr_error *e);
SOFTLBR_EXPORT struct softlbr_profile *softlbr_profile_read_memory(const void *data, size_t size,
								   const char *name,
								   struct softlbr_error *e);
SOFTLBR_EXPORT void softlbr_profile_free(struct softlbr_profile *p); /* NULL is fine */

/* Add @from, each count @weight times. */
SOFTLBR_EXPORT int softlbr_profile_add(struct softlbr_profile *to,
				       const struct softlbr_profile *from, uint64_t weight,
				       struct softlbr_error *e);
/* @reference is taken for true. */
SOFTLBR_EXPORT int softlbr_profile_compare(struct softlbr_profile *reference,
					   struct softlbr_profile *other,
					   struct softlbr_overlap *out, struct softlbr_error *e);

struct softlbr_write_options {
	size_t size;	    /* sizeof(struct softlbr_write_options) */
	const char *format; /* NULL = "gcov"; "llvm-text", "llvm-binary", "llvm-extbinary" */
	unsigned gcc;	    /* gcov: the compiler's major version, 5 to 16; 0 = 12 */
	int md5;	    /* llvm-extbinary: numbers instead of names */
	int compress;	    /* llvm-extbinary: compress its sections */
};

/* @options may be NULL. The file is there whole or not at all; "-" is standard output. */
SOFTLBR_EXPORT int softlbr_profile_write(struct softlbr_profile *p, const char *path,
					 const struct softlbr_write_options *options,
					 struct softlbr_error *e);

/* A line of a function is an offset from the function's own line. */
struct softlbr_frame {
	const char *function; /* linkage name */
	int32_t line;
	uint32_t discriminator;
};

struct softlbr_target {
	const char *function;
	uint64_t count;
};

/* A count: the last frame is where, those before it are the calls that were inlined, outermost
 * first. All is valid during the call. */
struct softlbr_line {
	size_t size; /* how much is filled */
	const struct softlbr_frame *frames;
	size_t frame_count;
	uint64_t count;
	const struct softlbr_target *targets; /* that were called from there */
	size_t target_count;
};

struct softlbr_function {
	size_t size;	  /* how much is filled */
	const char *name; /* linkage name */
	const char *file; /* base name of the source file; "" if not known */
	uint64_t entries, total;
};

/* Each may be NULL; a return other than 0 ends the walk and is passed on. A function's lines follow
 * it; functions are in the order of their names. */
struct softlbr_profile_handlers {
	size_t size; /* sizeof(struct softlbr_profile_handlers) */
	int (*function)(void *context, const struct softlbr_function *f);
	int (*line)(void *context, const struct softlbr_line *l);
	void *context;
};

SOFTLBR_EXPORT int softlbr_profile_each(struct softlbr_profile *p,
					const struct softlbr_profile_handlers *handlers,
					struct softlbr_error *e);

/* ---- files --------------------------------------------------------------------------------- */

struct softlbr_merge_input {
	const char *path;
	uint64_t weight; /* 0 = 1 */
};

/*
 * Add up files of one kind, as `softlbr merge` does, fdata and preagg among them. With @binary (may
 * be NULL) recordings and texts of addresses, to preagg. The order does not matter.
 */
SOFTLBR_EXPORT int softlbr_profile_merge(const struct softlbr_merge_input *inputs, size_t count,
					 const char *binary, const char *output,
					 struct softlbr_error *e);

#ifdef __cplusplus
}
#endif
#endif
