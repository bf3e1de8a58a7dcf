/* SPDX-License-Identifier: MIT */
/* From an instruction's bytes to its record. */
#include "isa/evaluate.h"
#include "isa/decoder.h"
#include "isa/x86_64/step.h"

/* What is 0 without a prefix but REX. */
static void set_prefixed(const struct x86_opcode *o, struct isa_record *r)
{
	if (o->operand16 && !(o->rex & 8))
		r->size = 2;
	if (o->encoding != X86_LEGACY)
		r->reg2 = o->register2;
	r->segment = o->segment == 0x64 ? 1 : o->segment == 0x65 ? 2 : 0;
	r->mask = o->opmask & 7;
	r->attributes = (o->address32 ? X86_ADDRESS32 : 0) | (o->repeat == 0xf3 ? X86_REP : 0) |
			(o->repeat == 0xf2 ? X86_REPNE : 0) | (o->zeroing ? X86_ZEROING : 0) |
			(o->lock && r->rm == X86_MEMORY ? X86_LOCK : 0);
}

static void set_operands(const struct x86_layout *l, struct isa_record *r)
{
	r->size = l->opcode.rex & 8 ? 8 : 4;
	r->displacement = l->displacement;
	r->reg = r->reg2 = l->reg;
	r->rm = l->rm;
	r->base = l->base;
	r->index = l->index;
	r->scale = l->scale;
	if (l->opcode.prefixed)
		set_prefixed(&l->opcode, r);
}

/* Latencies as measured on Ice Lake, Zen 3 and later (Fog's tables, uops.info): 64-bit integer
 * division was 40 to 90 before. */
static uint8_t wait_of(const struct x86_opcode *o, const struct isa_record *r)
{
	if (r->op == X86_OP_DIVIDE)
		return r->size == 8 ? 15 : 12;
	if (o->map != X86_MAP_0F)
		return 0;
	if (o->opcode == 0x5e) /* divps, divpd, divss, divsd */
		return r->element == 8 ? 13 : 10;
	if (o->opcode == 0x51) /* sqrt */
		return r->element == 8 ? 17 : 12;
	return 0;
}

static void set_target(const struct x86_layout *l, uint64_t address, struct isa_record *r)
{
	uint64_t target = x86_decode_target(l, address);

	if (target)
		r->target = target;
}

bool isa_record_decode(const uint8_t *bytes, size_t size, uint64_t address, struct isa_record *out)
{
	struct x86_layout l;

	if (!x86_layout_decode(bytes, size, false, &l))
		return false;
	*out = (struct isa_record){.length = l.length,
				   .behind = l.length,
				   .kind = l.entry->kind,
				   .base = X86_NONE,
				   .index = X86_NONE};
	if (l.opcode.apx || l.opcode.encoding == X86_XOP) {
		out->op = X86_OP_UNMODELLED;
		out->variant = ISA_CAUSE_UNMODELLED;
	} else {
		set_operands(&l, out);
		x86_select_integer(&l, out);
	}
	x86_step_choose(out);
	out->divides = out->op == X86_OP_DIVIDE;
	out->wait = wait_of(&l.opcode, out);
	if (out->kind != ISA_OTHER)
		set_target(&l, address, out);
	return true;
}
