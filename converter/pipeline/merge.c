/* SPDX-License-Identifier: MIT */
#include "converter/pipeline/merge.h"

#include <inttypes.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vector.h"
#include "converter/bolt/bolt_convert.h"
#include "converter/pipeline/conversion.h"
#include "converter/pipeline/counter_files.h"
#include "converter/pipeline/profile_outputs.h"
#include "formats/fdata.h"
#include "formats/gcov.h"
#include "formats/llvm_profile.h"
#include "formats/model/source_profile.h"
#include "formats/preagg.h"

struct input {
	const char *path;
	uint64_t weight;
	bool subtracted;
	struct file_view view;
	enum profile_kind kind;
};

struct merge {
	const struct merge_options *options;
	const char *output, *binary_path;
	struct recorded_program program; /* whose path binary_path is, unless it was given */
	enum profile_kind input;	 /* PROFILE_UNKNOWN = by content */
	bool keep_others;
	void (*tell)(const char *path, const struct aggregate_damage *damage);
	VECTOR(struct input) inputs;
};

static bool is_llvm(enum profile_kind kind)
{
	return kind >= PROFILE_LLVM_TEXT && kind <= PROFILE_LLVM_EXTBINARY;
}

static bool same_kind(enum profile_kind a, enum profile_kind b)
{
	return a == b || (is_llvm(a) && is_llvm(b));
}

/* Open all and look what they are; mixed kinds are refused. */
static int open_inputs(struct merge *m, struct softlbr_error *e)
{
	struct input *i, *first = m->inputs.items;
	int rc = 0;

	vector_each (&m->inputs, i) {
		i->kind = m->input;
		rc = profile_kind_open(i->path, &i->kind, &i->view, e);
		if (rc)
			return rc;
		if (!same_kind(first->kind, i->kind))
			return error_set(e, SOFTLBR_E_INPUT, i->path,
					 "%s is %s, but %s is %s: counts of different kinds cannot "
					 "be added; merge the recordings and convert the sum",
					 first->path, profile_kind_name(first->kind), i->path,
					 profile_kind_name(i->kind));
	}
	return 0;
}

static bool is_of_branches(enum profile_kind kind)
{
	return kind != PROFILE_FDATA && kind != PROFILE_GCDA && !profile_kind_is_source(kind);
}

/* LLVM's forms are merged to what was asked for; without, to text, unless all are one. */
static enum profile_kind output_kind(const struct merge *m)
{
	const struct input *first = m->inputs.items, *i;

	if (is_of_branches(first->kind))
		return PROFILE_PREAGG;
	if (m->options->to)
		return m->options->to;
	vector_each (&m->inputs, i)
		if (i->kind != first->kind)
			return PROFILE_LLVM_TEXT;
	return first->kind;
}

static int write_source(const struct merge *m, const struct source_profile *sum, unsigned version,
			struct softlbr_error *e)
{
	enum profile_kind kind = output_kind(m);
	struct llvm_binary_options how = {.sections = kind == PROFILE_LLVM_EXTBINARY};

	/* the newest does not throw discriminators away */
	if (kind == PROFILE_GCOV)
		return gcov_write(sum, gcov_newest_gcc_for(version), m->output, e);
	return kind == PROFILE_LLVM_TEXT ? llvm_text_write(sum, m->output, e)
					 : llvm_binary_write(sum, &how, m->output, e);
}

static int merge_source(const struct merge *m, struct softlbr_error *e)
{
	struct source_profile sum, one;
	const struct input *i;
	unsigned version = 0;
	int rc = source_profile_init(&sum) ? error_set_nomem(e) : 0;

	vector_each (&m->inputs, i) {
		unsigned its = 0;

		if (rc)
			break;
		rc = profile_kind_read_source(i->kind, i->view.data, i->view.size, i->path, &one,
					      &its, e);
		if (!rc && version && its != version)
			rc = error_set(e, SOFTLBR_E_INPUT, i->path,
				       "%s is for another GCC (gcov version %u) than %s (version "
				       "%u)",
				       i->path, its, m->inputs.items[0].path, version);
		if (!rc && !source_profiles_agree(&sum, &one))
			rc = error_set(e, SOFTLBR_E_INPUT, i->path,
				       "of %s and %s one has names and the other MD5 numbers "
				       "instead: the numbers of one function would not meet its "
				       "name; merge profiles that both have names",
				       m->inputs.items[0].path, i->path);
		if (!rc && source_profile_add(&sum, &one, i->weight))
			rc = error_set_nomem(e);
		version = its;
		source_profile_deinit(&one);
	}
	if (!rc && source_profile_sort(&sum))
		rc = error_set_nomem(e);
	if (!rc)
		rc = write_source(m, &sum, version, e);
	source_profile_deinit(&sum);
	return rc;
}

static uint64_t times(uint64_t n, uint64_t weight)
{
	uint64_t product;

	return __builtin_mul_overflow(n, weight, &product) ? UINT64_MAX : product;
}

/* Names of one function in two profiles: llvm-bolt would take the counts of the one alone. */
static int refuse_names(const struct merge *m, const struct bolt_names_clash *clash,
			const struct input *second, struct softlbr_error *e)
{
	const struct input *first = &m->inputs.items[clash->profile];
	uint64_t before = fdata_line_of((const char *)first->view.data, first->view.size,
					clash->earlier);
	uint64_t line = fdata_line_of((const char *)second->view.data, second->view.size,
				      clash->name);

	return error_set_at(e, SOFTLBR_E_INPUT, second->path, line,
			    "%s:%" PRIu64 ": %s may be what %s:%" PRIu64
			    " calls %s, and of one function's names llvm-bolt takes one alone: "
			    "give the program with --binary",
			    second->path, line, clash->name, first->path, before, clash->earlier);
}

static int add_fdata(struct bolt_profile *sum, const struct bolt_profile *one, uint64_t weight)
{
	const struct bolt_branch *b;

	vector_each (&one->branches, b) {
		struct bolt_location from = b->from, to = b->to;

		from.symbol = strings_add_text(sum->strings,
					       strings_text(one->strings, from.symbol));
		to.symbol = strings_add_text(sum->strings, strings_text(one->strings, to.symbol));
		if (from.symbol == STRINGS_NONE || to.symbol == STRINGS_NONE ||
		    bolt_profile_add(sum, from, to, times(b->count, weight),
				     times(b->mispredicted, weight)))
			return -1;
	}
	return 0;
}

/* @binary may be NULL: then names have to agree. */
static int merge_fdata_input(const struct merge *m, const struct input *i, struct binary *binary,
			     struct bolt_names *names, struct bolt_profile *sum,
			     struct softlbr_error *e)
{
	struct bolt_names_clash clash;
	struct bolt_profile one;
	int rc, found = 0;

	if (bolt_profile_init(&one))
		return error_set_nomem(e);
	rc = fdata_read_bytes((const char *)i->view.data, i->view.size, i->path, &one, e);
	if (!rc)
		found = binary ? bolt_names_unify(binary, &one)
			       : bolt_names_add(names, &one, (uint32_t)(i - m->inputs.items),
						&clash);
	if (!rc && found > 0 && !binary)
		rc = refuse_names(m, &clash, i, e);
	if (!rc && !found && binary)
		rc = error_set(e, SOFTLBR_E_BINARY, i->path,
			       "no function of %s is in %s: they do not belong together", i->path,
			       m->binary_path);
	if (!rc && (found < 0 || add_fdata(sum, &one, i->weight)))
		rc = error_set_nomem(e);
	bolt_profile_deinit(&one);
	return rc;
}

static int merge_fdata(const struct merge *m, struct softlbr_error *e)
{
	struct binary *binary = m->binary_path
					? binary_open_with(m->binary_path, m->options->search, e)
					: NULL;
	struct bolt_names names = {0};
	const struct input *i;
	struct bolt_profile sum;
	int rc;

	if (m->binary_path && !binary)
		return -e->code;
	rc = bolt_profile_init(&sum) ? error_set_nomem(e) : 0;
	vector_each (&m->inputs, i)
		if (!rc)
			rc = merge_fdata_input(m, i, binary, &names, &sum, e);
	if (!rc) {
		bolt_profile_sort(&sum);
		rc = fdata_write(&sum, m->output, e);
	}
	bolt_profile_deinit(&sum);
	bolt_names_deinit(&names);
	binary_close(binary);
	return rc;
}

/* The sum of directories is one; not one that is read. */
static int check_directory(const struct merge *m, struct softlbr_error *e)
{
	const struct input *i;
	struct stat output, input;

	vector_each (&m->inputs, i)
		if (!stat(m->output, &output) && !stat(i->path, &input) &&
		    output.st_dev == input.st_dev && output.st_ino == input.st_ino)
			return error_set(e, SOFTLBR_E_USAGE, i->path,
					 "%s is an input: it is not overwritten; write to another "
					 "directory",
					 i->path);
	return 0;
}

static int merge_counters(const struct merge *m, struct softlbr_error *e)
{
	struct counter_sum sum = {0};
	const struct input *i;
	int rc = check_directory(m, e);

	vector_each (&m->inputs, i) {
		struct counter_directory one;

		if (rc)
			break;
		rc = counter_directory_read(&one, i->path, i->view.data, i->view.size, e)
			     ?: counter_sum_add(&sum, &one, i->weight, m->options->keys_path, e);
		counter_directory_deinit(&one);
	}
	rc = rc ?: counter_files_write(&sum.directory, m->output, !m->keep_others, e);
	counter_sum_deinit(&sum);
	return rc;
}

static int add_recordings(const struct merge *m, struct conversion *c, struct softlbr_error *e)
{
	const struct branch_profile *sum = &c->aggregate.result.profile;
	const struct input *i;
	int rc;

	vector_each (&m->inputs, i) {
		if (i->subtracted)
			continue;
		rc = conversion_add_view(c, &i->view, i->path, i->weight, e);
		if (rc)
			return rc;
		if (m->tell)
			m->tell(i->path, &c->aggregate.result.damage);
	}
	vector_each (&m->inputs, i) {
		rc = i->subtracted ? conversion_subtract_view(c, &i->view, i->path, i->weight, e)
				   : 0;
		if (rc)
			return rc;
	}
	if (m->options->clamped)
		*m->options->clamped = c->clamped;
	if (!sum->branches.count)
		return error_set(e, SOFTLBR_E_EMPTY, m->binary_path,
				 "no branch of the recordings is in %s", m->binary_path);
	return profile_outputs_preagg(c->binary, sum, m->output, e);
}

/* As they were recorded: what is estimated of them is when they are converted. */
static int merge_recordings(const struct merge *m, struct softlbr_error *e)
{
	const struct conversion_options how = {.read = {.kind = m->input,
							.frequencies = FREQUENCIES_RAW,
							.progress = m->options->progress},
					       .each = true};
	struct binary *binary = binary_open_with(m->binary_path, m->options->search, e);
	struct conversion c;
	int rc;

	if (!binary)
		return -e->code;
	rc = conversion_init(&c, binary, &how, e);
	if (!rc) {
		rc = add_recordings(m, &c, e);
		conversion_deinit(&c);
	}
	binary_close(binary);
	return rc;
}

/* Without the binary: addresses, build-ids, and entries from inside and outside are as the files
 * have them. */
static int merge_preagg(const struct merge *m, struct softlbr_error *e)
{
	struct branch_profile sum = {0}, less = {0};
	struct branch_profile_clamped clamped = {0};
	struct build_tags tags = {0};
	const struct input *i;
	int rc = 0;

	vector_each (&m->inputs, i) {
		rc = preagg_read_weighed(i->subtracted ? &less : &sum, &tags, i->view.data,
					 i->view.size, i->path, i->weight, e);
		if (rc)
			break;
	}
	if (!rc && branch_profile_subtract(&sum, &less, &clamped))
		rc = error_set_nomem(e);
	if (m->options->clamped)
		*m->options->clamped = clamped;
	if (!rc)
		rc = preagg_write_tagged(&sum, &tags, m->output, e);
	build_tags_deinit(&tags);
	branch_profile_deinit(&less);
	branch_profile_deinit(&sum);
	return rc;
}

/* Without --binary: the recorded program. */
static int find_binary(struct merge *m, struct softlbr_error *e)
{
	const struct recorded_program_options how = {.name = m->binary_path,
						     .search.places = m->options->search};
	size_t count = m->inputs.count;
	struct recorded_input *inputs = memory_alloc_array(count, sizeof(*inputs));
	int rc;

	if (!inputs)
		return error_set_nomem(e);
	for (size_t i = 0; i < count; i++) {
		const struct input *from = &m->inputs.items[i];

		inputs[i] = (struct recorded_input){from->path, from->kind, &from->view};
	}
	rc = recorded_program_find(&m->program, inputs, count, &how, e);
	memory_free(inputs);
	if (rc)
		return rc;
	m->binary_path = m->program.path;
	return m->options->found ? m->options->found(m->options->found_context, &m->program, e) : 0;
}

/* What is subtracted must be the same counts, which those of source and of blocks are not. */
static int check_subtracted(const struct merge *m, struct softlbr_error *e)
{
	const struct input *i;

	vector_each (&m->inputs, i)
		if (i->subtracted && !is_of_branches(i->kind))
			return error_set(e, SOFTLBR_E_USAGE, i->path,
					 "%s is %s, which can't be subtracted: subtract the "
					 "recording, and convert the difference",
					 i->path, profile_kind_name(i->kind));
	return 0;
}

/* Only LLVM's profiles have forms to choose from. */
static int check_form(const struct merge *m, struct softlbr_error *e)
{
	const struct input *first = m->inputs.items;

	if (!m->options->to || is_llvm(first->kind))
		return 0;
	return error_set(
		e, SOFTLBR_E_USAGE, first->path,
		"%s is %s, of which no %s can be made: convert the recording, or leave out "
		"--to",
		first->path, profile_kind_name(first->kind), profile_kind_name(m->options->to));
}

static int merge_merge(struct merge *m, struct softlbr_error *e)
{
	int rc = open_inputs(m, e);
	struct file_guard_kind guarded;
	enum profile_kind kind;

	if (!rc)
		rc = check_form(m, e) ?: check_subtracted(m, e);
	if (rc)
		return rc;
	guarded = profile_kind_guarded(output_kind(m));
	if (m->keep_others && file_guard_replace(m->output, &guarded, e))
		return -SOFTLBR_E_USAGE;
	kind = m->inputs.items[0].kind;
	if (profile_kind_is_source(kind))
		return merge_source(m, e);
	if (kind == PROFILE_FDATA)
		return merge_fdata(m, e);
	if (kind == PROFILE_GCDA)
		return merge_counters(m, e);
	if (kind == PROFILE_PREAGG && !m->binary_path)
		return merge_preagg(m, e);
	if (recorded_program_is_sought(m->binary_path) &&
	    (!m->binary_path || recorded_program_is_in(kind)))
		rc = find_binary(m, e);
	return rc ? rc : merge_recordings(m, e);
}

int merge_files(const struct merge_input *inputs, size_t count, const struct merge_options *options,
		const char *output, struct softlbr_error *e)
{
	struct merge m = {.options = options,
			  .output = output,
			  .binary_path = options->binary_path,
			  .input = options->kind,
			  .keep_others = options->keep_others,
			  .tell = options->tell};
	struct input *i;
	int rc = count ? 0 : error_set(e, SOFTLBR_E_USAGE, NULL, "no files to merge");

	for (size_t n = 0; !rc && n < count; n++) {
		if (vector_add(&m.inputs, (struct input){.path = inputs[n].path,
							 .weight = inputs[n].weight,
							 .subtracted = inputs[n].subtracted}))
			rc = error_set_nomem(e);
	}
	if (!rc)
		rc = merge_merge(&m, e);
	recorded_program_deinit(&m.program);
	vector_each (&m.inputs, i)
		file_view_close(&i->view);
	vector_deinit(&m.inputs);
	return rc;
}
