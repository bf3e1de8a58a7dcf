/* SPDX-License-Identifier: MIT */
/*
 * walk BINARY OUTPUT SAMPLES [DEPTH]: a synthetic recording of a large binary: stacks of random
 * walks through its real code, as branch records of hardware would show them. Every branch is one
 * that the code has, every range one that it can run through. A walk starts at a random function,
 * takes each conditional jump in half of the cases, follows calls and returns, and goes on at a
 * random function where a jump is indirect. Same arguments, same bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "converter/binary/binary.h"
#include "formats/perfdata_write.h"

#define BIAS_PIE   0x7f0000000000u
#define DEPTH_MOST 64
#define CALLS_MOST 64
#define LINE_MOST  2000 /* instructions without a branch: data between functions */

struct walk {
	struct binary *binary;
	const struct binary_function *functions;
	size_t function_count;
	uint64_t bias; /* of addresses at run time */
	uint64_t random;
	uint64_t pc;
	uint64_t calls[CALLS_MOST];
	unsigned depth;
};

static uint64_t next_random(struct walk *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return w->random;
}

static uint64_t any_function(struct walk *w)
{
	return w->functions[next_random(w) % w->function_count].begin;
}

static void restart(struct walk *w)
{
	w->pc = any_function(w);
	w->depth = 0;
}

/* The target of @insn if it is taken now; 0 = not taken, UINT64_MAX = unknown. */
static uint64_t target_of(struct walk *w, const struct isa_insn *insn)
{
	switch (insn->kind) {
	case ISA_JUMP_CONDITIONAL:
		return next_random(w) & 1 ? insn->target : 0;
	case ISA_JUMP:
		return insn->target;
	case ISA_CALL:
		if (w->depth < CALLS_MOST)
			w->calls[w->depth++] = insn->address + insn->length;
		return insn->target;
	case ISA_RETURN:
		return w->depth ? w->calls[--w->depth] : any_function(w);
	case ISA_STOP:
		return UINT64_MAX;
	default:
		return isa_is_branch(insn->kind) ? any_function(w) : 0;
	}
}

/* Walk to the next taken branch; false if the walk ends before. */
static bool take_branch(struct walk *w, struct perf_branch_entry *out)
{
	struct isa_insn insn;

	for (unsigned i = 0; i < LINE_MOST; i++) {
		uint64_t to;

		if (!binary_decode(w->binary, w->pc, &insn))
			return false;
		to = target_of(w, &insn);
		if (to == UINT64_MAX)
			return false;
		if (to) {
			memset(out, 0, sizeof(*out));
			out->from = w->bias + w->pc;
			out->to = w->bias + to;
			w->pc = to;
			return true;
		}
		w->pc += insn.length;
	}
	return false;
}

struct sample {
	struct perfdata_sample_head head;
	struct perf_branch_entry stack[DEPTH_MOST + 1]; /* and the weight behind the last one */
};

/* One full stack, newest first. */
static void make_sample(struct walk *w, struct sample *s, unsigned depth, uint64_t time)
{
	unsigned have = 0;

	restart(w);
	while (have < depth) {
		if (take_branch(w, &s->stack[depth - 1 - have])) {
			have++;
		} else {
			restart(w);
			have = 0;
		}
	}
	memset(&s->stack[depth], 0, sizeof(s->stack[depth]));
	s->head = (struct perfdata_sample_head){
		.header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
			   (uint16_t)perfdata_sample_bytes(depth)},
		.ip = w->bias + w->pc,
		.pid = 1,
		.tid = 1,
		.time = time,
		.period = 1,
		.branch_count = depth,
	};
}

/* All code mapped at the bias, whether its virtual addresses are file offsets or not. */
static size_t make_map(struct walk *w, uint8_t *bytes)
{
	const struct binary_function *f = w->functions;
	uint64_t offset = 0;
	struct perf_event_header header = {PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, 0};
	struct {
		uint32_t pid, tid;
		uint64_t start, length, page_offset;
		uint32_t major, minor;
		uint64_t inode, generation;
		uint32_t protection, flags;
	} m = {1, 1, 0, 0, 0, 0, 0, 0, 0, PROT_READ | PROT_EXEC, MAP_PRIVATE};
	const struct build_id *id = binary_build_id(w->binary);
	struct perfdata_sample_id trailer = {1, 1, 0};
	size_t path = (strlen(binary_path(w->binary)) + 8) & ~7u, at = sizeof(header) + sizeof(m);

	while (binary_offset_to_va(w->binary, offset) == BRANCH_OUTSIDE)
		offset++;
	offset &= ~0xfffu;
	m.start = w->bias + (binary_offset_to_va(w->binary, offset + 0xfff) - 0xfff);
	m.page_offset = offset;
	m.length = f[w->function_count - 1].end + w->bias - m.start;
	if (id->size) {
		uint8_t *identity = (uint8_t *)&m.major;

		header.misc |= PERF_RECORD_MISC_MMAP_BUILD_ID;
		memset(identity, 0, 24);
		identity[0] = id->size;
		memcpy(identity + 4, id->bytes, id->size);
	}
	header.size = (uint16_t)(at + path + sizeof(trailer));
	memset(bytes, 0, header.size);
	memcpy(bytes, &header, sizeof(header));
	memcpy(bytes + sizeof(header), &m, sizeof(m));
	strcpy((char *)bytes + at, binary_path(w->binary));
	memcpy(bytes + at + path, &trailer, sizeof(trailer));
	return header.size;
}

static int record(struct walk *w, const char *path, unsigned long samples, unsigned depth,
		  struct softlbr_error *e)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
				       .sample_period = 100003,
				       .branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
							     PERF_SAMPLE_BRANCH_USER};
	char *command[] = {(char *)"walk", NULL};
	struct perfdata_features features = {"walk", "branches", command};
	static uint8_t map[8192];
	struct perfdata_writer out;
	struct sample s;
	int rc = perfdata_writer_open(&out, path, &attr, NULL, e);

	if (!rc)
		rc = perfdata_writer_append(&out, map, make_map(w, map), e);
	for (unsigned long i = 0; !rc && i < samples; i++) {
		make_sample(w, &s, depth, i + 1);
		rc = perfdata_writer_append(&out, &s, s.head.header.size, e);
	}
	if (!rc)
		rc = perfdata_writer_close(&out, &features, e);
	perfdata_writer_abandon(&out);
	return rc;
}

int main(int argc, char **argv)
{
	struct walk w = {.random = 88172645463325252u};
	struct softlbr_error e = {0};
	unsigned depth = argc > 4 ? (unsigned)atoi(argv[4]) : 32;

	if (argc < 4 || !depth || depth > DEPTH_MOST) {
		fprintf(stderr, "usage: walk BINARY OUTPUT SAMPLES [DEPTH]\n");
		return 2;
	}
	w.binary = binary_open(argv[1], &e);
	if (w.binary) {
		w.functions = binary_functions(w.binary, &w.function_count);
		w.bias = binary_is_position_independent(w.binary) ? BIAS_PIE : 0;
		record(&w, argv[2], strtoul(argv[3], NULL, 10), depth, &e);
		binary_close(w.binary);
	}
	if (e.code)
		fprintf(stderr, "walk: %s\n", e.text);
	return e.code;
}
