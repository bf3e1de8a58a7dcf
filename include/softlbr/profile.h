/* SPDX-License-Identifier: MIT */
/*
 * The conversion library (libsoftlbr-profile.so), for other profilers and services: read recordings
 * and profiles, convert, merge and compare them. examples/profile/summary.c is a program that uses
 * it.
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
 * Calls return 0 or a negative enum softlbr_code; constructors return NULL on failure. The error,
 * which may be NULL, says what failed, on which input, why, and what to try. The library prints
 * nothing, and no input ends the program. Handles are independent: different threads may use
 * different handles at the same time. Options structs begin with their size, and zero is the
 * default of every other member. Structs that the library fills may grow at their ends, and begin
 * with the size that was filled.
 *
 * Formats have the names of softlbr's command line: "perf.data", "perf-script", "preagg", "ranges",
 * "callgrind", "fdata", "gcov", "llvm-text", "llvm-binary", "llvm-extbinary", "gcda". Input files
 *may be compressed by gzip, zstd or xz, and "-" is standard input.
 */
#ifndef SOFTLBR_PROFILE_H
#define SOFTLBR_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "softlbr/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface: of the header (the macro), and of the library that is loaded (the
 * call). A program needs a library of the same version. Added calls and members do not change it.
 */
#define SOFTLBR_PROFILE_API 1
SOFTLBR_EXPORT unsigned softlbr_profile_api(void);

/* The format of a file, by its content, for example "gcov"; NULL and an error if it is unknown. */
SOFTLBR_EXPORT const char *softlbr_profile_format(const char *path, struct softlbr_error *e);

/* ---- branch profiles ----------------------------------------------------------------------- */

/* Taken branches of one binary, and the ranges of straight-line code between them, with counts. */
struct softlbr_branches;

/* An address in another module, or in none. All others are ELF virtual addresses. */
#define SOFTLBR_OUTSIDE UINT64_MAX

struct softlbr_branches_options {
	size_t size;	    /* sizeof(struct softlbr_branches_options) */
	const char *event;  /* count only samples of this event; NULL = of all events */
	const char *format; /* of the files; NULL = by their content */
	const char *symfs;  /* look for debug files below this directory first; NULL = don't */
	int any_build;	    /* accept recordings of another build of the binary */
	int ip_samples;	    /* estimate branches from sampled addresses if there are no stacks */
	/* As softlbr convert --frequencies, how to estimate from traces how often branches were
	 * taken: "auto" (NULL), "raw", "reweight", "chain". */
	const char *frequencies;
	/* As softlbr convert --smooth: "auto" (NULL) makes counts for clang and of fdata
	 * conserve flow where that helps; "none", "mcf"; with ip_samples also "static", "flat". */
	const char *smooth;
};

/* An empty profile of a binary. @options may be NULL. */
SOFTLBR_EXPORT struct softlbr_branches *
softlbr_branches_new(const char *binary, const struct softlbr_branches_options *options,
		     struct softlbr_error *e);
SOFTLBR_EXPORT void softlbr_branches_free(struct softlbr_branches *b); /* NULL is fine */

/*
 * Add a recording (perf.data, text of perf script) or a text of addresses (preagg, ranges,
 * callgrind), each count @weight times. After an error, what was added before is lost too: the
 * profile can only be freed. Errors: SOFTLBR_E_BINARY if the file is not of this binary. An empty
 * recording is not an error here; the calls that use the sum return SOFTLBR_E_EMPTY.
 */
SOFTLBR_EXPORT int softlbr_branches_read(struct softlbr_branches *b, const char *path,
					 uint64_t weight, struct softlbr_error *e);
/* The same from memory, uncompressed; @name is for messages. */
SOFTLBR_EXPORT int softlbr_branches_read_memory(struct softlbr_branches *b, const void *data,
						size_t size, const char *name, uint64_t weight,
						struct softlbr_error *e);
/* Add counts of another profiler. @from is the address of the branch instruction. Ranges are
 * inclusive: @end is the address of the branch instruction that ends the range. */
SOFTLBR_EXPORT int softlbr_branches_add(struct softlbr_branches *b, uint64_t from, uint64_t to,
					uint64_t count, uint64_t mispredicted,
					struct softlbr_error *e);
SOFTLBR_EXPORT int softlbr_branches_add_range(struct softlbr_branches *b, uint64_t begin,
					      uint64_t end, uint64_t count,
					      struct softlbr_error *e);

struct softlbr_branches_figures {
	size_t size;	       /* in: sizeof this struct; out: the size that was filled */
	uint64_t branches;     /* times taken, as read */
	uint64_t ranges;       /* times executed, as read */
	double valid_branches; /* share in [0,1] consistent with the disassembly */
	double whole_ranges;   /* share in [0,1] of ranges that control can run through */
};

/* Compare the profile with the binary's code. In good recordings both shares are at least 0.95. */
SOFTLBR_EXPORT int softlbr_branches_check(struct softlbr_branches *b,
					  struct softlbr_branches_figures *out,
					  struct softlbr_error *e);

/* Called for each branch and range that is consistent with the code, ascending by address. With
 * @is_range, @from and @to are the range's begin and end. Any return value but 0 ends the walk and
 * is passed on. */
typedef int softlbr_branches_handler(void *context, int is_range, uint64_t from, uint64_t to,
				     uint64_t count, uint64_t mispredicted);
SOFTLBR_EXPORT int softlbr_branches_each(struct softlbr_branches *b,
					 softlbr_branches_handler *handler, void *context,
					 struct softlbr_error *e);

/* Write "preagg" (perf2bolt) or "fdata" (llvm-bolt). An incomplete file is never left. */
SOFTLBR_EXPORT int softlbr_branches_write(struct softlbr_branches *b, const char *format,
					  const char *path, struct softlbr_error *e);

/* The overlap of two profiles: shares in [0,1] (docs/scores.md). */
struct softlbr_overlap {
	size_t size; /* in: sizeof this struct; out: the size that was filled */
	double function;
	double branch; /* of branch profiles; NaN for source profiles */
	double edge;   /* of branch profiles; NaN for source profiles */
	double line;   /* of source profiles; NaN for branch profiles */
};

/* Both profiles have to be of the same binary file. @reference is taken as the truth. */
SOFTLBR_EXPORT int softlbr_branches_compare(struct softlbr_branches *reference,
					    struct softlbr_branches *other,
					    struct softlbr_overlap *out, struct softlbr_error *e);

/* ---- source profiles ----------------------------------------------------------------------- */

struct softlbr_profile;

/*
 * Turn branches into counts of source lines, by the binary's debug information. If counts for clang
 * are smoothed, the profile has both sets of counts: softlbr_profile_write uses the smoothed counts
 * for LLVM's formats, and everything else uses the others. Errors: SOFTLBR_E_EMPTY;
 * SOFTLBR_E_BINARY for branches that are not of this code; SOFTLBR_E_INPUT without debug
 * information.
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
/* @reference is taken as the truth. */
SOFTLBR_EXPORT int softlbr_profile_compare(struct softlbr_profile *reference,
					   struct softlbr_profile *other,
					   struct softlbr_overlap *out, struct softlbr_error *e);

struct softlbr_write_options {
	size_t size;	    /* sizeof(struct softlbr_write_options) */
	const char *format; /* NULL = "gcov"; "llvm-text", "llvm-binary", "llvm-extbinary" */
	unsigned gcc;	    /* gcov: the compiler's major version, from 5 on; 0 = the one that made
			     * the program, or that the profile read was for, else 12 */
	int md5;	    /* llvm-extbinary: MD5 GUIDs instead of names */
	int compress;	    /* llvm-extbinary: compress its sections */
};

/* @options may be NULL. An incomplete file is never left; "-" is standard output. */
SOFTLBR_EXPORT int softlbr_profile_write(struct softlbr_profile *p, const char *path,
					 const struct softlbr_write_options *options,
					 struct softlbr_error *e);

/* A position in a function; @line is the offset from the function's own line. */
struct softlbr_frame {
	const char *function; /* linkage name */
	int32_t line;
	uint32_t discriminator;
};

struct softlbr_target {
	const char *function;
	uint64_t count;
};

/* A count of one source position. The last frame is the position; the frames before it are the
 * inlined calls that lead there, outermost first. Everything is valid only during the call. */
struct softlbr_line {
	size_t size; /* the size that is filled */
	const struct softlbr_frame *frames;
	size_t frame_count;
	uint64_t count;
	const struct softlbr_target *targets; /* the functions called from there */
	size_t target_count;
};

struct softlbr_function {
	size_t size;		 /* the size that is filled */
	const char *name;	 /* linkage name */
	const char *file;	 /* base name of the source file; "" if unknown */
	uint64_t entries, total; /* the head count; the sum of all counts */
};

/* Each handler may be NULL. Any return value but 0 ends the walk and is passed on. Functions come
 * in the order of their names, and each is followed by its lines. */
struct softlbr_profile_handlers {
	size_t size; /* sizeof(struct softlbr_profile_handlers) */
	int (*function)(void *context, const struct softlbr_function *f);
	int (*line)(void *context, const struct softlbr_line *l);
	void *context;
};

SOFTLBR_EXPORT int softlbr_profile_each(struct softlbr_profile *p,
					const struct softlbr_profile_handlers *handlers,
					struct softlbr_error *e);

/* ---- counters for gcc ---------------------------------------------------------------------- */

/* The counters that gcc -fprofile-use reads ("gcda"): of an object file, or a directory of those of
 * a program, as `softlbr convert --to gcda=DIRECTORY` or an instrumented program leaves them. */
struct softlbr_counters;

/* Read a file or a directory. @keys: the directory that softlbr gcc-keys made, by which functions
 * have names; NULL: those that the note beside the counters names, or .gcno files beside them, if
 * there are any. */
SOFTLBR_EXPORT struct softlbr_counters *softlbr_counters_read(const char *path, const char *keys,
							      struct softlbr_error *e);
SOFTLBR_EXPORT void softlbr_counters_free(struct softlbr_counters *c); /* NULL is fine */

/* Add @from, each count @weight times. Functions that only one has are taken as they are; after
 * SOFTLBR_E_INPUT, since a function was compiled from other sources, @to can only be freed. */
SOFTLBR_EXPORT int softlbr_counters_add(struct softlbr_counters *to,
					const struct softlbr_counters *from, uint64_t weight,
					struct softlbr_error *e);
/* Write a directory, which is made, or a file, as it was read. All files appear, or none. */
SOFTLBR_EXPORT int softlbr_counters_write(const struct softlbr_counters *c, const char *path,
					  struct softlbr_error *e);
/* Overlap of functions, and of the arcs that have counters (edge); the others are NaN. */
SOFTLBR_EXPORT int softlbr_counters_compare(const struct softlbr_counters *reference,
					    const struct softlbr_counters *other,
					    struct softlbr_overlap *out, struct softlbr_error *e);

/* A function that has counters. Everything is valid only during the call. */
struct softlbr_counted {
	size_t size;	  /* the size that is filled */
	const char *name; /* linkage name; NULL: the keys do not know it, or there are none */
	const char *file; /* of its source, as it was compiled; "" if unknown */
	uint32_t ident;	  /* gcc's number of it */
	int has_entries;  /* its graph is known: */
	uint64_t entries; /* how often it was entered */
	uint64_t total;	  /* the sum of the arcs' counters */
	const uint64_t *arcs;
	size_t arc_count;
};

/* Any return value but 0 ends the walk and is passed on. */
typedef int softlbr_counters_handler(void *context, const struct softlbr_counted *f);
/* Called for each function, by ascending ident. */
SOFTLBR_EXPORT int softlbr_counters_each(const struct softlbr_counters *c,
					 softlbr_counters_handler *handler, void *context,
					 struct softlbr_error *e);

/* ---- files --------------------------------------------------------------------------------- */

struct softlbr_merge_input {
	const char *path;
	uint64_t weight; /* 0 = 1 */
};

/*
 * Add up files of one kind, as `softlbr merge` does, fdata, preagg and gcda included; directories
 * of counters are added up to a directory. Recordings and texts of addresses of @binary are added
 * up to preagg; without @binary (NULL), those of the program that the recordings name, if it is
 * found. The order does not matter.
 */
SOFTLBR_EXPORT int softlbr_profile_merge(const struct softlbr_merge_input *inputs, size_t count,
					 const char *binary, const char *output,
					 struct softlbr_error *e);

#ifdef __cplusplus
}
#endif
#endif
