/* SPDX-License-Identifier: MIT */
/* softlbr merge: profiles of one kind, or recordings of one binary, to one file. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vector.h"
#include "cli/cli.h"
#include "converter/aggregate.h"
#include "formats/fdata.h"
#include "formats/gcov.h"
#include "formats/llvm_binary.h"
#include "formats/llvm_text.h"
#include "formats/preagg.h"
#include "formats/profile_kind.h"
#include "formats/source_merge.h"

struct merge_input {
	const char *path;
	uint64_t weight;
	struct file_view view;
	enum profile_kind kind;
};

struct merge {
	const char *output, *binary_path;
	enum profile_kind input; /* PROFILE_UNKNOWN = by content */
	uint64_t weight;	 /* of the files that follow */
	VECTOR(struct merge_input) inputs;
};

enum { OPTION_INPUT_FORMAT = 0x100 };

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0, "Write the merged profile here; - is standard output", 0},
	{"weight", 'w', "N", 0, "Count the files that follow N times", 0},
	{"binary", 'b', "FILE", 0,
	 "The program that was recorded: recordings are merged into pre-aggregated records of it",
	 0},
	{"input-format", OPTION_INPUT_FORMAT, "FORMAT", 0,
	 "Take the files for perf.data, perf-script, preagg, ranges, callgrind, fdata, gcov, llvm-text, "
	 "llvm-binary or llvm-extbinary, whatever they look like",
	 0},
	{0},
};

static const char doc[] =
	"Merge profiles of one kind: gcov, LLVM's (text, binary, extensible binary), fdata, "
	"pre-aggregated records; or, with --binary, recordings and texts of branches. The result does "
	"not depend on their order. LLVM profiles of several forms are merged to text.\v"
	"Exit status: 0 good, 1 input or output failed, 2 usage, 3 bad input or mixed kinds.";

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct merge *m = state->input;
	struct merge_input *input;
	char *end;

	switch (key) {
	case 'o':
		m->output = arg;
		break;
	case 'b':
		m->binary_path = arg;
		break;
	case 'w':
		errno = 0;
		m->weight = strtoull(arg, &end, 10);
		if (errno || *end || end == arg || !m->weight || m->weight > UINT32_MAX)
			argp_error(state, "--weight=%s: expected a number from 1 to %u", arg,
				   UINT32_MAX);
		break;
	case OPTION_INPUT_FORMAT:
		m->input = profile_kind_named(arg);
		if (m->input == PROFILE_UNKNOWN)
			argp_error(state, "--input-format=%s: expected one of %s", arg,
				   profile_kind_names());
		break;
	case ARGP_KEY_ARG:
		input = vector_push(&m->inputs);
		if (!input)
			return ENOMEM;
		input->path = arg;
		input->weight = m->weight;
		break;
	case ARGP_KEY_END:
		if (!m->output || !m->inputs.count)
			argp_error(state, "files to merge and --output are needed");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static bool same_kind(enum profile_kind a, enum profile_kind b)
{
	return a == b || (a >= PROFILE_LLVM_TEXT && b >= PROFILE_LLVM_TEXT);
}

/* Open all and look what they are; mixed kinds are refused. */
static int open_inputs(struct merge *m, struct softlbr_error *e)
{
	struct merge_input *i, *first = m->inputs.items;
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

static int write_source(const struct merge *m, const struct source_profile *sum, unsigned version,
			struct softlbr_error *e)
{
	/* the newest that reads the version, which does not throw discriminators away */
	static const unsigned compilers[] = {[1] = 11, [2] = 15, [3] = 16};
	const struct merge_input *first = m->inputs.items, *i;
	struct llvm_binary_options how = {.sections = first->kind == PROFILE_LLVM_EXTBINARY};
	bool one_form = true;

	if (first->kind == PROFILE_GCOV)
		return gcov_write(sum, compilers[version], m->output, e);
	vector_each (&m->inputs, i)
		one_form &= i->kind == first->kind;
	return one_form && first->kind != PROFILE_LLVM_TEXT
		       ? llvm_binary_write(sum, &how, m->output, e)
		       : llvm_text_write(sum, m->output, e);
}

static int merge_source(const struct merge *m, struct softlbr_error *e)
{
	struct source_profile sum, one;
	const struct merge_input *i;
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

static int merge_fdata(const struct merge *m, struct softlbr_error *e)
{
	const struct merge_input *i;
	struct bolt_profile sum;
	int rc = bolt_profile_init(&sum) ? error_set_nomem(e) : 0;

	vector_each (&m->inputs, i) {
		struct bolt_profile one;
		struct bolt_branch *b;

		if (rc || bolt_profile_init(&one)) {
			rc = rc ? rc : error_set_nomem(e);
			break;
		}
		rc = fdata_read_bytes((const char *)i->view.data, i->view.size, i->path, &one, e);
		vector_each (&one.branches, b) {
			struct bolt_location from = b->from, to = b->to;

			from.symbol = strings_add_text(sum.strings,
						       strings_text(one.strings, from.symbol));
			to.symbol = strings_add_text(sum.strings,
						     strings_text(one.strings, to.symbol));
			if (!rc && (from.symbol == STRINGS_NONE || to.symbol == STRINGS_NONE ||
				    bolt_profile_add(&sum, from, to, b->count * i->weight,
						     b->mispredicted * i->weight)))
				rc = error_set_nomem(e);
		}
		bolt_profile_deinit(&one);
	}
	if (!rc) {
		bolt_profile_sort(&sum);
		rc = fdata_write(&sum, m->output, e);
	}
	bolt_profile_deinit(&sum);
	return rc;
}

static bool in_one_function(void *context, uint64_t from, uint64_t to)
{
	const struct binary_function *f = binary_function_at(context, from);

	return f && to >= f->begin && to < f->end;
}

static int merge_recordings(const struct merge *m, struct softlbr_error *e)
{
	struct binary *binary = binary_open(m->binary_path, e);
	const struct merge_input *i;
	struct aggregate_options how = {.size = sizeof(how), .kind = m->input};
	struct aggregate a;
	int rc;

	if (!binary)
		return -e->code;
	rc = aggregate_init(&a, binary, &how, e);
	vector_each (&m->inputs, i) {
		if (rc)
			break;
		a.weight = i->weight;
		rc = aggregate_add_bytes(&a, i->view.data, i->view.size, i->path, e);
	}
	if (!rc && !a.profile.branches.count)
		rc = error_set(e, SOFTLBR_E_EMPTY, m->binary_path,
			       "no branch of the recordings is in %s", m->binary_path);
	if (!rc)
		rc = preagg_write(&a.profile, in_one_function, binary, m->output, e);
	aggregate_deinit(&a);
	binary_close(binary);
	return rc;
}

/* Without the binary: addresses and entries from inside and outside are as the files have them. */
static int merge_preagg(const struct merge *m, struct softlbr_error *e)
{
	struct branch_profile sum = {0};
	const struct merge_input *i;
	int rc = 0;

	vector_each (&m->inputs, i) {
		rc = preagg_read_weighed(&sum, i->view.data, i->view.size, i->path, i->weight, e);
		if (rc)
			break;
	}
	if (!rc)
		rc = preagg_write(&sum, NULL, NULL, m->output, e);
	branch_profile_deinit(&sum);
	return rc;
}

static int merge(struct merge *m, struct softlbr_error *e)
{
	int rc = open_inputs(m, e);
	enum profile_kind kind;

	if (rc)
		return rc;
	kind = m->inputs.items[0].kind;
	if (profile_kind_is_source(kind))
		return merge_source(m, e);
	if (kind == PROFILE_FDATA)
		return merge_fdata(m, e);
	if (m->binary_path)
		return merge_recordings(m, e);
	if (kind == PROFILE_PREAGG)
		return merge_preagg(m, e);
	return error_set(e, SOFTLBR_E_INPUT, m->inputs.items[0].path,
			 "%s is %s, whose addresses mean nothing without the binary: give it with "
			 "--binary",
			 m->inputs.items[0].path, profile_kind_name(kind));
}

int cli_merge(int argc, char **argv)
{
	static const struct argp argp = {options, parse_option, "FILE...", doc, NULL, NULL, NULL};
	struct merge m = {.weight = 1};
	struct softlbr_error e = {0};
	struct merge_input *i;

	argp_err_exit_status = SOFTLBR_E_USAGE;
	/* in order, so that a weight is that of the files behind it */
	if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &m))
		return SOFTLBR_E_SYSTEM;
	if (merge(&m, &e))
		fprintf(stderr, "softlbr merge: error: %s\n", e.text);
	vector_each (&m.inputs, i)
		file_view_close(&i->view);
	vector_deinit(&m.inputs);
	return e.code;
}
