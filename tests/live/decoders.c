/* SPDX-License-Identifier: MIT */
/*
 * Our decoder against Zydis on whole files: every instruction of .text must have the same length
 * and the same kind of branch. Tables in .text decode as nonsense; where one of the two decoders
 * refuses the bytes, both go on at the next byte and count a table, not a difference.
 */
#include <Zydis/Zydis.h>
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "isa/evaluate.h"

#define SHOWN_MAX   10u
#define TABLE_REACH 512u /* bytes */
#define FOUND_MAX   4096u

enum what { LENGTH, KIND, REFUSED, WHATS };

static const char *const whats[WHATS] = {"length", "kind", "only we refuse"};

struct difference {
	uint64_t address;
	enum what what;
	unsigned ours, theirs;
	bool in_table;
};

struct sweep {
	uint64_t insns, refused_by_zydis, unrecorded, found, last_table;
	struct difference differences[FOUND_MAX];
};

static ZydisDecoder zydis;

static uint8_t kind_of(const ZydisDecodedInstruction *insn)
{
	bool relative = insn->raw.imm[0].is_relative;

	switch (insn->mnemonic) {
	case ZYDIS_MNEMONIC_SYSCALL:
	case ZYDIS_MNEMONIC_SYSENTER:
	case ZYDIS_MNEMONIC_INT:
		return ISA_SYSCALL;
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_INT3:
	case ZYDIS_MNEMONIC_HLT:
		return ISA_STOP;
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
		return ISA_RETURN;
	case ZYDIS_MNEMONIC_XBEGIN:
	case ZYDIS_MNEMONIC_XABORT:
	case ZYDIS_MNEMONIC_XEND:
		return ISA_OTHER;
	default:
		break;
	}
	switch (insn->meta.category) {
	case ZYDIS_CATEGORY_COND_BR:
		return ISA_JUMP_CONDITIONAL;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return relative ? ISA_JUMP : ISA_JUMP_INDIRECT;
	case ZYDIS_CATEGORY_CALL:
		return relative ? ISA_CALL : ISA_CALL_INDIRECT;
	case ZYDIS_CATEGORY_RET:
		return ISA_RETURN;
	default:
		return ISA_OTHER;
	}
}

static void found(struct sweep *s, enum what what, uint64_t address, unsigned ours, unsigned theirs)
{
	bool near = s->last_table && address - s->last_table <= TABLE_REACH;

	if (s->found < FOUND_MAX)
		s->differences[s->found] = (struct difference){address, what, ours, theirs, near};
	s->found++;
}

static void found_table(struct sweep *s, uint64_t address)
{
	s->refused_by_zydis++;
	s->last_table = address;
	for (uint64_t i = s->found < FOUND_MAX ? s->found : FOUND_MAX; i-- > 0;) {
		if (address - s->differences[i].address > TABLE_REACH)
			break;
		s->differences[i].in_table = true;
	}
}

/* Compare at one place; how many bytes to go on. */
static unsigned compare(const uint8_t *bytes, size_t size, uint64_t address, struct sweep *s)
{
	ZydisDecodedInstruction theirs;
	struct isa_record record;
	struct isa_insn ours;
	bool mine = isa_decoder_decode(EM_X86_64, bytes, size, address, &ours);

	s->insns++;
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&zydis, NULL, bytes, size, &theirs))) {
		found_table(s, address);
		return 1;
	}
	if (!mine)
		found(s, REFUSED, address, 0, theirs.length);
	else if (ours.length != theirs.length)
		found(s, LENGTH, address, ours.length, theirs.length);
	else if (ours.kind != kind_of(&theirs))
		found(s, KIND, address, ours.kind, kind_of(&theirs));
	else if (!isa_record_decode(bytes, size, address, &record) ||
		 record.length != theirs.length)
		s->unrecorded++; /* our own layout has to come to the same length */
	return theirs.length;
}

static const Elf64_Shdr *find_text(const uint8_t *file, size_t size)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)file;
	const Elf64_Shdr *sections;
	const char *names;

	if (size < sizeof(*e) || memcmp(file, ELFMAG, SELFMAG) || e->e_machine != EM_X86_64)
		return NULL;
	sections = (const Elf64_Shdr *)(file + e->e_shoff);
	names = (const char *)file + sections[e->e_shstrndx].sh_offset;
	for (unsigned i = 0; i < e->e_shnum; i++) {
		if (!strcmp(names + sections[i].sh_name, ".text"))
			return &sections[i];
	}
	return NULL;
}

/* -1: not there */
static int sweep(const char *path)
{
	static struct sweep s;
	uint64_t bad = 0;
	const Elf64_Shdr *text;
	const uint8_t *file;
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st))
		return -1;
	memset(&s, 0, sizeof(s));
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (file == MAP_FAILED)
		return -1;
	text = find_text(file, (size_t)st.st_size);
	for (uint64_t at = 0; text && at < text->sh_size;)
		at += compare(file + text->sh_offset + at, text->sh_size - at, text->sh_addr + at,
			      &s);
	munmap((void *)file, (size_t)st.st_size);
	for (uint64_t i = 0; i < s.found && i < FOUND_MAX; i++) {
		const struct difference *d = &s.differences[i];

		if (!d->in_table && bad++ < SHOWN_MAX)
			printf("  %s at %" PRIx64 ": ours %u, Zydis %u\n", whats[d->what],
			       d->address, d->ours, d->theirs);
	}
	printf("%s: %" PRIu64 " instructions, %" PRIu64 " differences in code, %" PRIu64
	       " in tables; %" PRIu64 " bytes of tables that are no instruction; operands not read "
	       "of %" PRIu64 "\n",
	       path, s.insns, bad, s.found - bad, s.refused_by_zydis, s.unrecorded);
	return bad || s.found > FOUND_MAX || s.unrecorded;
}

int main(int argc, char **argv)
{
	int failed = 0, ran = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: decoders ELF-FILE...\n");
		return 2;
	}
	ZydisDecoderInit(&zydis, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	for (int i = 1; i < argc; i++) {
		int result = sweep(argv[i]);

		ran += result >= 0;
		failed |= result > 0;
	}
	if (!ran) {
		printf("SKIP: none of the files is there\n");
		return 77;
	}
	return failed;
}
