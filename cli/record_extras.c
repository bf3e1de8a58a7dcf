/* SPDX-License-Identifier: MIT */
/* softlbr record with all its options: struct record_extras. */
#include "base/file_output.h"
#include "base/json.h"
#include "cli/cli.h"
#include "cli/record.h"
#include "collector/machine/calibration.h"
#include "collector/recorder/stats.h"

static int open_aggregate(struct record_arguments *a, struct softlbr_error *e)
{
	a->o.rotation = (struct rotation_options){.bytes = (uint64_t)a->aggregate_mib << 20,
						  .take = accumulate_take,
						  .context = &a->aggregate};
	if (accumulate_open(&a->aggregate, e))
		return -SOFTLBR_E_SYSTEM;
	a->o.output = a->aggregate.traces;
	return 0;
}

static void close_aggregate(struct record_arguments *a)
{
	accumulate_close(&a->aggregate);
}

/* The kernel's part of a stop, which no process sees of itself, is measured after the recording. */
static int write_stats(const struct record_arguments *a, const struct recorder_result *r,
		       struct softlbr_error *e)
{
	struct softlbr_error why = {0};
	struct calibration cost = {0};
	struct file_output out;
	struct json_node *node;
	struct task_status own;
	bool measured;
	int rc;

	task_status_filters(&own);
	measured = !event_deadly_signal(&own) &&
		   !calibration_sample(&cost, &a->o.session.event, &why) &&
		   !calibration_breakpoint(&cost, &why);
	if (!measured)
		record_tell(a, "warning: no estimates in %s: %s", a->stats,
			    why.code ? why.text : "the kernel refuses events");
	node = stats_node(&a->o, r, measured ? &cost : NULL, &a->cost);
	rc = file_output_open_private(&out, a->stats, e)
		     ?: file_output_end(&out, json_node_write(node, out.stream, e), e);
	json_node_free(node);
	return rc;
}

int cli_record(int argc, char **argv)
{
	static const struct record_extras extras = {.open_aggregate = open_aggregate,
						    .close_aggregate = close_aggregate,
						    .stats_kind = &json_file_kind,
						    .write_stats = write_stats};

	return record_run(argc, argv, &extras);
}
