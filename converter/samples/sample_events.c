/* SPDX-License-Identifier: MIT */
#include "converter/samples/sample_events.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define CACHE_MISS(cache)                                                 \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

enum sample_event sample_event_of(const struct perf_event_attr *attr)
{
	static const struct {
		uint32_t type;
		uint64_t config;
		enum sample_event event;
	} known[] = {
		{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, IP_INSTRUCTIONS},
		{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, IP_CYCLES},
		{PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, IP_CYCLES},
		{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, IP_CACHE_MISSES},
		{PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, IP_BRANCH_MISSES},
		{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, IP_CLOCK},
		{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, IP_CLOCK},
		{PERF_TYPE_HW_CACHE, CACHE_MISS(DTLB), IP_DTLB_MISSES},
		{PERF_TYPE_HW_CACHE, CACHE_MISS(LL), IP_CACHE_MISSES},
		{PERF_TYPE_HW_CACHE, CACHE_MISS(BPU), IP_BRANCH_MISSES},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i].type == attr->type && known[i].config == attr->config)
			return known[i].event;
	return IP_OTHER;
}

enum sample_event sample_events_best(const struct branch_profile *p)
{
	bool seen[IP_EVENTS] = {false};
	const struct map_entry *s = NULL;

	while ((s = map_next(&p->samples, (void *)s)))
		seen[s->b < IP_EVENTS ? s->b : IP_OTHER] = true;
	for (int event = IP_INSTRUCTIONS; event < IP_EVENTS; event++) {
		if (event == IP_DTLB_MISSES && seen[IP_OTHER])
			return IP_OTHER;
		if (seen[event])
			return (enum sample_event)event;
	}
	return IP_OTHER;
}

/*
 * By the beginning of the processor's name; the first that fits. Intel: Optimization Reference
 * Manual and Performance Analysis Guide (Nehalem: a walk of the page table takes about 30 cycles,
 * memory 180 to 200, a mispredicted branch 15 to 17); AMD: Software Optimization Guides for
 * families 15h, 17h and 19h; Arm: Software Optimization Guides of the Neoverse cores.
 */
unsigned sample_event_stall_cycles(const char *cpu, enum sample_event event)
{
	static const struct {
		const char *cpu;
		unsigned dtlb, cache, branch;
	} table[] = {
		{"GenuineIntel-6-1", 30, 180, 16}, /* Core 2, Nehalem, Westmere */
		{"GenuineIntel-6-2", 30, 190, 17}, /* Westmere, Sandy Bridge */
		{"GenuineIntel-6-3", 28, 200, 15}, /* Ivy Bridge, Haswell */
		{"GenuineIntel-6-", 26, 220, 17},  /* later */
		{"AuthenticAMD-21-", 40, 200, 20}, /* Bulldozer */
		{"AuthenticAMD-23-", 30, 250, 18}, /* Zen, Zen 2 */
		{"AuthenticAMD-25-", 25, 280, 13}, /* Zen 3, Zen 4 */
		{"0x00000000410f", 25, 220, 11},   /* Arm's own cores */
		{"", 30, 200, 15},
	};
	size_t i = 0;

	while (strncmp(cpu ? cpu : "", table[i].cpu, strlen(table[i].cpu)))
		i++;
	switch (event) {
	case IP_DTLB_MISSES:
		return table[i].dtlb;
	case IP_CACHE_MISSES:
		return table[i].cache;
	case IP_BRANCH_MISSES:
		return table[i].branch;
	default:
		return 0;
	}
}

void sample_times_deinit(struct sample_times *t)
{
	map_deinit(&t->of_id);
}

int sample_times_add(struct sample_times *t, const struct perf_event_attr *attr,
		     const struct perfdata_sample *sample)
{
	struct map_entry *e = map_at(&t->of_id, sample->id, sample_event_of(attr));

	if (!e)
		return -1;
	/* They grow: the last is the greatest, in whatever order records come. */
	if (sample->time_enabled > e->n) {
		e->n = sample->time_enabled;
		e->m = sample->time_running;
	}
	return 0;
}

uint64_t sample_times_scaled(const struct sample_times *t, uint64_t event, uint64_t count)
{
	unsigned __int128 enabled = 0, running = 0, scaled;

	for (const struct map_entry *e = NULL; (e = map_next(&t->of_id, (void *)e));) {
		if (e->b != event)
			continue;
		enabled += e->n;
		running += e->m;
	}
	if (!running || enabled <= running)
		return count;
	while (enabled >> 62) {
		enabled >>= 1;
		running >>= 1;
	}
	scaled = running ? count * enabled / running : count;
	return scaled > UINT64_MAX ? UINT64_MAX : (uint64_t)scaled;
}
