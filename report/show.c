/* SPDX-License-Identifier: MIT */
#include "report/show.h"

#include "base/error.h"
#include "formats/perfscript.h"
#include "report/recorded_modules.h"
#include "report/show_private.h"

/* Does the text of perf script say which addresses are whose? */
static bool has_modules(const struct show *s)
{
	struct softlbr_error none = {0};
	struct perfscript *script;
	bool has = s->kind == PROFILE_CALLGRIND;

	if (s->kind != PROFILE_PERFSCRIPT)
		return has;
	script = perfscript_open(s->view.data, s->view.size, s->options->path, &none);
	has = script && perfscript_stats(script)->has_maps;
	perfscript_close(script);
	return has;
}

static int show_kind(struct show *s, struct softlbr_error *e)
{
	if (profile_kind_is_source(s->kind))
		return show_source_file(s, e);
	if (s->kind == PROFILE_GCDA)
		return show_counters(s, e);
	if (s->kind == PROFILE_FDATA)
		return show_fdata(s, e);
	if (s->binary)
		return show_with_binary(s, e);
	return s->kind == PROFILE_PERFDATA || has_modules(s) ? show_recording(s, e)
							     : show_addresses(s, e);
}

int show_make(struct document *out, const struct show_options *options, struct softlbr_error *e)
{
	struct show s = {.options = options, .out = out, .kind = options->kind};
	int rc;

	document_init(out);
	rc = profile_kind_open(options->path, &s.kind, &s.view, e);
	if (!rc && options->binary_path) {
		const struct recorded_input input = {options->path, s.kind, &s.view};

		s.binary = recorded_module_open(&input, options->binary_path, options->search, e);
		rc = s.binary ? 0 : -SOFTLBR_E_SYSTEM;
	}
	document_fact_text(out, "file", "file", options->path);
	document_fact_text(out, "format", "format", profile_kind_name(s.kind));
	if (!rc)
		rc = show_kind(&s, e);
	declarations_deinit(&s.declarations);
	binary_close(s.binary);
	file_view_close(&s.view);
	return rc;
}
