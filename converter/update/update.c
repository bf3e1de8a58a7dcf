/* SPDX-License-Identifier: MIT */
#include "converter/update/update.h"

#include "base/error.h"
#include "base/file_output.h"
#include "converter/binary/binary.h"
#include "converter/pipeline/counter_files.h"
#include "formats/fdata.h"
#include "formats/gcov.h"
#include "formats/llvm_profile.h"

const char *update_kind_name(enum update_kind kind)
{
	static const char *const names[] = {[UPDATE_SAME] = "same",
					    [UPDATE_MOVED] = "moved",
					    [UPDATE_RENAMED] = "renamed",
					    [UPDATE_LOST] = "lost",
					    [UPDATE_OUTSIDE] = "not in the sources"};

	return names[kind];
}

const struct update_funnel *update_funnel_of(const struct update *u)
{
	return u->kind == PROFILE_GCDA	  ? &u->counters.funnel
	       : u->kind == PROFILE_FDATA ? &u->bolt.funnel
					  : &u->source.funnel;
}

const struct update_loss *update_losses_of(const struct update *u, size_t *count)
{
	const struct vector_any *losses = u->kind == PROFILE_GCDA
						  ? (const struct vector_any *)&u->counters.losses
					  : u->kind == PROFILE_FDATA
						  ? (const struct vector_any *)&u->bolt.losses
						  : (const struct vector_any *)&u->source.losses;

	*count = losses->count;
	return losses->items;
}

/* ---- sources --------------------------------------------------------------------------------- */

static int read_diff(struct update *u, const struct update_options *o, struct softlbr_error *e)
{
	struct function_pairs *p = &u->pairs;
	bool reverse = !o->old_source;
	struct unified_diff diff = {0};
	struct file_view view;
	int rc = file_view_open(&view, o->diff_path, e);
	const char *text;

	if (rc)
		return rc;
	text = (const char *)view.data;
	rc = unified_diff_read(&diff, (struct text){text, text + view.size}, o->diff_path, e);
	if (!rc)
		rc = reverse ? source_tree_patch(&p->before.tree, &p->after.tree, &diff, true,
						 p->strings, e)
			     : source_tree_patch(&p->after.tree, &p->before.tree, &diff, false,
						 p->strings, e);
	unified_diff_deinit(&diff);
	file_view_close(&view);
	return rc;
}

static int read_sources(struct update *u, const struct update_options *o, struct softlbr_error *e)
{
	struct function_pairs *p = &u->pairs;
	int rc = 0;

	p->strings = strings_new();
	if (!p->strings)
		return error_set_nomem(e);
	if (o->old_source)
		rc = source_tree_read(&p->before.tree, o->old_source, p->strings, e);
	if (!rc && o->new_source)
		rc = source_tree_read(&p->after.tree, o->new_source, p->strings, e);
	if (!rc && o->diff_path)
		rc = read_diff(u, o, e);
	return rc;
}

/* @profile NULL: all functions. */
static int read_declarations(struct declarations *d, const char *path,
			     const struct source_profile *profile, struct softlbr_error *e)
{
	struct binary *b = path ? binary_open(path, e) : NULL;
	int rc = 0;

	if (path)
		rc = b ? declarations_read(d, b, profile, e) : -e->code;
	if (b && !rc && !d->known.count)
		rc = error_set(e, SOFTLBR_E_INPUT, path,
			       "%s: it has no debug information that says where a function%s is "
			       "declared: give a build with -g",
			       path, profile ? " of the profile" : "");
	binary_close(b);
	return rc;
}

/* ---- profiles -------------------------------------------------------------------------------- */

static int write_profile(const struct update *u, const struct source_profile *p, const char *output,
			 struct softlbr_error *e)
{
	struct llvm_binary_options how = {.sections = u->kind == PROFILE_LLVM_EXTBINARY};

	/* the newest does not throw discriminators away */
	if (u->kind == PROFILE_GCOV)
		return gcov_write(p, gcov_newest_gcc_for(u->gcov_version), output, e);
	return u->kind == PROFILE_LLVM_TEXT ? llvm_text_write(p, output, e)
					    : llvm_binary_write(p, &how, output, e);
}

static int copy_profile(const struct file_view *view, const char *output, struct softlbr_error *e)
{
	struct file_output out;
	int rc = file_output_open(&out, output, e);

	if (rc)
		return rc;
	fwrite(view->data, 1, view->size, out.stream);
	return file_output_end(&out, 0, e);
}

static uint64_t sum_of(const uint64_t counts[UPDATE_KINDS])
{
	uint64_t sum = 0;

	for (int i = 0; i < UPDATE_KINDS; i++)
		sum = source_count_add(sum, counts[i]);
	return sum;
}

/* Is it fit to be written? */
static int check_funnel(const struct update *u, const struct update_options *o,
			struct softlbr_error *e)
{
	const struct update_funnel *f = update_funnel_of(u);
	const char *older = u->kind == PROFILE_GCDA    ? "keys"
			    : u->kind == PROFILE_FDATA ? "binary"
						       : "sources";

	if (o->force)
		return 0;
	if (f->functions[UPDATE_OUTSIDE] == sum_of(f->functions))
		return error_set(e, SOFTLBR_E_BINARY, o->profile_path,
				 "no function of %s is in the older %s: give those that the "
				 "recorded program was built from; --force writes it unchanged",
				 o->profile_path, older);
	if (f->weight[UPDATE_LOST] == sum_of(f->weight))
		return error_set(e, SOFTLBR_E_EMPTY, o->profile_path,
				 "nothing of %s is left in the newer program: record the newer "
				 "program",
				 o->profile_path);
	return 0;
}

static int judge(const struct update *u, const struct update_options *o, struct softlbr_error *e)
{
	int rc = check_funnel(u, o, e);

	return rc || !o->tell ? rc : o->tell(o->context, u, e);
}

static int judge_losses(const struct update *u, const struct update_options *o,
			struct softlbr_error *e)
{
	const struct update_funnel *f = update_funnel_of(u);
	double lost = (double)f->weight[UPDATE_LOST] / (double)sum_of(f->weight);

	if (!(lost > o->max_lost))
		return 0;
	return error_set(e, SOFTLBR_E_POOR, o->profile_path,
			 "%.1f %% of the counts are lost, more than --max-lost %g %%: the sources "
			 "have changed too much; record the newer program",
			 100 * lost, 100 * o->max_lost);
}

static int update_source(struct update *u, const struct update_options *o,
			 const struct file_view *view, const char *output, struct softlbr_error *e)
{
	struct source_profile from, to = {0};
	int rc = profile_kind_read_source(u->kind, view->data, view->size, o->profile_path, &from,
					  &u->gcov_version, e);

	if (!rc && from.md5_names)
		rc = error_set(e, SOFTLBR_E_INPUT, o->profile_path,
			       "%s has MD5 numbers instead of names, which are not in sources: "
			       "convert the recording to llvm-text or llvm-extbinary",
			       o->profile_path);
	rc = rc ?: read_declarations(&u->pairs.before.declared, o->old_binary, &from, e);
	rc = rc ?: read_declarations(&u->pairs.after.declared, o->new_binary, NULL, e);
	rc = rc ?: source_update_make(&u->source, &u->pairs, &from, &to, e);
	rc = rc ?: judge(u, o, e);
	if (!rc)
		rc = u->source.changed ? write_profile(u, &to, output, e)
				       : copy_profile(view, output, e);
	source_profile_deinit(&from);
	source_profile_deinit(&to);
	return rc ?: judge_losses(u, o, e);
}

static int update_counters(struct update *u, const struct update_options *o,
			   const struct file_view *view, const char *output,
			   struct softlbr_error *e)
{
	struct counter_directory from, to = {0};
	int rc = counter_directory_read(&from, o->profile_path, view->data, view->size, e);

	if (!rc)
		rc = counter_update_make(&u->counters, &from, o->old_keys, o->new_keys, &to, e);
	rc = rc ?: judge(u, o, e);
	to.is_file = from.is_file;
	rc = rc ?: counter_files_write(&to, output, o->force, e);
	counter_directory_deinit(&from);
	counter_directory_deinit(&to);
	return rc ?: judge_losses(u, o, e);
}

static bool is_unchanged(const struct update_funnel *f)
{
	return !f->lines[UPDATE_MOVED] && !f->lines[UPDATE_RENAMED] && !f->lines[UPDATE_LOST];
}

static int update_fdata(struct update *u, const struct update_options *o,
			const struct file_view *view, const char *output, struct softlbr_error *e)
{
	struct bolt_profile from, to;
	int rc = 0;

	u->old_binary = binary_open(o->old_binary, e);
	u->new_binary = u->old_binary ? binary_open(o->new_binary, e) : NULL;
	if (!u->new_binary)
		return -e->code;
	if (bolt_profile_init(&from) || bolt_profile_init(&to))
		rc = error_set_nomem(e);
	rc = rc
		     ?: fdata_read_bytes((const char *)view->data, view->size, o->profile_path,
					 &from, e);
	rc = rc ?: bolt_update_make(&u->bolt, u->old_binary, u->new_binary, &from, &to, e);
	rc = rc ?: judge(u, o, e);
	if (!rc)
		rc = is_unchanged(&u->bolt.funnel) ? copy_profile(view, output, e)
						   : fdata_write(&to, output, e);
	bolt_profile_deinit(&from);
	bolt_profile_deinit(&to);
	return rc ?: judge_losses(u, o, e);
}

/* Is what the profile's kind needs given? */
static int check_needs(const struct update *u, const struct update_options *o,
		       struct softlbr_error *e)
{
	if (u->kind == PROFILE_GCDA && !o->new_keys)
		return error_set(e, SOFTLBR_E_USAGE, o->profile_path,
				 "%s has counters for gcc, which keys are followed by: give "
				 "--new-keys, a directory that softlbr gcc-keys makes",
				 o->profile_path);
	if (u->kind == PROFILE_FDATA && (!o->old_binary || !o->new_binary))
		return error_set(e, SOFTLBR_E_USAGE, o->profile_path,
				 "%s is fdata, which code is followed by: give --old-binary, the "
				 "recorded program, and --new-binary",
				 o->profile_path);
	if (profile_kind_is_source(u->kind) && !o->old_source && !o->new_source)
		return error_set(e, SOFTLBR_E_USAGE, o->profile_path,
				 "%s is %s: give --old-source and --new-source", o->profile_path,
				 profile_kind_name(u->kind));
	return 0;
}

static int check_output(const struct update *u, const struct update_options *o, const char *output,
			struct softlbr_error *e)
{
	const struct file_guard_kind guarded = profile_kind_guarded(u->kind);

	if (u->kind == PROFILE_GCDA)
		return 0; /* a directory: see counter_files_write */
	if (!profile_kind_is_source(u->kind) && u->kind != PROFILE_FDATA)
		return error_set(e, SOFTLBR_E_INPUT, o->profile_path,
				 "%s is %s, which can't be updated: give a profile of source lines "
				 "(gcov, llvm-text, llvm-binary, llvm-extbinary), counters (gcda) "
				 "or fdata",
				 o->profile_path, profile_kind_name(u->kind));
	return o->force ? 0 : file_guard_replace(output, &guarded, e);
}

static int update_by_sources(struct update *u, const struct update_options *o,
			     const struct file_view *view, const char *output,
			     struct softlbr_error *e)
{
	int rc = read_sources(u, o, e);

	u->pairs.demangle = o->demangle;
	if (!rc && function_pairs_init(&u->pairs))
		rc = error_set_nomem(e);
	return rc ?: update_source(u, o, view, output, e);
}

int update_file(struct update *u, const struct update_options *options, const char *output,
		struct softlbr_error *e)
{
	struct file_view view;
	int rc = profile_kind_open(options->profile_path, &u->kind, &view, e)
		 ?: check_output(u, options, output, e) ?: check_needs(u, options, e);

	if (!rc)
		rc = u->kind == PROFILE_GCDA	? update_counters(u, options, &view, output, e)
		     : u->kind == PROFILE_FDATA ? update_fdata(u, options, &view, output, e)
						: update_by_sources(u, options, &view, output, e);
	file_view_close(&view);
	return rc;
}

void update_deinit(struct update *u)
{
	source_update_deinit(&u->source);
	counter_update_deinit(&u->counters);
	bolt_update_deinit(&u->bolt);
	binary_close(u->old_binary);
	binary_close(u->new_binary);
	function_pairs_deinit(&u->pairs);
}
