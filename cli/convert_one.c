/* SPDX-License-Identifier: MIT */
/* Convert recordings for one binary. */

#include "base/error.h"
#include "base/file_output.h"
#include "cli/convert.h"
#include "cli/terminal.h"

/* Subtract files when all others were added. */
static int subtract_files(struct convert *c, struct terminal_progress *progress,
			  struct softlbr_error *e)
{
	const struct convert_input *input;
	int rc = 0;

	vector_each (&c->profiles, input) {
		if (rc || !input->subtracted)
			continue;
		terminal_progress_begin(progress, input->path);
		rc = conversion_subtract(&c->conversion, input->path, input->weight, e);
		terminal_progress_end(progress);
		if (!rc)
			terminal_print_clamped(&c->conversion.clamped);
	}
	return rc;
}

static int read_files(struct convert *c, struct terminal_progress *progress,
		      struct softlbr_error *e)
{
	const struct aggregate_damage *damage = &c->conversion.aggregate.result.damage;
	const struct convert_input *input;

	vector_each (&c->profiles, input) {
		size_t opened = c->conversion.aggregate.result.recordings;
		int rc;

		if (input->subtracted)
			continue;
		terminal_progress_begin(progress, input->path);
		rc = conversion_add(&c->conversion, input->path, input->weight, e);
		terminal_progress_end(progress);
		if (rc && c->force && e->code == SOFTLBR_E_INPUT &&
		    c->conversion.aggregate.result.recordings > opened) {
			convert_report_warning("%s: --force takes what is whole", e->text);
			error_clear(e);
			rc = 0;
		}
		if (rc)
			return rc;
		terminal_print_damage("convert", input->path, damage);
	}
	return subtract_files(c, progress, e);
}

int convert_read(struct convert *c, struct softlbr_error *e)
{
	struct conversion_options how = c->how;
	const struct convert_output *o;
	struct terminal_progress progress;
	int rc;

	how.values = c->keys_path != NULL;
	how.read.first_runs = c->order == PROFILE_ORDER_STARTUP;
	vector_each (&c->outputs, o)
		how.read.first_runs |= o->format->use == CONVERSION_GCC;
	terminal_progress_calls(&progress, &how.read.progress);
	if (!how.read.threads)
		how.read.threads = aggregate_threads();
	rc = conversion_init(&c->conversion, c->binary, &how, e);
	return rc ?: read_files(c, &progress, e);
}

/* Read the recordings and make the profiles that outputs need, so that they can be judged. */
static int make_conversion(struct convert *c, struct conversion *counted, struct softlbr_error *e)
{
	struct conversion *to = &c->conversion;
	const struct convert_output *o;
	int rc;

	c->binary = binary_open_with(c->binary_path, &c->search, e);
	if (!c->binary)
		return -e->code;
	rc = counted ? conversion_init_resolved(to, counted, c->binary, e) : convert_read(c, e);
	if (rc)
		return rc;
	if (!funnel_adds_up(&to->aggregate.result.funnel))
		convert_report_warning(
			"the numbers of --verbose do not add up: a fault of softlbr, "
			"please report it");
	rc = conversion_check(to, NULL, e);
	if (rc)
		return rc;
	convert_report_match(c);
	rc = conversion_validate(to, e);
	vector_each (&c->outputs, o)
		if (!rc)
			rc = conversion_make(to, o->format->use, e);
	return !rc && c->keys_path ? convert_counters_make(c, e) : rc;
}

/* All outputs appear together, or none. Of a profile that is refused, only --stats is written. */
static int write_outputs(struct convert *c, bool refused, struct softlbr_error *e)
{
	struct file_outputs written = {0};
	int rc = refused ? 0 : convert_outputs_write(c, &written, e);

	if (!rc && c->stats_path)
		rc = convert_stats_write(c, &written, e);
	if (rc)
		file_outputs_abandon(&written);
	else if (c->together)
		rc = file_outputs_hand_over(&written, c->together, e);
	else
		rc = file_outputs_commit(&written, e);
	c->unwritable = rc == -SOFTLBR_E_SYSTEM;
	c->written = !rc && !refused;
	return rc;
}

/* Details are printed before their summary. */
static void report_numbers(const struct convert *c)
{
	if (!c->verbose)
		return;
	convert_stats_print(c);
	convert_report_aliases(c);
}

static int report_failure(const struct convert *c, const struct softlbr_error *e)
{
	if (c->verbose && c->conversion.aggregate.result.funnel.samples)
		convert_stats_print(c);
	if (e->code == SOFTLBR_E_BINARY || e->code == SOFTLBR_E_EMPTY)
		convert_report_modules(c);
	convert_report_error(e);
	return e->code;
}

/* The last line of a good profile is what to do next, that of a poor one its verdict. */
static void report_success(const struct convert *c)
{
	convert_report_read(c);
	convert_report_written(c);
	convert_report_layout(c);
	if (c->keys_path)
		convert_counters_report(c);
	if (c->verdict.status)
		convert_report_uses(c);
	convert_report_verdict(c);
	if (!c->verdict.status)
		convert_report_uses(c);
}

static int convert_with(struct convert *c, struct conversion *counted)
{
	struct softlbr_error e = {0};
	int rc = make_conversion(c, counted, &e), verdict;
	bool refused;

	convert_report_notes(c);
	convert_report_solver(c);
	if (rc)
		return report_failure(c, &e);
	verdict = conversion_judge(&c->conversion, &c->verdict);
	refused = verdict && verdict != SOFTLBR_E_POOR && !c->force;
	rc = write_outputs(c, refused, &e);
	report_numbers(c);
	if (rc) {
		convert_report_error(&e);
		return e.code;
	}
	if (c->together && !c->verbose) {
		convert_report_module(c);
	} else if (refused) {
		convert_report_read(c);
		convert_report_verdict(c);
	} else {
		report_success(c);
	}
	if (refused)
		return verdict;
	return c->conversion.aggregate.result.match.kind == MATCH_OTHER_BUILD ? SOFTLBR_E_BINARY
									      : verdict;
}

int convert_one(struct convert *c, struct conversion *counted)
{
	int status = convert_with(c, counted);

	profile_outputs_deinit(&c->counters);
	c->counters = (struct profile_outputs){0};
	conversion_deinit(&c->conversion);
	binary_close(c->binary);
	c->binary = NULL;
	return status;
}
