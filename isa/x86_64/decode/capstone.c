/* SPDX-License-Identifier: MIT */
/*
 * Capstone's table of CPUs (cs.c) pulls the tables of all of them out of its archive: 78,000
 * relocations, which a collector that is loaded into each process has to make. The entries of those
 * that nobody decodes by Capstone are defined here, so that nothing of them is linked.
 */
#include "isa/x86_64/decode/capstone.h"

#include <stdarg.h>
#include <stdlib.h>

#include "isa/x86_64/decode/capstone_without.h"

WITHOUT(ARM)
WITHOUT(EVM)
WITHOUT(M680X)
WITHOUT(M68K)
WITHOUT(Mips)
WITHOUT(PPC)
WITHOUT(Sparc)
WITHOUT(SystemZ)
WITHOUT(TMS320C64x)
WITHOUT(XCore)

cs_err capstone_open(bool i386, csh *handle)
{
	return cs_open(CS_ARCH_X86, i386 ? CS_MODE_32 : CS_MODE_64, handle);
}

static int no_text(char *text, size_t size, const char *format, va_list arguments)
{
	(void)format;
	(void)arguments;
	if (size)
		*text = 0;
	return 0;
}

void capstone_be_silent(void)
{
	static const cs_opt_mem functions = {malloc, calloc, realloc, free, no_text};

	cs_option(0, CS_OPT_MEM, (size_t)&functions);
}
