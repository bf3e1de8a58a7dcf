/* SPDX-License-Identifier: MIT */
/* Recordings: who made them, their events and modules; callgrind's objects. */
#include "base/error.h"
#include "base/memory.h"
#include "converter/pipeline/conversion.h"
#include "converter/pipeline/no_branches.h"
#include "formats/callgrind.h"
#include "report/event_times.h"
#include "report/recording_origin.h"
#include "report/show_private.h"

static void state_samples(struct show *s, const struct aggregate_result *r)
{
	const struct funnel *f = &r->funnel;

	document_fact_number(s->out, "samples", "samples", f->samples);
	document_fact_number(s->out, "samples_without_stack", "without a stack",
			     f->samples_without_stack);
	if (f->samples_of_call_stacks)
		document_fact_number(s->out, "samples_of_call_stacks", "with a call stack (LBR)",
				     f->samples_of_call_stacks);
	show_damage(s, r->damage.lines, r->damage.first);
	document_fact_number(s->out, "samples_lost", "lost by the recorder", f->samples_lost);
	document_fact_number(s->out, "branches_taken", "branches", funnel_branches(f));
}

static int show_stacks(struct show *s, struct conversion *c, struct softlbr_error *e)
{
	const struct funnel *f = &c->aggregate.result.funnel;
	int rc;

	state_samples(s, &c->aggregate.result);
	event_times_put(s->out, &c->aggregate.result, s->options->top);
	rc = show_modules(s, c, e);
	if (!rc)
		rc = show_jit(s, e);
	if (!rc && !f->samples)
		rc = no_branches_explain(&c->aggregate.result, s->options->path, e);
	return rc;
}

static int put_objects(struct show *s, const struct callgrind *c)
{
	static const struct document_column columns[] = {
		{"instructions", "instructions"}, {"share", "share"}, {"path", "module"}};
	const struct map_entry *i = NULL;
	struct map objects = {0};
	uint64_t sum = 0;
	bool failed = false;

	while ((i = map_next(&c->instructions, (struct map_entry *)i))) {
		struct map_entry *at = map_at(&objects, i->a, 0);

		failed |= !at;
		if (at)
			at->n = source_count_add(at->n, i->n);
		sum = source_count_add(sum, i->n);
	}
	document_fact_number(s->out, "instructions", "instructions", sum);
	if (show_wants(s, SHOW_MODULES, 1 << SHOW_MODULES)) {
		document_table(s->out, "modules", "Modules by instructions executed",
			       COLUMNS(columns));
		while ((i = map_next(&objects, (struct map_entry *)i))) {
			document_put_number(s->out, i->n);
			document_put_share(s->out, i->n, sum);
			document_put_text(s->out, strings_text(c->strings, (uint32_t)i->a));
		}
		document_rank(s->out, 0, s->options->top);
	}
	map_deinit(&objects);
	return failed ? -1 : 0;
}

static int show_exact(struct show *s, struct conversion *counted, struct softlbr_error *e)
{
	struct callgrind c = {0};
	int rc = callgrind_read_bytes(&c, s->view.data, s->view.size, s->options->path, e);

	if (!rc && put_objects(s, &c))
		rc = error_set_nomem(e);
	if (!rc && !c.instructions.count)
		rc = error_set(e, SOFTLBR_E_EMPTY, s->options->path, "%s holds no counts",
			       s->options->path);
	callgrind_deinit(&c);
	return rc ? rc : show_modules(s, counted, e);
}

/* As it was recorded: nothing is estimated. */
int show_recording(struct show *s, struct softlbr_error *e)
{
	const struct conversion_options how = {.read = {.kind = s->kind,
							.frequencies = FREQUENCIES_RAW,
							.progress = s->options->progress,
							.keep = true},
					       .ip_samples = true,
					       .values = show_wants_values(s),
					       .smooth = CONVERSION_SMOOTH_NONE};
	struct conversion c;
	int rc = conversion_init(&c, NULL, &how, e);

	if (rc)
		return rc;
	if (s->kind == PROFILE_PERFDATA)
		recording_origin_state(s->out, &s->view, s->options->path);
	rc = conversion_add_bytes(&c, s->view.data, s->view.size, s->options->path, 1, e);
	if (!rc)
		rc = s->kind == PROFILE_CALLGRIND ? show_exact(s, &c, e) : show_stacks(s, &c, e);
	conversion_deinit(&c);
	return rc;
}
