/* SPDX-License-Identifier: MIT */
/*
 * qemu_edges: a plugin of QEMU 7.2's user mode that counts exactly where control went, in programs
 *for AArch64 and x86-64, which need not run on this machine:
 *
 *	cc -O2 -shared -fPIC -o qemu_edges.so qemu_edges.c
 *	qemu-aarch64 -plugin ./qemu_edges.so,out=FILE PROGRAM ARGUMENT...
 *
 * FILE gets exact_edges.py's records of PROGRAM itself, at its ELF virtual addresses (libraries are
 *left out), with one more kind, `ret`, and without the kinds that tell functions apart (tail,
 *itail, xcall):
 *
 *	I ADDRESS COUNT
 *	E FROM TO COUNT KIND
 *
 * Counts have 64 bits, and each thread its own. What a signal interrupts is told by where a direct
 *branch can go; an indirect one that a signal follows at once counts as a branch to the handler. A
 *process that the program forks is not counted. Debian has no package with the header of the
 *interface (docs/devel/tcg-plugins.rst), so what is used of it is declared here.
 */
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

/* ---- QEMU's side --------------------------------------------------------------------------- */

struct qemu_plugin_tb;
struct qemu_plugin_insn;

struct qemu_info {
	const char *target_name;
	struct {
		int min, cur;
	} version;
	bool system_emulation;
};

EXPORTED int qemu_plugin_version = 1;

void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
					   void (*)(uint64_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *, void (*)(unsigned, void *),
					  int flags, void *);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*)(uint64_t, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
const char *qemu_plugin_path_to_binary(void);
uint64_t qemu_plugin_start_code(void), qemu_plugin_end_code(void);
EXPORTED int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv);

/* ---- what is counted ----------------------------------------------------------------------- */

#define THREADS_MOST 4096
#define NO_BLOCK     UINT32_MAX

enum kind { OTHER, CONDITIONAL, JUMP, JUMP_INDIRECT, CALL, CALL_INDIRECT, RETURN };

struct branch {
	enum kind kind;
	uint64_t target; /* 0: not known from the instruction */
};

/* What QEMU translates at once: instructions in a row, none but the last a branch. */
struct block {
	struct branch branch; /* the last instruction */
	uint64_t last, end;
	uint32_t number, count;
	uint64_t at[];
};

/* How often block `to` came after block `from`, as from << 32 | to. */
struct passage {
	uint64_t key, count;
};

struct thread {
	const struct block *before;
	struct passage *passages; /* open addressing; a count of 0 is an empty place */
	size_t used, size;
};

static struct {
	struct block **items;
	uint32_t count;
} blocks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct thread *threads[THREADS_MOST];
static const char *out_path = "edges";
static bool is_aarch64;
static pid_t process;

static void *need(void *memory)
{
	if (memory)
		return memory;
	fprintf(stderr, "qemu_edges: no memory\n");
	_exit(125);
}

static struct passage *place_of(struct passage *in, size_t size, uint64_t key)
{
	size_t i = (key * 0x9e3779b97f4a7c15u) >> 20 & (size - 1);

	while (in[i].count && in[i].key != key)
		i = (i + 1) & (size - 1);
	return &in[i];
}

static void grow(struct thread *t)
{
	size_t size = t->size ? 2 * t->size : 1 << 16;
	struct passage *larger = need(calloc(size, sizeof(*larger)));

	for (size_t i = 0; i < t->size; i++)
		if (t->passages[i].count)
			*place_of(larger, size, t->passages[i].key) = t->passages[i];
	free(t->passages);
	t->passages = larger;
	t->size = size;
}

static void on_block(unsigned cpu, void *context)
{
	const struct block *block = context;
	struct thread *t = threads[cpu % THREADS_MOST];
	struct passage *p;
	uint64_t key;

	if (!t)
		t = threads[cpu % THREADS_MOST] = need(calloc(1, sizeof(*t)));
	if (2 * t->used >= t->size)
		grow(t);
	key = (uint64_t)(t->before ? t->before->number : NO_BLOCK) << 32 | block->number;
	p = place_of(t->passages, t->size, key);
	t->used += !p->count;
	p->key = key;
	p->count++;
	t->before = block;
}

/* ---- branches of both CPUs ----------------------------------------------------------------- */

static int64_t extended(uint64_t bits, unsigned count)
{
	return (int64_t)(bits << (64 - count)) >> (64 - count);
}

/* Arm ARM, C4.1.65 "Branches, Exception Generating and System instructions" */
static struct branch decode_aarch64(const uint8_t *bytes, uint64_t at)
{
	uint32_t w;

	memcpy(&w, bytes, sizeof(w));
	if ((w & 0x7c000000) == 0x14000000)
		return (struct branch){w >> 31 ? CALL : JUMP,
				       at + (uint64_t)(extended(w & 0x3ffffff, 26) * 4)};
	if ((w & 0xff000000) == 0x54000000 || (w & 0x7e000000) == 0x34000000)
		return (struct branch){CONDITIONAL,
				       at + (uint64_t)(extended(w >> 5 & 0x7ffff, 19) * 4)};
	if ((w & 0x7e000000) == 0x36000000)
		return (struct branch){CONDITIONAL,
				       at + (uint64_t)(extended(w >> 5 & 0x3fff, 14) * 4)};
	if ((w & 0xfe000000) != 0xd6000000)
		return (struct branch){OTHER, 0};
	switch (w >> 21 & 7) { /* with and without pointer authentication */
	case 0:
		return (struct branch){JUMP_INDIRECT, 0};
	case 1:
		return (struct branch){CALL_INDIRECT, 0};
	case 2:
		return (struct branch){RETURN, 0};
	}
	return (struct branch){OTHER, 0};
}

static bool is_prefix(uint8_t byte)
{
	return byte == 0xf2 || byte == 0xf3 || byte == 0x66 || byte == 0x2e || byte == 0x3e ||
	       (byte & 0xf0) == 0x40;
}

/* Intel SDM, volume 2: Jcc, LOOPcc, JRCXZ, JMP, CALL, RET */
static struct branch decode_x86_64(const uint8_t *bytes, size_t size, uint64_t at)
{
	const uint8_t *code = bytes, *end = bytes + size;
	int32_t distance;
	uint64_t near, far;

	while (code < end && is_prefix(*code))
		code++;
	if (code == end)
		return (struct branch){OTHER, 0};
	near = at + size + (uint64_t)extended(end[-1], 8);
	memcpy(&distance, size < 4 ? bytes : end - 4, size < 4 ? 1 : 4);
	far = at + size + (uint64_t)(int64_t)distance;
	if ((*code & 0xf0) == 0x70 || (*code & 0xfc) == 0xe0)
		return (struct branch){CONDITIONAL, near};
	if (*code == 0x0f && code + 1 < end && (code[1] & 0xf0) == 0x80)
		return (struct branch){CONDITIONAL, far};
	if (*code == 0xeb || *code == 0xe9)
		return (struct branch){JUMP, *code == 0xeb ? near : far};
	if (*code == 0xe8)
		return (struct branch){CALL, far};
	if (*code == 0xc2 || *code == 0xc3)
		return (struct branch){RETURN, 0};
	if (*code == 0xff && code + 1 < end && (code[1] >> 3 & 7) == 2)
		return (struct branch){CALL_INDIRECT, 0};
	if (*code == 0xff && code + 1 < end && (code[1] >> 3 & 7) == 4)
		return (struct branch){JUMP_INDIRECT, 0};
	return (struct branch){OTHER, 0};
}

static void on_translation(uint64_t id, struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb), size;
	struct block *b = need(malloc(sizeof(*b) + count * sizeof(b->at[0])));
	const struct qemu_plugin_insn *last = qemu_plugin_tb_get_insn(tb, count - 1);
	const uint8_t *bytes = qemu_plugin_insn_data(last);

	(void)id;
	size = qemu_plugin_insn_size(last);
	b->count = (uint32_t)count;
	for (size_t i = 0; i < count; i++)
		b->at[i] = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, i));
	b->last = b->at[count - 1];
	b->end = b->last + size;
	b->branch = is_aarch64 ? decode_aarch64(bytes, b->last)
			       : decode_x86_64(bytes, size, b->last);
	pthread_mutex_lock(&lock);
	if (!(blocks.count & (blocks.count - 1)))
		blocks.items = need(realloc(blocks.items, (blocks.count ? 2 * blocks.count : 1) *
								  sizeof(*blocks.items)));
	b->number = blocks.count;
	blocks.items[blocks.count++] = b;
	pthread_mutex_unlock(&lock);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, 0, b);
}

/* ---- what is written ----------------------------------------------------------------------- */

struct record {
	uint64_t from, to, count; /* to 0: of an instruction */
	const char *kind;
};

static struct {
	struct record *items;
	size_t count, size;
} records;

static void add_record(uint64_t from, uint64_t to, uint64_t count, const char *kind)
{
	if (records.count == records.size) {
		records.size = records.size ? 2 * records.size : 4096;
		records.items = need(realloc(records.items, records.size * sizeof(*records.items)));
	}
	records.items[records.count++] = (struct record){from, to, count, kind};
}

static bool is_own(uint64_t address)
{
	return address >= qemu_plugin_start_code() && address < qemu_plugin_end_code();
}

/* The kind of the passage from a block that ends with @branch, NULL: none. */
static const char *kind_of(const struct block *before, uint64_t to)
{
	static const char *const kinds[] = {NULL, "cond", "jump", "ijump", "call", "icall", "ret"};
	const struct branch *b = &before->branch;

	if (b->kind == CONDITIONAL && to != b->target)
		return to == before->end ? "fall" : NULL;
	return b->target && to != b->target ? NULL : kinds[b->kind];
}

static void take_passage(const struct passage *p)
{
	const struct block *to = blocks.items[(uint32_t)p->key], *from = NULL;
	size_t first = 0;

	if (p->key >> 32 != NO_BLOCK)
		from = blocks.items[p->key >> 32];
	/* a string instruction's next turn */
	if (from && from->branch.kind == OTHER && from->last == to->at[0])
		first = 1;
	for (size_t i = first; i < to->count; i++)
		if (is_own(to->at[i]))
			add_record(to->at[i], 0, p->count, NULL);
	if (from && is_own(from->last) && is_own(to->at[0]) && kind_of(from, to->at[0]))
		add_record(from->last, to->at[0], p->count, kind_of(from, to->at[0]));
}

static int compare(const void *left, const void *right)
{
	const struct record *a = left, *b = right;

	if (!a->to != !b->to)
		return a->to ? 1 : -1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return a->kind && b->kind ? strcmp(a->kind, b->kind) : 0;
}

/* Where the first code of the program is by its ELF file; UINT64_MAX: cannot be read. */
static uint64_t code_in_file(int file)
{
	uint64_t first = UINT64_MAX;
	Elf64_Ehdr header;
	Elf64_Phdr p;

	if (pread(file, &header, sizeof(header), 0) != sizeof(header))
		return first;
	for (unsigned i = 0; i < header.e_phnum; i++)
		if (pread(file, &p, sizeof(p), (off_t)(header.e_phoff + i * sizeof(p))) ==
			    sizeof(p) &&
		    p.p_type == PT_LOAD && p.p_flags & PF_X && p.p_vaddr < first)
			first = p.p_vaddr;
	return first;
}

/* Where the program was loaded, less where its file has it. */
static uint64_t bias(void)
{
	const char *path = qemu_plugin_path_to_binary();
	int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	uint64_t code = file < 0 ? UINT64_MAX : code_in_file(file);

	if (file >= 0)
		close(file);
	if (code != UINT64_MAX)
		return qemu_plugin_start_code() - code;
	fprintf(stderr, "qemu_edges: cannot read the headers of %s\n", path ? path : "the program");
	_exit(125);
}

static void write_records(FILE *out)
{
	const uint64_t moved = bias();

	for (size_t i = 0; i < records.count; i++) {
		const struct record *r = &records.items[i];
		uint64_t sum = r->count;

		while (i + 1 < records.count && !compare(r, &records.items[i + 1]))
			sum += records.items[++i].count;
		if (r->to)
			fprintf(out, "E %" PRIx64 " %" PRIx64 " %" PRIu64 " %s\n", r->from - moved,
				r->to - moved, sum, r->kind);
		else
			fprintf(out, "I %" PRIx64 " %" PRIu64 "\n", r->from - moved, sum);
	}
}

static void on_exit_of_program(uint64_t id, void *context)
{
	FILE *out;

	(void)id;
	(void)context;
	if (getpid() != process)
		return;
	for (size_t n = 0; n < THREADS_MOST; n++)
		for (size_t i = 0; threads[n] && i < threads[n]->size; i++)
			if (threads[n]->passages[i].count)
				take_passage(&threads[n]->passages[i]);
	if (records.count)
		qsort(records.items, records.count, sizeof(*records.items), compare);
	out = fopen(out_path, "w");
	if (!out) {
		perror(out_path);
		_exit(125);
	}
	write_records(out);
	if (fclose(out)) {
		perror(out_path);
		_exit(125);
	}
}

int qemu_plugin_install(uint64_t id, const struct qemu_info *info, int argc, char **argv)
{
	is_aarch64 = !strcmp(info->target_name, "aarch64");
	if (info->system_emulation || (!is_aarch64 && strcmp(info->target_name, "x86_64"))) {
		fprintf(stderr, "qemu_edges: only for programs for aarch64 or x86_64, not %s\n",
			info->target_name);
		return -1;
	}
	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "out=", 4))
			out_path = need(strdup(argv[i] + 4));
	process = getpid();
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
	qemu_plugin_register_atexit_cb(id, on_exit_of_program, NULL);
	return 0;
}
