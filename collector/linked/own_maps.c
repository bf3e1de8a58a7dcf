/* SPDX-License-Identifier: MIT */
#include "collector/linked/own_maps.h"

#include <link.h>
#include <unistd.h>

static int count_loads(struct dl_phdr_info *info, size_t size, void *loads)
{
	(void)size;
	*(uint64_t *)loads = info->dlpi_adds + info->dlpi_subs;
	return 1; /* the first tells */
}

int own_maps_append(struct own_maps *m, struct perfdata_writer *w, struct softlbr_error *e)
{
	uint32_t pid = (uint32_t)getpid();
	uint64_t loads = 0;
	bool changed;

	dl_iterate_phdr(count_loads, &loads);
	if (loads == m->loads)
		return 0;
	if (!m->loads && synthesize_comm(w, (struct synthesize_task){pid, pid}, false, e))
		return -SOFTLBR_E_SYSTEM;
	m->loads = loads;
	return synthesize_maps(w, pid, &m->known, &changed, e);
}

void own_maps_deinit(struct own_maps *m)
{
	synthesize_maps_deinit(&m->known);
}
