/* SPDX-License-Identifier: MIT */
/*
 * ip_sampler MODEL BINARY SAMPLES EXACT: reads the trace of `valgrind --tool=lackey
 * --trace-mem=yes` on standard input, and writes what `perf record` with five events would have
 * sampled of it, by the model (ip_model.txt says what that is), to SAMPLES (perf.data), and the
 * exact counts of the same instructions to EXACT (pre-aggregated branches and ranges). Both of
 * BINARY alone. Same trace, same bytes.
 */
#include <elf.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "converter/binary/binary.h"
#include "formats/model/branch_profile.h"

/* Where valgrind puts a position-independent program. */
#define PIE_BASE 0x108000u

/* Nothing is recorded before the program ran so many instructions of its own. */
#define OWN_WARM_UP 10000u

/* ---- the model ------------------------------------------------------------------------------*/

enum {
	GROUP,
	SKID,
	SKID_MORE,
	PERIOD_INSTRUCTIONS,
	PERIOD_CYCLES,
	PERIOD_DTLB,
	PERIOD_LLC,
	PERIOD_BRANCH_MISSES,
	STALL_L2,
	STALL_L3,
	STALL_MEMORY,
	STALL_STLB,
	STALL_WALK,
	WINDOW,
	OVERLAP_PERCENT,
	STALL_MISPREDICT,
	L1_BYTES,
	L1_WAYS,
	L2_BYTES,
	L2_WAYS,
	L3_BYTES,
	L3_WAYS,
	DTLB_ENTRIES,
	DTLB_WAYS,
	STLB_ENTRIES,
	STLB_WAYS,
	WAIT_1,
	WAIT_2,
	WAIT_4,
	WAIT_8,
	WARM_UP_MILLIONS,
	RECORDED_MILLIONS,
	PARAMETERS
};

static const char *const parameter_names[PARAMETERS] = {
	"group",	 "skid",	"skid_more",	    "period_instructions",
	"period_cycles", "period_dtlb", "period_llc",	    "period_branch_misses",
	"stall_l2",	 "stall_l3",	"stall_memory",	    "stall_stlb",
	"stall_walk",	 "window",	"overlap_percent",  "stall_mispredict",
	"l1_bytes",	 "l1_ways",	"l2_bytes",	    "l2_ways",
	"l3_bytes",	 "l3_ways",	"dtlb_entries",	    "dtlb_ways",
	"stlb_entries",	 "stlb_ways",	"wait_1",	    "wait_2",
	"wait_4",	 "wait_8",	"warm_up_millions", "recorded_millions",
};

static uint64_t model[PARAMETERS];

static void die(const char *what)
{
	fprintf(stderr, "ip_sampler: %s\n", what);
	exit(1);
}

static void read_model(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[400], name[64];
	unsigned long long value;
	bool known[PARAMETERS] = {false};

	if (!f)
		die("cannot read the model");
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '#' || sscanf(line, "%63s %llu", name, &value) != 2)
			continue;
		for (int i = 0; i < PARAMETERS; i++) {
			if (strcmp(name, parameter_names[i]))
				continue;
			model[i] = value;
			known[i] = true;
		}
	}
	fclose(f);
	for (int i = 0; i < PARAMETERS; i++)
		if (!known[i])
			die(parameter_names[i]);
}

static uint64_t seed = 1;

static uint64_t below(uint64_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (seed >> 33) % (n ? n : 1);
}

/* ---- caches: least recently used ------------------------------------------------------------*/

struct decode_cache {
	uint64_t *tags; /* of each set, the newest first */
	uint64_t sets, ways;
};

static void decode_cache_init(struct decode_cache *c, uint64_t entries, uint64_t ways)
{
	c->ways = ways;
	c->sets = entries / ways;
	c->tags = calloc(entries, sizeof(*c->tags));
	if (!c->tags)
		die("no memory");
}

/* Was it there? It is now. */
static bool cache_touch(struct decode_cache *c, uint64_t tag)
{
	uint64_t *set = c->tags + tag % c->sets * c->ways, i = 0;
	bool hit;

	while (i + 1 < c->ways && set[i] != tag + 1)
		i++;
	hit = set[i] == tag + 1;
	memmove(set + 1, set, i * sizeof(*set));
	set[0] = tag + 1;
	return hit;
}

static struct decode_cache l1, l2, l3, dtlb, stlb;

/* ---- branches: a two-bit counter by address and history, and the last target
 * -------------------*/

#define BRANCHES 65536u

static struct {
	uint64_t pc, target;
} targets[BRANCHES];
static uint8_t counters[BRANCHES];
static uint32_t history;

/* Control went from the instruction at @pc to @next: was that foreseen? */
static bool predict(uint64_t pc, uint64_t next, bool taken)
{
	size_t slot = (pc ^ pc >> 16) % BRANCHES, way = (pc ^ history * 8u) % BRANCHES;
	bool known = targets[slot].pc == pc, guess = known && counters[way] >= 2;
	bool right = known ? guess == taken && (!taken || targets[slot].target == next) : !taken;

	if (!known && !taken)
		return true; /* no branch, as far as one can tell */
	if (taken) {
		targets[slot].pc = pc;
		targets[slot].target = next;
		counters[way] = counters[way] < 3 ? (uint8_t)(counters[way] + 1) : 3;
	} else if (counters[way]) {
		counters[way]--;
	}
	history = (history << 1 | taken) & 0xfff;
	return right;
}

/* ---- events and their samples -----------------------------------------------------------------*/

enum event { INSTRUCTIONS, CYCLES, DTLB, LLC, BRANCH_MISSES, EVENTS };

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
	int period;
} events[EVENTS] = {
	{"instructions:u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, PERIOD_INSTRUCTIONS},
	{"cycles:u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PERIOD_CYCLES},
	{"dTLB-load-misses:u", PERF_TYPE_HW_CACHE,
	 PERF_COUNT_HW_CACHE_DTLB | PERF_COUNT_HW_CACHE_RESULT_MISS << 16, PERIOD_DTLB},
	{"LLC-load-misses:u", PERF_TYPE_HW_CACHE,
	 PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_RESULT_MISS << 16, PERIOD_LLC},
	{"branch-misses:u", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, PERIOD_BRANCH_MISSES},
};

#define PENDING 4096u

struct counter {
	uint64_t left, period;		     /* until it overflows */
	uint64_t due[PENDING], its[PENDING]; /* interrupts on their way: when, with which period */
	uint32_t first, end;
};

static struct counter counting[EVENTS];
static FILE *out;
static uint64_t base, text_begin, text_end;
static bool recording;
static struct binary *program;

static bool is_ours(uint64_t pc)
{
	return pc >= text_begin && pc < text_end;
}

static void put(const void *data, size_t size)
{
	if (fwrite(data, 1, size, out) != size)
		die("cannot write the samples");
}

struct sample {
	struct perf_event_header header;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t period;
};

static void put_sample(enum event e, uint64_t pc, uint64_t period)
{
	struct sample s = {.header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(s)},
			   .id = e + 1,
			   .ip = pc,
			   .pid = 1,
			   .tid = 1,
			   .period = period};

	if (recording && is_ours(pc))
		put(&s, sizeof(s));
}

static uint64_t draw_period(enum event e)
{
	uint64_t mean = model[events[e].period];

	return mean / 2 + below(mean + 1) + 1;
}

/* Something has happened @times; true if the counter has overflown. */
static bool count(enum event e, uint64_t times, uint64_t *period)
{
	struct counter *c = &counting[e];

	if (c->left > times) {
		c->left -= times;
		return false;
	}
	*period = c->period;
	c->period = draw_period(e);
	c->left = c->period;
	return true;
}

static void interrupt_later(enum event e, uint64_t when, uint64_t period)
{
	struct counter *c = &counting[e];
	uint64_t due = when + model[SKID] + below(model[SKID_MORE] + 1);

	if (c->end != c->first && due < c->due[(c->end - 1) % PENDING])
		due = c->due[(c->end - 1) % PENDING];
	if (c->end - c->first >= PENDING)
		die("too many interrupts on their way");
	c->due[c->end % PENDING] = due;
	c->its[c->end++ % PENDING] = period;
}

/* ---- retirement
 * --------------------------------------------------------------------------------*/

static struct {
	uint64_t head, begin, stall; /* the group at the head: its first instruction, since when */
	unsigned size;
	bool closed; /* behind a taken branch */
} group;
static uint64_t last_miss, last_stall, number; /* of instructions */
static uint64_t own;			       /* of them, the program's */
static uint64_t first_recorded;

/* The group retires: all interrupts until then find it at the head. */
static void retire_group(void)
{
	uint64_t end = group.begin + 1 + group.stall, period;

	for (unsigned i = 0; i < group.size; i++)
		if (count(INSTRUCTIONS, 1, &period))
			interrupt_later(INSTRUCTIONS, end, period);
	for (uint64_t cycle = group.begin; cycle < end; cycle++)
		if (count(CYCLES, 1, &period))
			interrupt_later(CYCLES, cycle, period);
	for (int e = INSTRUCTIONS; e <= CYCLES; e++) {
		struct counter *c = &counting[e];

		for (; c->first != c->end && c->due[c->first % PENDING] < end; c->first++)
			put_sample((enum event)e, group.head, c->its[c->first % PENDING]);
	}
	group.begin = end;
	group.size = 0;
	group.stall = 0;
	group.closed = false;
}

static uint64_t wait_of(uint64_t pc)
{
	uint64_t lot = (pc * UINT64_C(0x9e3779b97f4a7c15) >> 40) % 64;

	for (int i = 0; i < 4; i++) {
		if (lot < model[WAIT_1 + i])
			return UINT64_C(1) << i;
		lot -= model[WAIT_1 + i];
	}
	return 0;
}

/* A load: how long does it stall, and which events does it cause? */
static uint64_t load(uint64_t address, uint64_t pc)
{
	uint64_t stall = 0, period;

	if (!cache_touch(&dtlb, address >> 12)) {
		bool second = cache_touch(&stlb, address >> 12);

		stall += model[second ? STALL_STLB : STALL_WALK];
		if (!second && count(DTLB, 1, &period))
			put_sample(DTLB, pc, period);
	}
	if (!cache_touch(&l1, address >> 6)) {
		if (cache_touch(&l2, address >> 6)) {
			stall += model[STALL_L2];
		} else if (cache_touch(&l3, address >> 6)) {
			stall += model[STALL_L3];
		} else {
			stall += model[STALL_MEMORY];
			if (count(LLC, 1, &period))
				put_sample(LLC, pc, period);
		}
	}
	if (!stall)
		return 0;
	if (last_stall && number - last_miss < model[WINDOW])
		stall = stall * model[OVERLAP_PERCENT] / 100;
	last_miss = number;
	last_stall = stall;
	return stall;
}

static void store(uint64_t address)
{
	if (!cache_touch(&dtlb, address >> 12))
		cache_touch(&stlb, address >> 12);
	if (!cache_touch(&l1, address >> 6) && !cache_touch(&l2, address >> 6))
		cache_touch(&l3, address >> 6);
}

/* ---- the stream and its exact counts
 * -----------------------------------------------------------*/

static struct branch_profile exact;
static struct {
	uint64_t pc, size, stall, range; /* range: where the straight line began; 0 = elsewhere */
	bool any;
} now;

/* Does the instruction at @pc always branch? Then it is taken to the next instruction too. */
static bool always_branches(uint64_t pc)
{
	enum { UNKNOWN, NO, YES };
	static uint8_t *known;
	uint8_t *answer;
	struct isa_insn insn;

	if (!is_ours(pc))
		return false;
	if (!known)
		known = calloc(text_end - text_begin, 1);
	if (!known)
		die("no memory");
	answer = &known[pc - text_begin];
	if (*answer == UNKNOWN)
		*answer = binary_decode(program, pc - base, &insn) && isa_is_branch(insn.kind) &&
					  insn.kind != ISA_JUMP_CONDITIONAL
				  ? YES
				  : NO;
	return *answer == YES;
}

static void end_range(uint64_t next, bool taken)
{
	int rc = 0;

	if (!now.range || !recording)
		return;
	rc = branch_profile_add_range(&exact, now.range - base, now.pc - base, 1);
	if (taken && is_ours(next))
		rc |= branch_profile_add_branch(&exact, now.pc - base, next - base, 1, 0);
	if (rc)
		die("no memory");
}

/* All of the instruction at hand is known, and that @next follows it. */
static void finish(uint64_t next)
{
	bool elsewhere = next != now.pc + now.size && next != now.pc; /* to itself: a string */
	bool taken = elsewhere || always_branches(now.pc);
	uint64_t stall = now.stall + wait_of(now.pc), period;
	static uint64_t bubble;

	stall += bubble;
	bubble = 0;
	if (group.size && (stall || group.closed || group.size >= model[GROUP]))
		retire_group();
	if (!group.size) {
		group.head = now.pc;
		group.stall = stall;
	}
	group.size++;
	group.closed = taken;
	if (!predict(now.pc, next, taken)) {
		bubble = model[STALL_MISPREDICT];
		if (count(BRANCH_MISSES, 1, &period))
			put_sample(BRANCH_MISSES, now.pc, period);
	}
	if (taken && is_ours(now.pc)) {
		end_range(next, true);
		now.range = 0;
	}
	if (is_ours(next) && (taken || !is_ours(now.pc)))
		now.range = next;
	own += is_ours(now.pc);
	number++;
}

static bool take(const char *line)
{
	bool is_load = line[1] == 'L' || line[1] == 'M';
	uint64_t address;
	char *end;

	if (line[0] != 'I' && line[0] != ' ')
		return true;
	address = strtoull(line + 3, &end, 16);
	if (*end != ',')
		return true;
	if (line[0] == ' ') {
		if (is_load)
			now.stall += load(address, now.pc);
		else
			store(address);
		return true;
	}
	if (now.any)
		finish(address);
	if (recording && number == first_recorded + model[RECORDED_MILLIONS] * 1000000)
		return false;
	/* A library that clears memory for seconds (zstd's) is no warm-up of the program. */
	if (!recording && number >= model[WARM_UP_MILLIONS] * 1000000 && own >= OWN_WARM_UP) {
		recording = true;
		first_recorded = number;
		now.range = is_ours(address) ? address : 0;
	}
	now.pc = address;
	now.size = strtoull(end + 1, NULL, 10);
	now.stall = 0;
	now.any = true;
	return true;
}

/* ---- the files
 * ---------------------------------------------------------------------------------*/

static uint64_t find_text(const char *path)
{
	FILE *f = fopen(path, "r");
	Elf64_Ehdr e;
	Elf64_Phdr p;
	uint64_t offset = 0;

	if (!f || fread(&e, sizeof(e), 1, f) != 1)
		die("cannot read the program");
	base = e.e_type == ET_DYN ? PIE_BASE : 0;
	for (int i = 0; i < e.e_phnum; i++) {
		if (fseek(f, (long)(e.e_phoff + (uint64_t)i * sizeof(p)), SEEK_SET) ||
		    fread(&p, sizeof(p), 1, f) != 1)
			die("cannot read the program's headers");
		if (p.p_type != PT_LOAD || !(p.p_flags & PF_X))
			continue;
		text_begin = base + p.p_vaddr;
		text_end = text_begin + p.p_memsz;
		offset = p.p_offset;
	}
	fclose(f);
	return offset;
}

struct section {
	uint64_t offset, size;
};

struct file_header {
	uint64_t magic;
	uint64_t size, attr_size;
	struct section attrs, data, types;
	uint64_t features[4];
};

struct file_attr {
	struct perf_event_attr attr;
	struct section ids;
};

#define FEATURE_CPUID	   9
#define FEATURE_EVENT_DESC 12

static void put_string(const char *text)
{
	char padded[64] = "";
	uint32_t size = sizeof(padded);

	snprintf(padded, sizeof(padded), "%s", text);
	put(&size, sizeof(size));
	put(padded, sizeof(padded));
}

static void put_header(uint64_t data_size)
{
	uint64_t ids = sizeof(struct file_header), attrs = ids + EVENTS * sizeof(uint64_t);
	struct file_header h = {
		.magic = UINT64_C(0x32454c4946524550), /* "PERFILE2" */
		.size = sizeof(h),
		.attr_size = sizeof(struct file_attr),
		.attrs = {attrs, EVENTS * sizeof(struct file_attr)},
		.data = {attrs + EVENTS * sizeof(struct file_attr), data_size},
		.features = {1u << FEATURE_CPUID | 1u << FEATURE_EVENT_DESC},
	};

	put(&h, sizeof(h));
	for (uint64_t e = 1; e <= EVENTS; e++)
		put(&e, sizeof(e));
	for (uint64_t e = 0; e < EVENTS; e++) {
		struct file_attr a = {
			.attr = {.size = sizeof(a.attr),
				 .type = events[e].type,
				 .config = events[e].config,
				 .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
						PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD,
				 .sample_period = model[events[e].period]},
			.ids = {ids + e * sizeof(uint64_t), sizeof(uint64_t)},
		};

		put(&a, sizeof(a));
	}
}

static void put_mmap(const char *path, uint64_t offset)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t start, length, page_offset;
		uint32_t major, minor;
		uint64_t inode, generation;
		uint32_t protection, flags;
		char path[512];
	} m = {.header = {PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, sizeof(m)},
	       .pid = 1,
	       .tid = 1,
	       .start = text_begin & ~UINT64_C(4095),
	       .length = (text_end - text_begin + 8191) & ~UINT64_C(4095),
	       .page_offset = offset & ~UINT64_C(4095),
	       .protection = 5};

	snprintf(m.path, sizeof(m.path), "%s", path);
	put(&m, sizeof(m));
}

/* Where each feature is, then what it says. */
static void put_features(void)
{
	uint64_t at = (uint64_t)ftell(out) + 2 * sizeof(struct section);
	uint64_t cpuid = 4 + 64, desc = 8 + EVENTS * (sizeof(struct perf_event_attr) + 4 + 68 + 8);
	struct section table[2] = {{at, cpuid}, {at + cpuid, desc}};
	uint32_t count = EVENTS, size = sizeof(struct perf_event_attr), ids = 1;

	put(table, sizeof(table));
	put_string("GenuineIntel-6-1A-5"); /* the processor that the model is after */
	put(&count, sizeof(count));
	put(&size, sizeof(size));
	for (uint64_t e = 0; e < EVENTS; e++) {
		struct perf_event_attr attr = {
			.size = sizeof(attr), .type = events[e].type, .config = events[e].config};
		uint64_t id = e + 1;

		put(&attr, sizeof(attr));
		put(&ids, sizeof(ids));
		put_string(events[e].name);
		put(&id, sizeof(id));
	}
}

static void write_exact(const char *path)
{
	struct map_entry **branches = map_sorted(&exact.branches),
			 **ranges = map_sorted(&exact.ranges);
	FILE *f = fopen(path, "w");

	if (!f || !branches || !ranges)
		die("cannot write the exact counts");
	for (size_t i = 0; i < exact.branches.count; i++)
		fprintf(f, "B %llx %llx %llu 0\n", (unsigned long long)branches[i]->a,
			(unsigned long long)branches[i]->b, (unsigned long long)branches[i]->n);
	for (size_t i = 0; i < exact.ranges.count; i++)
		fprintf(f, "F %llx %llx %llu\n", (unsigned long long)ranges[i]->a,
			(unsigned long long)ranges[i]->b, (unsigned long long)ranges[i]->n);
	if (fclose(f))
		die("cannot write the exact counts");
	memory_free(branches);
	memory_free(ranges);
}

int main(int argc, char **argv)
{
	static char line[4096];
	uint64_t offset;
	long begin, end;

	if (argc != 5)
		die("usage: ip_sampler MODEL BINARY SAMPLES EXACT");
	read_model(argv[1]);
	offset = find_text(argv[2]);
	program = binary_open(argv[2], NULL);
	if (!program)
		die("cannot decode the program");
	out = fopen(argv[3], "w");
	if (!out)
		die("cannot write the samples");
	decode_cache_init(&l1, model[L1_BYTES] / 64, model[L1_WAYS]);
	decode_cache_init(&l2, model[L2_BYTES] / 64, model[L2_WAYS]);
	decode_cache_init(&l3, model[L3_BYTES] / 64, model[L3_WAYS]);
	decode_cache_init(&dtlb, model[DTLB_ENTRIES], model[DTLB_WAYS]);
	decode_cache_init(&stlb, model[STLB_ENTRIES], model[STLB_WAYS]);
	for (int e = 0; e < EVENTS; e++)
		counting[e].left = counting[e].period = draw_period((enum event)e);
	put_header(0);
	begin = ftell(out);
	put_mmap(argv[2], offset);
	while (fgets(line, sizeof(line), stdin) && take(line))
		;
	end_range(0, false);
	end = ftell(out);
	put_features();
	rewind(out);
	put_header((uint64_t)(end - begin));
	if (fclose(out))
		die("cannot write the samples");
	if (!exact.branches.count)
		die("the trace has no branch of the program");
	write_exact(argv[4]);
	binary_close(program);
	return 0;
}
