/* SPDX-License-Identifier: MIT */
/* Any bytes as registers and a copied stack, unwound by the tables of this program, at whose
 * address 0 they take it to be. The pc is in its code. */
#include <stdlib.h>

#include "converter/dwarf/unwinder.h"

#define MASK	  0xff01ffu /* x86-64's: isa/x86_64/host.h */
#define REGISTERS 17u
#define SP	  7
#define PC	  8
#define SPACE	  (UINT64_C(1) << 24) /* of addresses that are code, or none */
#define CALLS	  256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool own_file_at(void *context, uint64_t address, struct unwinder_mapping *out)
{
	(void)context;
	*out = (struct unwinder_mapping){"/proc/self/exe", 0, 0};
	return address < SPACE;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct unwinder_space space = {own_file_at, NULL};
	static struct unwinder *u;
	uint64_t registers[REGISTERS], calls[CALLS + 1];
	struct unwinder_thread thread = {MASK, registers, data, size};
	bool whole;
	size_t count;

	if (size < sizeof(registers))
		return 0;
	__builtin_memcpy(registers, data, sizeof(registers));
	registers[PC] %= SPACE;
	thread.stack += sizeof(registers);
	thread.stack_bytes -= sizeof(registers);
	if (!u)
		u = unwinder_new(&space);
	calls[CALLS] = 77;
	count = unwinder_calls(u, &thread, calls, CALLS, &whole);
	if (!u || count > CALLS || calls[CALLS] != 77)
		abort();
	/* above the last address no word can be read */
	registers[SP] = UINT64_MAX - 3;
	unwinder_calls(u, &thread, calls, CALLS, &whole);
	return 0;
}
