/* SPDX-License-Identifier: MIT */
/* Entries of Capstone's table of CPUs for those that are not to be linked. */
#ifndef ISA_X86_64_DECODE_CAPSTONE_WITHOUT_H
#define ISA_X86_64_DECODE_CAPSTONE_WITHOUT_H

#include <capstone/capstone.h>

#define WITHOUT(cpu)                                                  \
	cs_err cpu##_global_init(void *handle);                       \
	cs_err cpu##_option(csh handle, cs_opt_type t, size_t value); \
	cs_err cpu##_global_init(void *handle)                        \
	{                                                             \
		(void)handle;                                         \
		return CS_ERR_ARCH;                                   \
	}                                                             \
	cs_err cpu##_option(csh handle, cs_opt_type t, size_t value)  \
	{                                                             \
		(void)handle, (void)t, (void)value;                   \
		return CS_ERR_ARCH;                                   \
	}

#endif
