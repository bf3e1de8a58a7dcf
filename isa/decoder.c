/* SPDX-License-Identifier: MIT */
/* Which CPU's decoder: chosen by the ELF machine of the code, not by where softlbr runs. */
#include "isa/decoder.h"

#include <elf.h>

#include "base/memory.h"

struct isa_decoder {
	struct x86_decoder *x86; /* NULL: AArch64, which needs no state */
};

struct isa_decoder *isa_decoder_new(uint16_t elf_machine)
{
	struct isa_decoder *d;

	if (elf_machine != EM_X86_64 && elf_machine != EM_AARCH64)
		return NULL;
	d = memory_alloc(sizeof(*d));
	if (!d || elf_machine == EM_AARCH64)
		return d;
	d->x86 = x86_decoder_new();
	if (!d->x86) {
		memory_free(d);
		return NULL;
	}
	return d;
}

void isa_decoder_free(struct isa_decoder *d)
{
	if (!d)
		return;
	x86_decoder_free(d->x86);
	memory_free(d);
}

bool isa_decode(struct isa_decoder *d, const uint8_t *bytes, size_t size, uint64_t address,
		struct isa_insn *out)
{
	return d->x86 ? x86_decode(d->x86, bytes, size, address, out)
		      : aarch64_decode(bytes, size, address, out);
}
