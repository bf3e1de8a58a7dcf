/* SPDX-License-Identifier: MIT */
/* Recordings that hold no taken branches, or none that can be placed: what they hold instead, and
 * how to record or print what is needed. */
#include "converter/pipeline/conversion.h"

#include "base/error.h"
#include "formats/perfdata.h"
#include "formats/perfscript.h"

/* So many taken branches in a row are not all calls, unless they are the calls of a stack. */
#define CALLS_TOLD 100

#define RECORD_INSTEAD \
	"record with `softlbr record`, which needs no special hardware, or with `perf record -b`"

#define MAKE_DO                                                                               \
	"`softlbr convert` --ip-samples makes do with the addresses of its samples, as does " \
	"`softlbr report --view=summary`"

/* A trace of the hardware, of which perf makes branch stacks (perf-intel-pt(1), perf-arm-spe(1);
 * the kernel's Documentation/trace/coresight/coresight.rst). */
static int is_trace(uint32_t kind, const char *name, struct softlbr_error *e)
{
	static const struct {
		uint32_t kind;
		const char *what, *perf, *how;
	} traces[] = {
		{PERFDATA_INTEL_PT, "an Intel PT trace", "perf", "i100usle"},
		{PERFDATA_CORESIGHT, "a CoreSight trace", "perf", "il64"},
		{PERFDATA_ARM_SPE, "Arm SPE's samples", "perf 6.15 or later", "bl"},
	};

	for (size_t i = 0; i < sizeof(traces) / sizeof(*traces); i++)
		if (traces[i].kind == kind)
			return error_set(
				e, SOFTLBR_E_EMPTY, name,
				"%s holds %s and no branch stacks; have %s make them of it: `perf "
				"inject -i %s -o branches.data --itrace=%s --strip`, and give "
				"branches.data",
				name, traces[i].what, traces[i].perf, name, traces[i].how);
	return error_set(e, SOFTLBR_E_EMPTY, name,
			 "%s holds a hardware trace (AUX area) of a kind that is not read, and no "
			 "branch stacks; " RECORD_INSTEAD,
			 name);
}

int no_branches_explain(const struct aggregate_result *r, const char *name, struct softlbr_error *e)
{
	if (r->auxtrace)
		return is_trace(r->auxtrace, name, e);
	if (!r->funnel.samples)
		return error_set(e, SOFTLBR_E_EMPTY, name,
				 "%s holds no samples: the program ended before the first one, or "
				 "was not allowed to be sampled; run it longer, or see `softlbr "
				 "doctor`",
				 name);
	if (r->funnel.samples_of_call_stacks)
		return error_set(e, SOFTLBR_E_EMPTY, name,
				 "%s holds call stacks (perf record --call-graph lbr), not the "
				 "branches that were taken; " RECORD_INSTEAD "; " MAKE_DO,
				 name);
	return error_set(e, SOFTLBR_E_EMPTY, name,
			 "%s holds no branch stacks: it was recorded without them; " RECORD_INSTEAD
			 "; " MAKE_DO,
			 name);
}

static bool all_are_calls(const struct aggregate_result *r)
{
	const struct map_entry *i = NULL;
	uint64_t calls = 0;
	struct isa_insn insn;

	while ((i = map_next(&r->profile.branches, (struct map_entry *)i))) {
		if (i->a == BRANCH_OUTSIDE)
			continue;
		if (!binary_decode(r->binary, i->a, &insn) || !isa_is_call(insn.kind))
			return false;
		calls += i->n;
	}
	return calls >= CALLS_TOLD;
}

/* No address of the text is where anything is mapped. */
static bool is_nowhere(const struct funnel *f)
{
	return f->branches_unmapped && !f->branches_inside && !f->branches_entering &&
	       !f->branches_leaving && !f->branches_elsewhere && !f->branches_kernel;
}

int no_branches_check_script(const struct aggregate_result *r, const char *name,
			     struct softlbr_error *e)
{
	const char *path = binary_path(r->binary);
	bool found = r->profile.branches.count;

	if (!r->scripts || r->scripts < r->recordings)
		return 0;
	if (found && all_are_calls(r))
		return error_set(e, SOFTLBR_E_EMPTY, name,
				 "every branch of %s is a call: these are call stacks (perf record "
				 "--call-graph lbr) or calls alone (-j any_call), not all branches "
				 "that were taken; " RECORD_INSTEAD,
				 name);
	if (!found && r->scripts_without_maps)
		return error_set(e, SOFTLBR_E_EMPTY, name,
				 "no branch of %s is at an address of %s: the text has no lines of "
				 "mappings, which tell where %s was loaded; print it with `perf "
				 "script -F " PERFSCRIPT_FIELDS "`",
				 name, path,
				 binary_is_position_independent(r->binary)
					 ? "this position-independent program"
					 : "a program");
	if (!found && is_nowhere(&r->funnel))
		return error_set(
			e, SOFTLBR_E_EMPTY, name,
			"no branch of %s is at an address where something was mapped: are "
			"they offsets (-F brstackoff)? Print it with `perf script -F " PERFSCRIPT_FIELDS
			"`",
			name);
	return 0;
}
