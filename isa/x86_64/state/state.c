/* SPDX-License-Identifier: MIT */
/*
 * Filling a state from what the kernel gives of a thread, in a signal handler's ucontext_t or by
 * ptrace; saving and restoring its vectors. Source: Intel SDM volume 1, chapter 13 (XSAVE area),
 * arch/x86/include/uapi/asm (sigcontext.h, ptrace.h).
 */
#include "isa/evaluate.h"

#include <asm/prctl.h>
#include <cpuid.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "base/atomics.h"
#include "isa/host.h"
#include "isa/x86_64/operand.h"
#include "isa/x86_64/state/status.h"

#define MXCSR_OFF      24
#define XMM_OFF	       160
#define SOFTWARE_OFF   464	  /* struct _fpx_sw_bytes: what the kernel says of the area */
#define XSTATE_MAGIC   0x46505853 /* FP_XSTATE_MAGIC1 */
#define XSTATE_BV_OFF  512
#define HEADER_END_OFF 576

/* Behind fninit: all exceptions masked, to nearest, 64 bits of precision. */
#define X87_CONTROL_INITIAL 0x37fu

static uint64_t segment_base(long which)
{
	uint64_t base = 0;
	long rc;

	/* a bare system call: errno belongs to the program */
	__asm__ volatile("syscall"
			 : "=a"(rc)
			 : "a"((long)SYS_arch_prctl), "D"(which), "S"(&base)
			 : "rcx", "r11", "memory");
	return rc ? 0 : base;
}

/* Components: bits of XSTATE_BV, and sub-leaves of CPUID leaf 0d. */
enum xsave_component {
	XSAVE_X87,
	XSAVE_SSE,
	XSAVE_YMM_UPPER,
	XSAVE_OPMASK = 5,
	XSAVE_ZMM_UPPER,
	XSAVE_ZMM_HIGH,
	XSAVE_COMPONENTS
};

/* In the standard format; zero: the CPU does not have it. CPUs differ. */
struct xsave_part {
	uint32_t offset, bytes;
};

/* As this CPU has it; @component: an enum xsave_component, or one between them. Each is asked for
 * when a thread has it: CPUID takes 5 to 13 us in virtual machines, and most processes are sampled
 * once or never. Who asks at the same time writes the same. */
static struct xsave_part xsave_part(unsigned component)
{
	static struct xsave_part parts[XSAVE_COMPONENTS];
	static uint32_t asked[XSAVE_COMPONENTS];
	struct xsave_part *part = &parts[component];
	unsigned bytes, offset, c, d;

	if (!atomic_read_acquire(&asked[component])) {
		__cpuid_count(0x0d, component, bytes, offset, c, d);
		if (bytes)
			*part = (struct xsave_part){offset, bytes};
		atomic_write_release(&asked[component], 1);
	}
	return *part;
}

/* Everything known, nothing written. */
static void start(struct isa_state *s)
{
	s->gpr[X86_NONE] = 0;
	memset(s->gpr_known, 0xff, sizeof(s->gpr_known));
	memset(s->opmask_known, 0xff, sizeof(s->opmask_known));
	memset(s->vector_known, 0xff, sizeof(s->vector_known));
	s->flags_known = UINT64_MAX;
	s->whole = false;
	s->mxcsr_known = UINT32_MAX;
	s->x87_control_known = UINT16_MAX;
	s->segment_base[0] = 0;
	s->cause = ISA_CAUSE_NONE;
	s->spins.count = 0;
	s->saved.address = 0;
	s->unmodelled_pc = 0;
	isa_shadow_reset(&s->shadow);
}

/* Where a component is; 0: the area says nothing of it, as it is in its initial state, zero. */
static uint32_t part_off(unsigned component, uint64_t present)
{
	return present >> component & 1 ? xsave_part(component).offset : 0;
}

static void load_part(struct isa_state *s, const uint8_t *area, size_t size, uint32_t from_off,
		      unsigned first, unsigned to_off, unsigned bytes)
{
	bool valid = from_off && from_off + 16u * bytes <= size;

	for (unsigned i = 0; i < 16; i++) {
		uint8_t *to = s->vector[first + i].u8 + to_off;

		if (valid)
			memcpy(to, area + from_off + i * bytes, bytes);
		else
			memset(to, 0, bytes);
	}
}

static void load_opmasks(struct isa_state *s, const uint8_t *area, size_t size, uint32_t from_off)
{
	memset(s->opmask, 0, sizeof(s->opmask));
	if (from_off && from_off + sizeof(s->opmask) <= size)
		memcpy(s->opmask, area + from_off, sizeof(s->opmask));
}

static void load_x87(struct isa_state *s, const uint8_t *area, bool valid)
{
	s->x87_control = X87_CONTROL_INITIAL;
	if (valid)
		memcpy(&s->x87_control, area, sizeof(s->x87_control));
}

static void load_extended(struct isa_state *s, const uint8_t *area, size_t size)
{
	uint64_t present = 1 << XSAVE_X87 | 1 << XSAVE_SSE;

	if (!area || size < SOFTWARE_OFF) {
		memset(s->vector, 0, sizeof(s->vector));
		memset(s->vector_known, 0, sizeof(s->vector_known));
		memset(s->opmask_known, 0, sizeof(s->opmask_known));
		memset(s->opmask, 0, sizeof(s->opmask));
		s->mxcsr = s->mxcsr_known = 0;
		s->x87_control = s->x87_control_known = 0;
		return;
	}
	memcpy(&s->mxcsr, area + MXCSR_OFF, sizeof(s->mxcsr));
	if (size >= HEADER_END_OFF)
		memcpy(&present, area + XSTATE_BV_OFF, sizeof(present));
	load_x87(s, area, present >> XSAVE_X87 & 1);
	load_part(s, area, size, present >> XSAVE_SSE & 1 ? XMM_OFF : 0, 0, 0, 16);
	load_part(s, area, size, part_off(XSAVE_YMM_UPPER, present), 0, 16, 16);
	load_part(s, area, size, part_off(XSAVE_ZMM_UPPER, present), 0, 32, 32);
	load_part(s, area, size, part_off(XSAVE_ZMM_HIGH, present), 16, 0, 64);
	load_opmasks(s, area, size, part_off(XSAVE_OPMASK, present));
}

/* The frame's area ends behind the legacy part unless the kernel marked it as extended. */
static size_t context_area_size(const uint8_t *area)
{
	uint32_t magic, bytes;

	memcpy(&magic, area + SOFTWARE_OFF, sizeof(magic));
	memcpy(&bytes, area + SOFTWARE_OFF + 16, sizeof(bytes));
	return magic == XSTATE_MAGIC ? bytes : XSTATE_BV_OFF;
}

void isa_state_load_context(struct isa_state *s, const void *ucontext)
{
	static const uint8_t order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
					  REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
					  REG_R12, REG_R13, REG_R14, REG_R15};
	const ucontext_t *context = ucontext;
	const greg_t *from = context->uc_mcontext.gregs;
	const uint8_t *area = (const uint8_t *)context->uc_mcontext.fpregs;

	start(s);
	for (unsigned i = 0; i < 16; i++)
		s->gpr[i] = (uint64_t)from[order[i]];
	s->pc = (uint64_t)from[REG_RIP];
	s->flags = (uint64_t)from[REG_EFL];
	s->segment_base[1] = segment_base(ARCH_GET_FS);
	s->segment_base[2] = segment_base(ARCH_GET_GS);
	load_extended(s, area, area ? context_area_size(area) : 0);
}

uint64_t isa_state_context_pc(const void *ucontext)
{
	return (uint64_t)((const ucontext_t *)ucontext)->uc_mcontext.gregs[REG_RIP];
}

bool isa_state_context_is_behind_system_call(const void *ucontext)
{
	const greg_t *registers = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;

	return registers[REG_RCX] == registers[REG_RIP];
}

bool isa_state_context_traps(const void *ucontext)
{
	const greg_t *at = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;

	return at[REG_EFL] & X86_TRAPPING_FLAGS ||
	       (uint16_t)at[REG_CSGSFS] != ISA_HOST_CODE_SEGMENT;
}

void isa_state_load_ptrace(struct isa_state *s, const struct isa_registers *registers,
			   const void *vectors, size_t vector_bytes)
{
	const struct user_regs_struct *g = &registers->general;
	const uint64_t gpr[16] = {g->rax, g->rcx, g->rdx, g->rbx, g->rsp, g->rbp, g->rsi, g->rdi,
				  g->r8,  g->r9,  g->r10, g->r11, g->r12, g->r13, g->r14, g->r15};

	start(s);
	memcpy(s->gpr, gpr, sizeof(gpr));
	s->pc = g->rip;
	s->flags = g->eflags;
	s->segment_base[1] = g->fs_base;
	s->segment_base[2] = g->gs_base;
	load_extended(s, vectors, vector_bytes);
}

bool isa_state_passes_breakpoint(const struct isa_state *s)
{
	return s->flags & X86_RF;
}

/* `syscall` leaves in rcx where it returns to, which no other instruction would. */
bool isa_state_is_behind_system_call(const struct isa_state *s, const struct isa_memory *m)
{
	(void)m;
	return s->gpr[X86_RCX] == s->pc;
}

void isa_state_unwind_registers(const struct isa_state *s, uint64_t *out)
{
	static const uint8_t order[] = {X86_RAX, X86_RBX, X86_RCX, X86_RDX,
					X86_RSI, X86_RDI, X86_RBP, X86_RSP};
	unsigned n = 0;

	while (n < sizeof(order)) {
		out[n] = s->gpr[order[n]];
		n++;
	}
	out[n++] = s->pc;
	for (unsigned r = X86_R8; r < 16; r++)
		out[n++] = s->gpr[r];
}

bool isa_state_divisor(const struct isa_record *r, struct isa_state *s, const struct isa_memory *m,
		       uint64_t *divisor)
{
	struct isa_value v;

	s->gpr[X86_RIP] = s->pc + r->length;
	v = x86_rm_read(r, s, m, r->size);
	if (!v.bits || !x86_is_known(v, r->size))
		return false;
	*divisor = r->variant ? (uint64_t)x86_sign_extend(v.bits, r->size) : v.bits;
	return true;
}

/* ---- the instructions: xsave, xsavec, xrstor ------------------------------------------------ */

/*
 * What is saved is kept beside the state, and its memory becomes unknown; restoring it from the
 * same place brings it back. Any other restoring makes the vectors unknown.
 */

#define VECTOR_COMPONENTS                                                                       \
	(1u << XSAVE_SSE | 1u << XSAVE_YMM_UPPER | 1u << XSAVE_OPMASK | 1u << XSAVE_ZMM_UPPER | \
	 1u << XSAVE_ZMM_HIGH)

/* Not larger than what is written: there may be a return address right behind it. */
static uint64_t area_bytes(uint32_t components, bool compacted)
{
	uint64_t bytes = HEADER_END_OFF;

	for (unsigned i = XSAVE_YMM_UPPER; i < XSAVE_COMPONENTS; i++) {
		struct xsave_part part;

		if (!(components >> i & 1))
			continue;
		part = xsave_part(i);
		if (compacted)
			bytes += part.bytes;
		else if (part.offset + part.bytes > bytes)
			bytes = part.offset + part.bytes;
	}
	return bytes;
}

/* The components that are asked for, in edx:eax; false unless all that hold vectors are. */
static bool all_vectors(const struct isa_state *s, uint32_t *components)
{
	*components = (uint32_t)s->gpr[X86_RAX];
	return (uint32_t)s->gpr_known[X86_RAX] == UINT32_MAX &&
	       (*components & VECTOR_COMPONENTS) == VECTOR_COMPONENTS;
}

/* xsave; variant 1: xsavec, compacted */
X86_EVALUATOR(state_save_extended)
{
	struct x86_saved *saved = &s->saved;
	uint64_t address, bytes;
	uint32_t components;

	saved->address = 0;
	if (!x86_address(r, s, &address) || !all_vectors(s, &components)) {
		isa_shadow_forget(&s->shadow);
		x86_unmodelled(s);
		return ISA_NEXT;
	}
	bytes = area_bytes(components, r->variant);
	if (!isa_shadow_fill(&s->shadow, address, bytes, NULL))
		return isa_stop(s, ISA_UNMODELLED, ISA_CAUSE_SHADOW_FULL);
	saved->address = address;
	saved->end = address + bytes;
	saved->components = components;
	saved->mxcsr = s->mxcsr;
	saved->mxcsr_known = s->mxcsr_known;
	saved->x87_control = s->x87_control;
	saved->x87_control_known = s->x87_control_known;
	memcpy(saved->vector_known, s->vector_known, sizeof(saved->vector_known));
	memcpy(saved->opmask, s->opmask, sizeof(saved->opmask));
	memcpy(saved->opmask_known, s->opmask_known, sizeof(saved->opmask_known));
	memcpy(saved->vector, s->vector, sizeof(saved->vector));
	return ISA_NEXT;
}

/* xrstor */
X86_EVALUATOR(state_restore_extended)
{
	struct x86_saved *saved = &s->saved;
	uint64_t address;
	uint32_t components;

	if (!x86_address(r, s, &address) || !saved->address || address != saved->address ||
	    s->shadow.memory_unknown || !all_vectors(s, &components) ||
	    components != saved->components ||
	    isa_shadow_touched(&s->shadow, saved->address, saved->end))
		return x86_system_forget_vectors(r, s, m);
	s->mxcsr = saved->mxcsr;
	s->mxcsr_known = saved->mxcsr_known;
	if (components >> XSAVE_X87 & 1) {
		s->x87_control = saved->x87_control;
		s->x87_control_known = saved->x87_control_known;
	}
	memcpy(s->vector_known, saved->vector_known, sizeof(saved->vector_known));
	memcpy(s->opmask, saved->opmask, sizeof(saved->opmask));
	memcpy(s->opmask_known, saved->opmask_known, sizeof(saved->opmask_known));
	memcpy(s->vector, saved->vector, sizeof(saved->vector));
	return ISA_NEXT;
}

/* ---- whether what look-ahead claims to know is so ------------------------------------------ */

static bool vectors_agree(const struct isa_state *claimed, const struct isa_state *real,
			  struct isa_difference *d)
{
	for (unsigned i = 0; i < 32; i++) {
		if (claimed->vector_known[i] == 0xff &&
		    !memcmp(&claimed->vector[i], &real->vector[i], sizeof(real->vector[i])))
			continue;
		if (isa_difference_in_vector(d, i, 8, claimed->vector[i].u64, real->vector[i].u64,
					     claimed->vector_known[i]))
			return false;
	}
	return true;
}

bool isa_state_compare(const struct isa_state *claimed, const struct isa_state *real,
		       struct isa_difference *d)
{
	uint64_t mask = X86_STATUS_FLAGS | X86_DF, flags = claimed->flags,
		 known = claimed->flags_known;

	if (claimed->whole)
		x86_status_flags(claimed, &flags, &known);
	if (isa_difference_find(d, "pc", 0, claimed->pc, real->pc, UINT64_MAX))
		return false;
	for (unsigned i = 0; i < 16; i++) {
		if (isa_difference_find(d, "register", i, claimed->gpr[i], real->gpr[i],
					claimed->gpr_known[i]))
			return false;
	}
	if (isa_difference_find(d, "flags", 0, flags, real->flags, known & mask))
		return false;
	for (unsigned i = 0; i < 8; i++) {
		if (isa_difference_find(d, "opmask", i, claimed->opmask[i], real->opmask[i],
					claimed->opmask_known[i]))
			return false;
	}
	if (isa_difference_find(d, "mxcsr", 0, claimed->mxcsr, real->mxcsr, claimed->mxcsr_known))
		return false;
	if (isa_difference_find(d, "x87 control", 0, claimed->x87_control, real->x87_control,
				claimed->x87_control_known))
		return false;
	return vectors_agree(claimed, real, d);
}
