/* SPDX-License-Identifier: MIT */
/* The format of a file, by its first bytes. */
#pragma once

#include "base/file.h"
#include "base/file_guard.h"
#include "formats/build_tags.h"
#include "formats/model/branch_profile.h"
#include "formats/model/source_profile.h"
#include "softlbr/error.h"

enum profile_kind {
	PROFILE_UNKNOWN,
	/* recordings: traces */
	PROFILE_PERFDATA,
	PROFILE_PERFSCRIPT,
	/* recordings: counts at addresses */
	PROFILE_PREAGG,
	PROFILE_RANGES,
	PROFILE_CALLGRIND,
	/* llvm-bolt's */
	PROFILE_FDATA,
	/* of source: gcc's, then clang's */
	PROFILE_GCOV,
	PROFILE_LLVM_TEXT,
	PROFILE_LLVM_BINARY,
	PROFILE_LLVM_EXTBINARY,
	/* of gcc's control-flow graphs: for gcc -fprofile-use */
	PROFILE_GCDA,
	PROFILE_KINDS
};

enum profile_kind profile_kind_of(const uint8_t *data, size_t size);
/* Is data of an unknown kind one that is known by name, though not read? */
bool profile_kind_is_known_unread(const uint8_t *data, size_t size);
/* The error for data of an unknown kind, which says what it is, as far as that is known. */
int profile_kind_refuse(const uint8_t *data, size_t size, const char *name,
			struct softlbr_error *e);
/* Open a file, which may be compressed, and see what it is, if *kind is not PROFILE_UNKNOWN but
 * says so. What can't be told is an error (SOFTLBR_E_INPUT). A directory that is no recording is
 * one of counters, PROFILE_GCDA, to be read by counter_directory_read: its @view is empty. @view
 * may be closed also on failure. */
int profile_kind_open(const char *path, enum profile_kind *kind, struct file_view *view,
		      struct softlbr_error *e);
/* Files of @kind as what may be replaced by one of it. */
struct file_guard_kind profile_kind_guarded(enum profile_kind kind);
/* As the tool's options name it: "llvm-text". */
const char *profile_kind_name(enum profile_kind kind);
/* The kind of that name; PROFILE_UNKNOWN if there is none. */
enum profile_kind profile_kind_named(const char *name);
/* May it be converted? */
bool profile_kind_is_recording(enum profile_kind kind);
/* Is it one with counts at addresses instead of traces? */
bool profile_kind_is_counts(enum profile_kind kind);
/* Is it a profile of source: gcov, or LLVM's? */
bool profile_kind_is_source(enum profile_kind kind);

#define PROFILE_KIND_NAMES_BYTES 256
/* "perf.data, perf-script, ..." into @text, which it returns: of all kinds, or those that @is. */
const char *profile_kind_names(bool (*is)(enum profile_kind kind),
			       char text[PROFILE_KIND_NAMES_BYTES]);

/* Add counts at addresses to @p, the addresses as they are in the file, but for those of files that
 * it names (formats/build_tags.h). Not of callgrind, whose counts are of instructions. */
int profile_kind_read_counts(enum profile_kind kind, const uint8_t *data, size_t size,
			     const char *name, struct branch_profile *p, struct build_tags *tags,
			     struct softlbr_error *e);
/* The same of a text that has to be of one file. */
int profile_kind_read_only_file(enum profile_kind kind, const uint8_t *data, size_t size,
				const char *name, struct branch_profile *p,
				struct softlbr_error *e);

/* Read a profile of source; *version (may be NULL) is gcov's. @p is initialised by the call, also
 * when it fails. */
int profile_kind_read_source(enum profile_kind kind, const uint8_t *data, size_t size,
			     const char *name, struct source_profile *p, unsigned *version,
			     struct softlbr_error *e);
