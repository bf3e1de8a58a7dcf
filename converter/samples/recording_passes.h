/* SPDX-License-Identifier: MIT */
/*
 * A recording is read once if all that maps modules precedes the first sample, as it does when a
 * single program was recorded. Else it is read twice: first what maps modules, put in order of
 * time, then the samples. So the order of records in the file, which is by CPU buffers, does not
 * matter, and nothing has to be held back to sort it.
 */
#pragma once

#include "converter/samples/aggregate.h"
#include "formats/perfdata.h"
#include "formats/perfscript.h"

/* A perf.data, or what perf script printed of one. */
struct recording {
	struct perfdata_reader *perf;
	struct perfscript *script;
	const struct perfdata_info *info;
	const char *name;
	uint64_t bytes; /* 0 = unknown */
};

/*
 * Count a recording into @history (zeroed, to be ended by the caller), whose modules are the
 * result's, and its records into the result's funnel and events. @counted: there is something to be
 * resolved, which may be so with an error, SOFTLBR_E_INPUT of a file that is cut off or damaged.
 */
int recording_passes_read(struct recording *r, const struct aggregate_options *options,
			  struct aggregate_result *result, struct address_history *history,
			  bool *counted, struct softlbr_error *e);
