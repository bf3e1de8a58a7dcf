/* SPDX-License-Identifier: MIT */
#include "report/views/report.h"

#include "base/error.h"
#include "report/recorded_modules.h"
#include "report/views/function_listing.h"
#include "report/views/view.h"

static const struct {
	const char *name;
	int (*put)(struct view *v);
} views[REPORT_VIEWS] = {
	[REPORT_SUMMARY] = {"summary", view_summary},
	[REPORT_BRANCHES] = {"branches", view_branches},
	[REPORT_PROBABILITY] = {"probability", view_probability},
	[REPORT_MISPREDICTION] = {"misprediction", view_misprediction},
	[REPORT_LATENCY] = {"latency", view_latency},
	[REPORT_PATHS] = {"paths", view_paths},
	[REPORT_STACKS] = {"stacks", view_stacks},
	[REPORT_SOURCE] = {"source", view_source},
	[REPORT_ASSEMBLY] = {"assembly", view_assembly},
	[REPORT_EVENTS] = {"events", view_events},
	[REPORT_GRAPH] = {"graph", view_graph},
};

/* The views that a report has without --view. */
#define FIRST_LOOK                                                                 \
	(1u << REPORT_SUMMARY | 1u << REPORT_BRANCHES | 1u << REPORT_PROBABILITY | \
	 1u << REPORT_PATHS)

const char *report_view_name(enum report_view view)
{
	return view < REPORT_VIEWS ? views[view].name : NULL;
}

/* A report at work. */
struct report {
	const struct report_options *options;
	struct file_view file;
	enum profile_kind kind;
	struct binary *binary; /* that was asked for; NULL = all modules */
	struct conversion conversion;
	struct recorded_modules modules;
	struct view view;
};

static int add_part(struct report *r, struct view_part part, struct softlbr_error *e)
{
	struct view_part *slot = vector_push(&r->view.parts);

	part.places.binary = part.binary;
	if (!slot || branch_sites_make(&part.sites, part.binary, part.profile, part.details))
		return error_set_nomem(e);
	*slot = part;
	return 0;
}

/* Note which part the recording's module of that number is. */
static int add_module(struct report *r, size_t number, size_t part, struct softlbr_error *e)
{
	while (r->view.part_of_module.count <= number) {
		if (vector_add(&r->view.part_of_module, VIEW_NO_PART))
			return error_set_nomem(e);
	}
	r->view.part_of_module.items[number] = part;
	return 0;
}

/* Names that match are no proof: could the code have done what was recorded? */
static int check_code(const struct report *r, struct softlbr_error *e)
{
	struct verdict v;

	verdict_init(&v);
	verdict_take_branches(&v, &r->conversion.valid);
	if (r->options->by_addresses || verdict_judge(&v) != SOFTLBR_E_BINARY)
		return 0;
	return verdict_error(&v, binary_path(r->binary), e);
}

/* The binary that was asked for. */
static int read_one(struct report *r, struct softlbr_error *e)
{
	struct conversion *c = &r->conversion;
	const struct aggregate_result *a = &c->aggregate.result;
	int rc = conversion_check(c, NULL, e) ?: conversion_validate(c, e) ?: check_code(r, e);

	if (rc)
		return rc;
	document_fact_text(r->view.out, "binary", "binary", binary_path(r->binary));
	for (size_t i = 0; !rc && i < a->shares.count; i++)
		rc = a->shares.items[i].is_binary ? add_module(r, i, 0, e) : 0;
	return rc ? rc
		  : add_part(r,
			     (struct view_part){.binary = r->binary,
						.profile = &c->recorded.branches,
						.details = &a->details},
			     e);
}

/* The part whose binary is of the same build as that module. */
static size_t part_of_build(const struct report *r, size_t module)
{
	const struct modules *modules = &r->conversion.aggregate.result.modules;
	const struct build_id *id = &modules->items.items[module].build_id;

	for (size_t i = 0; i < r->view.parts.count; i++) {
		const struct binary *b = r->view.parts.items[i].binary;

		if (b && branch_profile_same_build(id, binary_build_id(b)))
			return i;
	}
	return VIEW_NO_PART;
}

/* Recorded call stacks are all that it has, and they are asked for. */
static bool is_of_call_stacks(const struct report *r)
{
	const struct funnel *f = &r->conversion.aggregate.result.funnel;
	const struct report_options *o = r->options;

	return f->samples_of_call_stacks && !f->entries &&
	       (!o->views || o->views & 1u << REPORT_STACKS || o->tree);
}

/* These views are of samples alone. */
#define VIEWS_OF_SAMPLES (1u << REPORT_SUMMARY | 1u << REPORT_EVENTS)

static bool samples_will_do(const struct report_options *o)
{
	return o->views && !(o->views & ~VIEWS_OF_SAMPLES) && !o->tree && !o->before.file &&
	       !o->after.file && !o->trace;
}

/* Functions and lines are what a report is about. */
static int check_files(const struct report *r, struct softlbr_error *e)
{
	struct softlbr_error own = {0};

	if (r->options->by_addresses || !recorded_modules_check(&r->modules, &own))
		return 0;
	return error_set(e, own.code, r->modules.largest->path, "%s; --force reports addresses",
			 own.text);
}

static int read_all(struct report *r, struct softlbr_error *e)
{
	const struct module_search search = {r->options->search, r->options->path};
	const struct recorded_module *m;
	int rc = is_of_call_stacks(r) ? 0 : conversion_check_samples(&r->conversion, e);

	if (rc)
		return rc;
	rc = recorded_modules_read(&r->modules, &r->conversion, &search, e) ?: check_files(r, e);
	aggregate_forget_kept(
		&r->conversion.aggregate); /* traces are read once more, and counted */
	if (!rc) {
		recorded_modules_warn(&r->modules, r->view.out);
		recorded_modules_put_unresolved(&r->modules, r->view.out, r->options->top);
	}
	vector_each (&r->modules.items, m) {
		const struct aggregate *a = m->binary ? &m->conversion.aggregate : &m->offsets;

		if (!rc)
			rc = add_module(
				r, m->number,
				m->shared ? part_of_build(r, m->number) : r->view.parts.count, e);
		if (!rc && !m->shared)
			rc = add_part(r,
				      (struct view_part){.binary = m->binary,
							 .module = m->path,
							 .profile = m->profile,
							 .details = &a->result.details},
				      e);
	}
	return rc;
}

static int read_recording(struct report *r, struct softlbr_error *e)
{
	const struct report_options *o = r->options;
	const struct conversion_options how = {
		.read = {.kind = r->kind,
			 .frequencies = o->frequencies,
			 .progress = o->progress,
			 .predictions = true,
			 .threads = aggregate_threads(),
			 .details = !o->views ||
				    o->views & ~(1u << REPORT_PATHS | 1u << REPORT_STACKS),
			 .keep = !r->binary},
		.ip_samples = samples_will_do(o),
		.smooth = CONVERSION_SMOOTH_NONE};
	return conversion_init(&r->conversion, r->binary, &how, e)
		       ?: conversion_add_view(&r->conversion, &r->file, o->path, 1, e);
}

/* The predictions of all branches of the recording, in whatever module. */
static void state_predictions(struct document *s, const struct funnel *f)
{
	const uint64_t known = f->entries_predicted + f->entries_mispredicted;

	if (known) {
		document_fact_number(s, "mispredicted", "mispredicted", f->entries_mispredicted);
		document_fact_number(s, "predictions_told", "of recorded branches", known);
		document_fact_share(s, "misprediction_rate", "rate",
				    (double)f->entries_mispredicted / (double)known);
	} else {
		document_fact_none(s, "mispredicted", "mispredicted");
		document_fact_text(s, "misprediction_note", "",
				   "(not in this recording: only hardware branch records tell)");
	}
}

/* What a compiler can take of it, by who made the program. */
static const char *builds_of(struct producer p)
{
	switch (p.compiler) {
	case PRODUCER_GCC:
		return "softlbr makes counters for gcc of it (gcc-keys, then convert --to gcda), or "
		       "without keys a profile of lines (convert --to gcov).";
	case PRODUCER_CLANG:
	case PRODUCER_RUSTC:
	case PRODUCER_LDC:
		return "softlbr makes a sample profile for LLVM of it (convert --to llvm-extbinary).";
	case PRODUCER_GO:
		return "softlbr makes a profile for Go of it (convert --to pprof).";
	default:
		return NULL;
	}
}

/*
 * Of the binary, or of the program: as good as convert and check call it. A source profile that
 * can't be made is not judged; what is reported does not depend on it.
 */
static void state_verdict(struct report *r)
{
	struct recorded_module *module = r->binary ? NULL : recorded_modules_main(&r->modules);
	struct conversion *c = module ? &module->conversion : r->binary ? &r->conversion : NULL;
	const struct attribute_stats *stats = c ? &c->recorded.attributed : NULL;
	struct softlbr_error none = {0};
	struct verdict v;

	if (!c || !c->valid.branches.in)
		return;
	verdict_init(&v);
	conversion_attribute(c->binary, &c->recorded, &none);
	c->recorded.has_source &= stats->functions > stats->functions_no_debug;
	conversion_judge(c, &v);
	recording_facts_put_verdict(r->view.out, &v);
	r->view.builds = builds_of(stats->producer);
	if (module)
		document_fact_text(r->view.out, "verdict_of", "verdict of", module->path);
}

static void state_counts(struct report *r)
{
	const struct aggregate_result *a = &r->conversion.aggregate.result;

	recording_facts_put_copied(r->view.out, a);
	state_verdict(r);
	document_fact_number(r->view.out, "samples", "samples", a->funnel.samples);
	document_fact_number(r->view.out, "branches_taken", "branches taken",
			     view_branches_taken(&r->view));
	state_predictions(r->view.out, &a->funnel);
}

static int put_views(struct report *r, struct softlbr_error *e)
{
	const struct report_options *o = r->options;
	const bool around = o->before.file || o->after.file;
	unsigned wanted = o->views || around || o->trace ? o->views
			  : is_of_call_stacks(r) ? 1u << REPORT_SUMMARY | 1u << REPORT_STACKS
						 : FIRST_LOOK;
	int rc = 0;

	for (unsigned i = 0; !rc && i < REPORT_VIEWS; i++)
		if (wanted >> i & 1 && views[i].put(&r->view))
			rc = error_set_nomem(e);
	if (!rc && o->tree && !(wanted >> REPORT_STACKS & 1) && view_stacks_tree(&r->view, o->tree))
		rc = error_set_nomem(e);
	if (!rc && around && view_around(&r->view))
		rc = error_set_nomem(e);
	if (!rc && o->trace && view_trace(&r->view))
		rc = error_set_nomem(e);
	return rc;
}

static void free_report(struct report *r)
{
	struct view_part *p;

	vector_each (&r->view.parts, p) {
		branch_sites_deinit(&p->sites);
		source_places_deinit(&p->places);
	}
	vector_deinit(&r->view.parts);
	vector_deinit(&r->view.part_of_module);
	recorded_modules_deinit(&r->modules);
	conversion_deinit(&r->conversion);
	binary_close(r->binary);
	file_view_close(&r->file);
}

static int open_file(struct report *r, struct softlbr_error *e)
{
	const struct report_options *o = r->options;
	int rc = profile_kind_open(o->path, &r->kind, &r->file, e);
	const struct recorded_input input = {o->path, r->kind, &r->file};

	if (!rc && o->binary_path)
		r->binary = recorded_module_open(&input, o->binary_path, o->search, e);
	return !rc && o->binary_path && !r->binary ? -SOFTLBR_E_SYSTEM : rc;
}

int report_make(struct document *out, const struct report_options *options, struct softlbr_error *e)
{
	struct report r = {.options = options,
			   .kind = options->kind,
			   .view = {.options = options, .out = out}};
	int rc;

	document_init(out);
	rc = open_file(&r, e);
	document_fact_text(out, "file", "file", options->path);
	document_fact_text(out, "format", "format", profile_kind_name(r.kind));
	if (!rc)
		rc = read_recording(&r, e);
	if (!rc && r.kind == PROFILE_PERFDATA)
		recording_facts_put_origin(out, &r.file, options->path);
	if (!rc)
		rc = r.binary ? read_one(&r, e) : read_all(&r, e);
	r.view.file = &r.file;
	r.view.kind = r.kind;
	r.view.result = &r.conversion.aggregate.result;
	r.view.binary = r.binary;
	if (!rc)
		rc = function_listings_check(&r.view, e);
	if (!rc) {
		state_counts(&r);
		rc = put_views(&r, e);
	}
	free_report(&r);
	return rc;
}
