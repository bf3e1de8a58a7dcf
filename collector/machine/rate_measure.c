/* SPDX-License-Identifier: MIT */
/* What memory costs on this machine, measured. */
#include "collector/machine/calibration.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/order.h"
#include "collector/kernel/clock.h"
#include "isa/host.h"

/* Lines are loaded from page after page, so that neither a prefetcher nor an open row of the memory
 * helps. */
#define LOADS	   32u
#define PAGES	   8u
#define PAGE_BYTES 4096u
/* A load from memory takes longer than one from the nearest cache. So much of that time has to pass
 * for a load to be taken for one from memory, or from a farther cache. The second level's is near:
 * it takes 6 ticks more of some 300, the third 70 and more. */
#define SLOW_PERCENT	60u
#define FARTHER_PERCENT 12u

const char *rate_method_text(enum timer_correction correction)
{
	static const char *const texts[] = {[CORRECTION_OFF] = "off",
					    [CORRECTION_MODEL] = "model",
					    [CORRECTION_PROBE] = "probe",
					    [CORRECTION_AUTO] = "auto"};

	return texts[correction];
}

ORDER_BY(ascending, uint64_t, (*a > *b) - (*a < *b));

static const uint8_t *line_of(const uint8_t *buffer, size_t i)
{
	size_t lines = PAGE_BYTES / ISA_LINE_BYTES;

	return buffer + i * 3 % PAGES * PAGE_BYTES + i * 7 % lines * ISA_LINE_BYTES;
}

/* Time loads of lines that are in a cache, or in none. */
static uint64_t median_load_ticks(const uint8_t *buffer, bool flushed)
{
	uint64_t ticks[LOADS];

	for (size_t i = 0; i < LOADS; i++) {
		const uint8_t *line = line_of(buffer, i);

		if (flushed)
			isa_line_flush(line);
		else
			isa_line_load_ticks(line);
		ticks[i] = isa_line_load_ticks(line);
	}
	qsort(ticks, LOADS, sizeof(*ticks), ascending);
	return ticks[LOADS / 2];
}

int rate_measure(struct rate_machine *m)
{
	uint64_t begin_ns = clock_now_ns(), begin_ticks = isa_ticks(), near, far;
	/* pages of its own, not the kernel's zeros, and all at once instead of by a fault each */
	uint8_t *buffer = mmap(NULL, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	double tick_ps;

	if (buffer == MAP_FAILED)
		return -1;
	near = median_load_ticks(buffer, false);
	far = median_load_ticks(buffer, true);
	munmap(buffer, PAGES * PAGE_BYTES);
	tick_ps = (double)(clock_now_ns() - begin_ns) * 1e3 / (double)(isa_ticks() - begin_ticks);
	if (far < near)
		far = near;
	m->line_ps = (uint64_t)((double)(far - near) * tick_ps * RATE_WAIT_PERCENT / 100);
	m->tick_1024_ps = (uint64_t)(tick_ps * 1024);
	m->near_ticks = near;
	m->farther_ticks = near + (far - near) * FARTHER_PERCENT / 100;
	m->slow_ticks = near + (far - near) * SLOW_PERCENT / 100;
	return 0;
}
