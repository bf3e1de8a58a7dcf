/* SPDX-License-Identifier: MIT */
/* softlbr/profile.h: profiles of source, files of any kind as a whole, and the version. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized_struct.h"
#include "compare/source_score.h"
#include "converter/pipeline/merge.h"
#include "formats/gcov.h"
#include "formats/llvm_profile.h"
#include "formats/model/source_profile.h"
#include "library/private.h"

static struct softlbr_profile *profile_alloc(struct softlbr_error *e)
{
	struct softlbr_profile *p = memory_alloc(sizeof(*p));

	if (!p)
		error_set_nomem(e);
	return p;
}

/* @p if all went well. */
static struct softlbr_profile *profile_finish(struct softlbr_profile *p, int rc,
					      struct softlbr_error *e)
{
	if (!rc &&
	    (source_profile_sort(&p->source) || (p->has_clang && source_profile_sort(&p->clang))))
		rc = error_set_nomem(e);
	if (!rc)
		return p;
	softlbr_profile_free(p);
	return NULL;
}

/* What is not to be written is no profile. */
static int profile_judge(struct softlbr_branches *b, struct softlbr_error *e)
{
	struct verdict v;
	int status;

	verdict_init(&v);
	status = conversion_judge(&b->conversion, &v);
	return status && status != SOFTLBR_E_POOR ? verdict_error(&v, binary_path(b->binary), e)
						  : 0;
}

/* The major version of the gcc that made most of what ran; 0: none that reads profiles did. */
static unsigned gcc_of(const struct conversion *c)
{
	const struct attribute_stats *s = conversion_attributed(c);

	return s && s->producer.compiler == PRODUCER_GCC && s->producer.major >= GCOV_OLDEST_GCC
		       ? s->producer.major
		       : 0;
}

/* Take the counts over; nothing is to be smoothed if those for both compilers are the same. */
static void take_counts(struct softlbr_profile *p, struct conversion *c)
{
	struct conversion_counts *gcc = conversion_counts_of(c, CONVERSION_GCC),
				 *clang = conversion_counts_of(c, CONVERSION_CLANG);

	p->gcc = gcc_of(c);
	p->source = gcc->source;
	gcc->source = (struct source_profile){0};
	gcc->has_source = false;
	if (clang == gcc)
		return;
	p->clang = clang->source;
	p->has_clang = true;
	clang->source = (struct source_profile){0};
	clang->has_source = false;
}

struct softlbr_profile *softlbr_profile_convert(struct softlbr_branches *b, struct softlbr_error *e)
{
	struct softlbr_profile *p;

	e = library_error(e);
	if (branches_check(b, e))
		return NULL;
	if (conversion_make(&b->conversion, CONVERSION_GCC, e) ||
	    conversion_make(&b->conversion, CONVERSION_CLANG, e) || profile_judge(b, e)) {
		b->checked = false;
		return NULL;
	}
	p = profile_alloc(e);
	if (!p)
		return NULL;
	take_counts(p, &b->conversion);
	return profile_finish(p, 0, e);
}

static struct softlbr_profile *read_bytes(const void *data, size_t size, enum profile_kind kind,
					  const char *name, struct softlbr_error *e)
{
	struct softlbr_profile *p;
	unsigned version = 0;
	int rc;

	if (!profile_kind_is_source(kind)) {
		error_set(e, SOFTLBR_E_INPUT, name, "%s is %s, no profile of source", name,
			  kind == PROFILE_UNKNOWN ? "of an unknown format"
						  : profile_kind_name(kind));
		return NULL;
	}
	p = profile_alloc(e);
	if (!p)
		return NULL;
	rc = profile_kind_read_source(kind, data, size, name, &p->source, &version, e);
	p->gcc = gcov_newest_gcc_for(version);
	return profile_finish(p, rc, e);
}

struct softlbr_profile *softlbr_profile_read(const char *path, struct softlbr_error *e)
{
	enum profile_kind kind = PROFILE_UNKNOWN;
	struct softlbr_profile *p = NULL;
	struct file_view view = {0};

	e = library_error(e);
	if (!profile_kind_open(path, &kind, &view, e))
		p = read_bytes(view.data, view.size, kind, path, e);
	file_view_close(&view);
	return p;
}

struct softlbr_profile *softlbr_profile_read_memory(const void *data, size_t size, const char *name,
						    struct softlbr_error *e)
{
	e = library_error(e);
	return read_bytes(data, size, profile_kind_of(data, size), name, e);
}

void softlbr_profile_free(struct softlbr_profile *p)
{
	if (!p)
		return;
	source_profile_deinit(&p->source);
	if (p->has_clang)
		source_profile_deinit(&p->clang);
	memory_free(p);
}

/* The counts for clang of the sum, before those of the other profile are added. */
static int add_clang(struct softlbr_profile *to, const struct softlbr_profile *from,
		     uint64_t weight)
{
	if (!to->has_clang && !from->has_clang)
		return 0;
	if (!to->has_clang) {
		if (source_profile_init(&to->clang))
			return -1;
		to->has_clang = true;
		if (source_profile_add(&to->clang, &to->source, 1))
			return -1;
	}
	return source_profile_add(&to->clang, from->has_clang ? &from->clang : &from->source,
				  weight) ||
			       source_profile_sort(&to->clang)
		       ? -1
		       : 0;
}

int softlbr_profile_add(struct softlbr_profile *to, const struct softlbr_profile *from,
			uint64_t weight, struct softlbr_error *e)
{
	e = library_error(e);
	if (to == from)
		return error_set(e, SOFTLBR_E_USAGE, NULL, "a profile cannot be added to itself");
	if (!source_profiles_agree(&to->source, &from->source))
		return error_set(e, SOFTLBR_E_INPUT, NULL,
				 "one profile has names and the other MD5 GUIDs");
	if (!to->gcc)
		to->gcc = from->gcc;
	return add_clang(to, from, weight) ||
			       source_profile_add(&to->source, &from->source, weight) ||
			       source_profile_sort(&to->source)
		       ? error_set_nomem(e)
		       : 0;
}

int softlbr_profile_compare(struct softlbr_profile *reference, struct softlbr_profile *other,
			    struct softlbr_overlap *out, struct softlbr_error *e)
{
	struct softlbr_overlap overlap = {.branch = NAN, .edge = NAN};
	struct source_comparison c;
	int rc = source_score_compare(&reference->source, &other->source, 0, &c)
			 ? error_set_nomem(e)
			 : 0;

	e = library_error(e);
	overlap.function = c.score.function;
	overlap.line = c.score.line;
	source_score_deinit(&c);
	return rc ?: sized_struct_give(out, &overlap, sizeof(overlap), e);
}

int softlbr_profile_write(struct softlbr_profile *p, const char *path,
			  const struct softlbr_write_options *options, struct softlbr_error *e)
{
	struct softlbr_write_options o = {0};
	struct llvm_binary_options how = {0};
	const struct source_profile *clang;
	enum profile_kind kind;
	char known[PROFILE_KIND_NAMES_BYTES];
	int rc = sized_struct_take(&o, sizeof(o), options, e);

	e = library_error(e);
	if (rc)
		return rc;
	kind = o.format ? profile_kind_named(o.format) : PROFILE_GCOV;
	if (!profile_kind_is_source(kind))
		return error_set(e, SOFTLBR_E_USAGE, path,
				 "%s is no format of profiles of source: expected one of %s",
				 o.format, profile_kind_names(profile_kind_is_source, known));
	if (o.gcc && o.gcc < GCOV_OLDEST_GCC)
		return error_set(e, SOFTLBR_E_USAGE, path, "gcc %u: expected %d or more", o.gcc,
				 GCOV_OLDEST_GCC);
	if (kind == PROFILE_GCOV)
		return gcov_write(&p->source, o.gcc ?: p->gcc ?: GCOV_DEFAULT_GCC, path, e);
	clang = p->has_clang ? &p->clang : &p->source;
	if (kind == PROFILE_LLVM_TEXT)
		return llvm_text_write(clang, path, e);
	how.sections = kind == PROFILE_LLVM_EXTBINARY;
	how.md5 = o.md5;
	how.compressed = o.compress;
	return llvm_binary_write(clang, &how, path, e);
}

struct walk {
	struct softlbr_profile_handlers handlers;
	const struct source_profile *p;
	VECTOR(struct softlbr_frame) frames;
	VECTOR(struct softlbr_target) targets;
	struct softlbr_error *e;
};

static int walk_line(struct walk *w, const struct source_line *l)
{
	struct softlbr_line line = {.size = sizeof(line), .count = l->count};
	struct softlbr_frame *last = &w->frames.items[w->frames.count - 1];
	const struct source_target *t;

	last->line = l->at.line;
	last->discriminator = l->at.discriminator;
	w->targets.count = 0;
	vector_each (&l->targets, t) {
		if (vector_add(&w->targets,
			       (struct softlbr_target){strings_text(w->p->strings, t->name),
						       t->count}))
			return error_set_nomem(w->e);
	}
	line.frames = w->frames.items;
	line.frame_count = w->frames.count;
	line.targets = w->targets.items;
	line.target_count = w->targets.count;
	return w->handlers.line(w->handlers.context, &line);
}

static int walk_lines(struct walk *w, const struct source_function *f)
{
	struct softlbr_frame *frame = vector_push(&w->frames);
	const struct source_callsite *c;
	const struct source_line *l;
	int rc = frame ? 0 : error_set_nomem(w->e);

	if (rc)
		return rc;
	frame->function = strings_text(w->p->strings, f->name);
	vector_each (&f->lines, l) {
		rc = walk_line(w, l);
		if (rc)
			return rc;
	}
	vector_each (&f->callsites, c) {
		frame = &w->frames.items[w->frames.count - 1];
		frame->line = c->at.line;
		frame->discriminator = c->at.discriminator;
		rc = walk_lines(w, &c->callee);
		if (rc)
			return rc;
	}
	w->frames.count--;
	return 0;
}

static int walk_function(struct walk *w, const struct source_function *f)
{
	const struct softlbr_function function = {
		.size = sizeof(function),
		.name = strings_text(w->p->strings, f->name),
		.file = strings_text(w->p->strings, f->file),
		.entries = f->head,
		.total = source_function_total(f),
	};
	int rc = 0;

	if (w->handlers.function)
		rc = w->handlers.function(w->handlers.context, &function);
	return rc || !w->handlers.line ? rc : walk_lines(w, f);
}

int softlbr_profile_each(struct softlbr_profile *p, const struct softlbr_profile_handlers *handlers,
			 struct softlbr_error *e)
{
	struct walk w = {.p = &p->source, .e = library_error(e)};
	const struct source_function *f;
	int rc = sized_struct_take(&w.handlers, sizeof(w.handlers), handlers, w.e);

	vector_each (&p->source.functions, f) {
		if (rc)
			break;
		rc = walk_function(&w, f);
	}
	vector_deinit(&w.frames);
	vector_deinit(&w.targets);
	return rc;
}

unsigned softlbr_profile_api(void)
{
	return SOFTLBR_PROFILE_API;
}

const char *softlbr_profile_format(const char *path, struct softlbr_error *e)
{
	enum profile_kind kind = PROFILE_UNKNOWN;
	struct file_view view = {0};
	int rc;

	e = library_error(e);
	rc = profile_kind_open(path, &kind, &view, e);
	file_view_close(&view);
	return rc ? NULL : profile_kind_name(kind);
}

int softlbr_profile_merge(const struct softlbr_merge_input *inputs, size_t count,
			  const char *binary, const char *output, struct softlbr_error *e)
{
	struct merge_options how = {.binary_path = binary};
	struct merge_input *list = memory_alloc_array(count + 1, sizeof(*list));
	int rc;

	e = library_error(e);
	if (!list)
		return error_set_nomem(e);
	for (size_t i = 0; i < count; i++)
		list[i] = (struct merge_input){.path = inputs[i].path,
					       .weight = inputs[i].weight ? inputs[i].weight : 1};
	rc = merge_files(list, count, &how, output, e);
	memory_free(list);
	return rc;
}
