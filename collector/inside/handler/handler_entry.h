/* SPDX-License-Identifier: MIT */
/*
 * Where the kernel enters a signal handler of ours, and where it leaves:
 *
 *	HANDLER_ENTRY(entry, handler)
 *		defines @entry, which makes the flags ordinary and goes to @handler, a static
 *		function with the attribute `used`. Its fourth argument is where it returns to
 *	HANDLER_ENTRY_NOTED(entry, handler)
 *		the same, which first makes a note of the call in the frame (struct
 *		signal_frame_note). Up to @entry_noted all is as the kernel gave it, and from
 *		there on the note is complete
 *	HANDLER_RETURN(name)
 *		a return of our own: libc's is code in which a breakpoint may stand. Unwinders
 *		know its very bytes for a signal's frame
 *	HANDLER_RETURN_BY(name, function)
 *		the same by way of @function, which is `used` as well. Unwinders find the
 *		interrupted registers in the frame
 *
 * and what a function is that takes nothing and may return twice, from the caller's own frame:
 *
 *	HANDLER_TAIL(name, function)
 *		defines @name, an exported one, which calls @function, a static one that is `used`,
 *		and goes on to what that returns, as if its caller had called it
 */
#pragma once

#if defined(__x86_64__)
#include "collector/inside/handler/handler_entry_x86_64.h"
#elif defined(__aarch64__)
#include "collector/inside/handler/handler_entry_aarch64.h"
#else
#error "softlbr's collector does not know this CPU yet"
#endif
