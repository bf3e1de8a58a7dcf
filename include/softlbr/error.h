/* SPDX-License-Identifier: MIT */
/*
 * The error object that every softlbr call fills when it fails.
 *
 * The caller owns it, and may pass NULL. The first error wins: a call that fails while an error is
 * already set does not change it. The text says what failed, on which input, where, why, and what
 * to try; it has no trailing newline.
 */
#ifndef SOFTLBR_ERROR_H
#define SOFTLBR_ERROR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SOFTLBR_EXPORT __attribute__((visibility("default")))

/* The numbers are the exit statuses of the converting commands (docs/man/softlbr.1). */
enum softlbr_code {
	SOFTLBR_OK = 0,
	SOFTLBR_E_SYSTEM = 1, /* input or output failed, or no memory */
	SOFTLBR_E_USAGE = 2,
	SOFTLBR_E_INPUT = 3,  /* bad input */
	SOFTLBR_E_EMPTY = 4,  /* empty profile */
	SOFTLBR_E_POOR = 5,   /* poor profile */
	SOFTLBR_E_BINARY = 6, /* wrong binary */
	SOFTLBR_E_THRESHOLD = 7,
};

struct softlbr_error {
	int code;	  /* enum softlbr_code; 0 = no error */
	int sys_errno;	  /* errno of the failed system call, or 0 */
	uint64_t where;	  /* byte offset or line in the input; UINT64_MAX = does not apply */
	char source[256]; /* name of the input; may be empty */
	char text[768];	  /* the message */
};

#ifdef __cplusplus
}
#endif
#endif
