/* SPDX-License-Identifier: MIT */
#include "converter/dwarf/unwinder.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

#define THREAD 1 /* its number, of which libdwfl wants one */

/* Where DWARF's registers are among the kernel's, and which of these is the pc. */
struct machine {
	const uint8_t *of_dwarf;
	unsigned count, pc, sp;
};

struct unwinder {
	struct unwinder_space space;
	Dwfl *dwfl;
	const struct machine *machine; /* of the first file */
	bool attached;
	/* of the call at hand */
	const struct unwinder_thread *thread;
	uint64_t *calls;
	size_t most, frames;
	bool cut; /* more of the stack was asked for than was copied */
};

static const struct machine *machine_of(Elf *elf)
{
	/* System V ABI, AMD64 Architecture Processor Supplement, figure 3.36; perf_regs.h */
	static const uint8_t x86_64[] = {0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8};
	/* DWARF for the Arm 64-bit Architecture, 4.1: the same numbers */
	static const uint8_t aarch64[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
					  11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
					  22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
	static const struct machine known[] = {{x86_64, sizeof(x86_64), 8, 7},
					       {aarch64, sizeof(aarch64), 32, 31}};
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header) || header.e_ident[EI_DATA] != ELFDATA2LSB)
		return NULL;
	return header.e_machine == EM_X86_64	? &known[0]
	       : header.e_machine == EM_AARCH64 ? &known[1]
						: NULL;
}

static uint64_t register_of(const struct unwinder_thread *t, unsigned number)
{
	uint64_t below = t->register_mask & ((UINT64_C(1) << number) - 1);

	return t->register_mask >> number & 1 ? t->registers[__builtin_popcountll(below)] : 0;
}

/* Unwinding tables are in the files themselves: nothing is looked for elsewhere, nor asked of a
 * network. */
static int find_no_debuginfo(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr base,
			     const char *file, const char *link, GElf_Word crc, char **out)
{
	(void)m, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)out;
	return -1;
}

static int find_no_elf(Dwfl_Module *m, void **data, const char *name, Dwarf_Addr base, char **file,
		       Elf **elf)
{
	(void)m, (void)data, (void)name, (void)base, (void)file, (void)elf;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = find_no_elf,
	.find_debuginfo = find_no_debuginfo,
};

/* What is to be added to the file's virtual addresses, and where the mapping's segment is then;
 * false: the mapping is of none of its segments. */
static bool find_bias(Elf *elf, const struct unwinder_mapping *m, uint64_t *bias, uint64_t *segment)
{
	size_t count;
	GElf_Phdr p;

	if (elf_getphdrnum(elf, &count))
		return false;
	for (size_t i = 0; i < count; i++) {
		uint64_t page;

		if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_LOAD)
			continue;
		page = p.p_align > 1 ? p.p_offset & -p.p_align : p.p_offset;
		if (m->file_offset < page || m->file_offset >= p.p_offset + p.p_filesz)
			continue;
		*bias = m->start - (m->file_offset - p.p_offset + p.p_vaddr);
		*segment = *bias + p.p_vaddr;
		return true;
	}
	return false;
}

/* Is the file of a CPU that is known, of the one that the others are of? */
static bool look_at(struct unwinder *u, int fd, const struct unwinder_mapping *m, uint64_t *bias,
		    uint64_t *segment)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const struct machine *machine = elf ? machine_of(elf) : NULL;
	bool fits = machine && (!u->machine || u->machine == machine) &&
		    find_bias(elf, m, bias, segment);

	if (fits)
		u->machine = machine;
	elf_end(elf);
	return fits;
}

/* Has libdwfl this file there? A mapping may be longer than its file. To report that file again
 * would free its module, and with it what the other frames are unwound by. */
static bool is_known(struct unwinder *u, const struct unwinder_mapping *m, uint64_t segment)
{
	Dwfl_Module *module = dwfl_addrmodule(u->dwfl, segment);
	const char *name = NULL;

	if (module)
		name = dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
	return name && !strcmp(name, m->path);
}

/* Let libdwfl know of what is mapped at @address. False: nothing is. */
static bool report(struct unwinder *u, uint64_t address)
{
	struct unwinder_mapping m;
	Dwfl_Module *module = NULL;
	uint64_t bias, segment;
	int fd;

	if (dwfl_addrmodule(u->dwfl, address))
		return true;
	if (!u->space.at(u->space.context, address, &m))
		return false;
	fd = file_open_found(m.path);
	if (fd >= 0 && look_at(u, fd, &m, &bias, &segment) && !is_known(u, &m, segment)) {
		dwfl_report_begin_add(u->dwfl);
		module = dwfl_report_elf(u->dwfl, m.path, m.path, fd, bias, true);
		dwfl_report_end(u->dwfl, NULL, NULL);
	}
	if (fd >= 0 && !module) /* else it is libdwfl's */
		close(fd);
	return module;
}

static pid_t next_thread(Dwfl *dwfl, void *context, void **thread)
{
	(void)dwfl;
	if (*thread)
		return 0;
	*thread = context;
	return THREAD;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *context, void **thread)
{
	(void)dwfl;
	*thread = context;
	return tid == THREAD;
}

static bool read_stack(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *context)
{
	struct unwinder *u = context;
	const struct unwinder_thread *t = u->thread;
	uint64_t at = address - register_of(t, u->machine->sp);

	(void)dwfl;
	if (at > t->stack_bytes || t->stack_bytes - at < sizeof(*result)) {
		u->cut = true;
		return false;
	}
	memcpy(result, t->stack + at, sizeof(*result));
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
	const struct unwinder *u = context;
	Dwarf_Word values[64];

	for (unsigned i = 0; i < u->machine->count; i++)
		values[i] = register_of(u->thread, u->machine->of_dwarf[i]);
	dwfl_thread_state_register_pc(thread, register_of(u->thread, u->machine->pc));
	return dwfl_thread_state_registers(thread, 0, u->machine->count, values);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_stack,
	.set_initial_registers = set_registers,
};

struct unwinder *unwinder_new(const struct unwinder_space *space)
{
	struct unwinder *u = memory_alloc_array(1, sizeof(*u));

	if (!u)
		return NULL;
	u->space = *space;
	elf_version(EV_CURRENT);
	u->dwfl = dwfl_begin(&callbacks);
	if (u->dwfl)
		return u;
	memory_free(u);
	return NULL;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	dwfl_end(u->dwfl);
	memory_free(u);
}

/* Of a call the frame has where it returns to. By the file that this is in, which libdwfl has to
 * know first, the next frame is found, and with it whether this one was interrupted. */
static int take_frame(Dwfl_Frame *frame, void *context)
{
	struct unwinder *u = context;
	bool interrupted, known;
	Dwarf_Addr pc;

	if (u->frames > u->most || !dwfl_frame_pc(frame, &pc, NULL))
		return DWARF_CB_ABORT;
	known = report(u, pc - 1);
	if (!dwfl_frame_pc(frame, &pc, &interrupted))
		return DWARF_CB_ABORT;
	if (u->frames)
		u->calls[u->frames - 1] = pc - !interrupted;
	u->frames++;
	return known ? DWARF_CB_OK : DWARF_CB_ABORT;
}

size_t unwinder_calls(struct unwinder *u, const struct unwinder_thread *t, uint64_t *calls,
		      size_t most, bool *whole)
{
	unsigned pc;

	*whole = false;
	u->thread = t;
	u->calls = calls;
	u->most = most;
	u->frames = 0;
	u->cut = false;
	/* the machine is that of the file that the thread is in */
	for (pc = 8; pc <= 32 && !u->machine; pc += 24)
		report(u, register_of(t, pc));
	if (!u->machine)
		return 0;
	if (!report(u, register_of(t, u->machine->pc)))
		return 0;
	if (!u->attached)
		u->attached = dwfl_attach_state(u->dwfl, NULL, THREAD, &thread_callbacks, u);
	if (u->attached)
		/* where a caller can't be read, libdwfl says that there is none */
		*whole = !dwfl_getthread_frames(u->dwfl, THREAD, take_frame, u) && !u->cut;
	return u->frames ? u->frames - 1 : 0;
}
