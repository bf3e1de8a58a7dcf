/* SPDX-License-Identifier: MIT */
/*
 * The opcode table against other disassemblers: how long instructions are, and what they do to
 * control.
 *
 *	lengths FILE...		every instruction of an ELF file's code, as Capstone has it
 *	lengths --listing	what llvm-objdump -d --x86-asm-syntax=intel prints, on standard
 *input lengths --first		the same, but only the first instruction behind each label
 *
 * Tables in code decode as nonsense: where Capstone or the listing knows no instruction nothing is
 * compared. Each difference is a line "FILE ADDRESS LENGTH KIND LENGTH KIND", ours first.
 */
#include <capstone/capstone.h>
#include <ctype.h>
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

#include "isa/isa.h"

#define LENGTH_MAX 15u

struct insn {
	unsigned length, kind;
};

static struct {
	uint64_t files, insns, refused, differences, errors;
} totals;

/* ---- kinds by text ------------------------------------------------------------------------- */

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(name, *list))
			return true;
	return false;
}

/* Of an instruction as Intel writes it; prefixes may stand before the mnemonic. */
static unsigned kind_of(const char *mnemonic, const char *operands)
{
	static const char *const calls[] = {"syscall", "sysenter", "int", NULL};
	static const char *const stops[] = {"ud0", "ud1", "ud2", "ud2b", "int3", "hlt", NULL};
	const char *space = strrchr(mnemonic, ' ');
	bool direct = *operands >= '0' && *operands <= '9';

	if (space)
		mnemonic = space + 1;
	if (is_one_of(mnemonic, calls))
		return ISA_SYSCALL;
	if (is_one_of(mnemonic, stops))
		return ISA_STOP;
	if (!strcmp(mnemonic, "jmpabs"))
		return ISA_JUMP;
	if (begins(mnemonic, "jmp") || begins(mnemonic, "ljmp"))
		return direct ? ISA_JUMP : ISA_JUMP_INDIRECT;
	if (begins(mnemonic, "call") || begins(mnemonic, "lcall"))
		return direct ? ISA_CALL : ISA_CALL_INDIRECT;
	if (begins(mnemonic, "ret") || begins(mnemonic, "iret"))
		return ISA_RETURN;
	return *mnemonic == 'j' || begins(mnemonic, "loop") ? ISA_JUMP_CONDITIONAL : ISA_OTHER;
}

/* Did both see the same? */
static void compare(const char *file, const uint8_t *bytes, size_t size, uint64_t address,
		    const struct insn *theirs)
{
	struct isa_insn ours = {.length = 0};

	totals.insns++;
	isa_decoder_decode(EM_X86_64, bytes, size, address, &ours);
	if (ours.length == theirs->length && ours.kind == theirs->kind)
		return;
	totals.differences++;
	printf("%s %" PRIx64 " %u %u %u %u\n", file, address, ours.length, ours.kind,
	       theirs->length, theirs->kind);
}

/* ---- Capstone ------------------------------------------------------------------------------ */

static csh capstone;
static cs_insn *insn;

/*
 * What Capstone 4 is known to be wrong in: ud0 and ud1, which clang traps with, have operands, and
 * near branches behind 66 have a distance of 32 bits on Intel.
 */
static bool capstone_errs(const struct insn *theirs, const struct isa_insn *ours)
{
	if (ours->kind != theirs->kind || ours->length <= theirs->length)
		return false;
	if (ours->kind == ISA_STOP)
		return begins(insn->mnemonic, "ud");
	return ours->target && ours->length == theirs->length + 2 &&
	       memchr(insn->bytes, 0x66, theirs->length);
}

static void sweep(const char *path, const uint8_t *code, size_t size, uint64_t address)
{
	while (size) {
		struct isa_insn ours = {.length = 1};
		const uint8_t *at = code, *next = code;
		size_t left = size;
		uint64_t va = address;
		unsigned step;

		if (cs_disasm_iter(capstone, &next, &left, &va, insn)) {
			struct insn theirs = {insn->size, kind_of(insn->mnemonic, insn->op_str)};

			isa_decoder_decode(EM_X86_64, at, size, address, &ours);
			if (capstone_errs(&theirs, &ours)) {
				totals.errors++;
				theirs.length = ours.length;
			}
			compare(path, at, size, address, &theirs);
			step = theirs.length;
		} else {
			totals.refused++;
			isa_decoder_decode(EM_X86_64, at, size, address, &ours);
			step = ours.length;
		}
		code += step;
		size -= step;
		address += step;
	}
}

static void sweep_sections(const char *path, const uint8_t *file, size_t size)
{
	const Elf64_Ehdr *e = (const Elf64_Ehdr *)file;
	const Elf64_Shdr *s;

	if (size < sizeof(*e) || memcmp(file, ELFMAG, SELFMAG) || e->e_machine != EM_X86_64 ||
	    e->e_shoff + e->e_shnum * sizeof(*s) > size)
		return;
	totals.files++;
	s = (const Elf64_Shdr *)(file + e->e_shoff);
	for (unsigned i = 0; i < e->e_shnum; i++)
		if (s[i].sh_type == SHT_PROGBITS && s[i].sh_flags & SHF_EXECINSTR &&
		    s[i].sh_offset + s[i].sh_size <= size)
			sweep(path, file + s[i].sh_offset, s[i].sh_size, s[i].sh_addr);
}

static void sweep_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *file;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && st.st_size) {
		file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (file != MAP_FAILED) {
			sweep_sections(path, file, (size_t)st.st_size);
			munmap(file, (size_t)st.st_size);
		}
	}
	close(fd);
}

static int compare_with_capstone(int argc, char **argv)
{
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &capstone) != CS_ERR_OK)
		return 2;
	insn = cs_malloc(capstone);
	if (!insn)
		return 2;
	for (int i = 1; i < argc; i++)
		sweep_file(argv[i]);
	cs_free(insn, 1);
	cs_close(&capstone);
	return 0;
}

/* ---- a listing ----------------------------------------------------------------------------- */

/* A prefix on a line of its own belongs to the next line's instruction. */
static bool is_prefix(const char *mnemonic, const char *operands)
{
	static const char *const prefixes[] = {
		"lock",	   "rep", "repe", "repne", "repz", "repnz", "rex64", "data16", "addr32",
		"notrack", "bnd", "cs",	  "ds",	   "es",   "fs",    "gs",    "ss",     NULL};

	return !*operands && is_one_of(mnemonic, prefixes);
}

struct listed {
	uint64_t address;
	uint8_t bytes[2 * LENGTH_MAX];
	struct insn insn;
	bool unknown; /* no instruction */
	bool prefix;  /* the rest of it is on the next line */
};

/* "  401136: 62 f4 fc 18 ff c0    \tinc\trax, rax"; false if it is another line. */
static bool read_line(char *line, struct listed *l)
{
	bool behind_prefix = l->prefix && l->insn.length < LENGTH_MAX;
	char *mnemonic, *operands;
	uint64_t address = strtoull(line, &mnemonic, 16);

	if (mnemonic == line || *mnemonic != ':')
		return false;
	if (!behind_prefix)
		*l = (struct listed){.address = address};
	line = mnemonic + 1;
	while (line[0] == ' ' && isxdigit(line[1]) && isxdigit(line[2]) && isspace(line[3]) &&
	       l->insn.length < sizeof(l->bytes)) {
		l->bytes[l->insn.length++] = (uint8_t)strtoul(line, NULL, 16);
		line += 3;
	}
	mnemonic = strchr(line, '\t');
	if (!l->insn.length || !mnemonic)
		return false;
	mnemonic++;
	mnemonic[strcspn(mnemonic, "\n")] = 0;
	operands = strchr(mnemonic, '\t');
	if (operands)
		*operands++ = 0;
	else
		operands = mnemonic + strlen(mnemonic);
	l->insn.kind = kind_of(mnemonic, operands);
	l->unknown = begins(mnemonic, "<unknown>");
	l->prefix = is_prefix(mnemonic, operands);
	return true;
}

static int compare_with_listing(bool first_only)
{
	struct listed l = {.prefix = false};
	char line[1024];
	bool first = true;

	while (fgets(line, sizeof(line), stdin)) {
		if (strstr(line, ">:\n")) {
			first = true;
			l.prefix = false;
			continue;
		}
		if ((first_only && !first) || !read_line(line, &l) || l.prefix)
			continue;
		first = false;
		totals.refused += l.unknown;
		if (!l.unknown)
			compare("-", l.bytes, l.insn.length, l.address, &l.insn);
	}
	return 0;
}

int main(int argc, char **argv)
{
	int rc;

	if (argc < 2) {
		fprintf(stderr, "usage: lengths FILE... | --listing | --first\n");
		return 2;
	}
	if (begins(argv[1], "--"))
		rc = compare_with_listing(!strcmp(argv[1], "--first"));
	else
		rc = compare_with_capstone(argc, argv);
	printf("total: %" PRIu64 " files, %" PRIu64 " instructions, %" PRIu64
	       " differences; %" PRIu64 " known errors of Capstone, %" PRIu64
	       " places without an instruction\n",
	       totals.files, totals.insns, totals.differences, totals.errors, totals.refused);
	return rc;
}
