/* SPDX-License-Identifier: MIT */
/* What the files of report/show.h share. */
#pragma once

#include "base/file.h"
#include "converter/binary/binary.h"
#include "converter/pipeline/conversion.h"
#include "formats/model/source_profile.h"
#include "converter/debuginfo/declarations.h"
#include "report/function_counts.h"
#include "report/show.h"

struct show {
	const struct show_options *options;
	struct document *out;
	struct file_view view;
	enum profile_kind kind;
	struct binary *binary; /* NULL if not given */
	struct declarations declarations;
};

/* What a recording says of one binary. */
struct show_part {
	struct binary *binary; /* NULL: addresses are offsets in the module */
	const char *module;    /* its path; NULL: of the one that is shown */
	const struct branch_profile *profile;
	const struct value_profile *values; /* NULL: none were asked for */
	struct function_counts functions;
};

/* Is the section asked for, or among @usual if none is? */
bool show_wants(const struct show *s, enum show_section section, unsigned usual);
/* An error if a section is asked for that @possible has not. */
int show_check(const struct show *s, unsigned possible, const char *why, struct softlbr_error *e);
/* Lines of perf script's text that were left out, and the number of the first; none is no fact. */
void show_damage(struct show *s, const struct aggregate_damage *damage);

/* Each adds facts and tables; 0 or a negative code. */
int show_source_file(struct show *s, struct softlbr_error *e);
int show_source_profile(struct show *s, struct source_profile *p, unsigned usual,
			struct softlbr_error *e);
int show_fdata(struct show *s, struct softlbr_error *e);
int show_counters(struct show *s, struct softlbr_error *e);
int show_recording(struct show *s, struct softlbr_error *e);
int show_addresses(struct show *s, struct softlbr_error *e);
int show_with_binary(struct show *s, struct softlbr_error *e);

/* A count of a line of a source file. */
struct show_line {
	const char *file;
	uint64_t line, count;
};

/* Add the source that ran, of the files below options->source_directory; counts of one line are
 * added up. @needs says what lines are known by, if there are none. */
int show_annotate(struct show *s, const struct show_line *lines, size_t count, const char *needs,
		  struct softlbr_error *e);

/* Each adds a table of all parts. */
void show_put_functions(struct show *s, const struct show_part *parts, size_t count);
void show_put_branches(struct show *s, const struct show_part *parts, size_t count);
void show_put_ranges(struct show *s, const struct show_part *parts, size_t count);
/* Tables of values and of arguments, as far as they are asked for; 0 or a negative code. */
int show_put_values(struct show *s, const struct show_part *parts, size_t count,
		    struct softlbr_error *e);
bool show_wants_values(const struct show *s);
/* SOFTLBR_E_EMPTY if they are, and there are none. */
int show_check_values(const struct show *s, const struct show_part *parts, size_t count,
		      struct softlbr_error *e);
