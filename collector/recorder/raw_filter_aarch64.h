/* SPDX-License-Identifier: MIT */
/* mov w8, #277: seccomp(2); mov w8, #167 and mov w0, #22: prctl(PR_SET_SECCOMP); svc #0. Of x8 and
 * x0 the last byte is another. */
#pragma once

#include <stdint.h>

#define RAW_FILTER_LOAD_BYTES 3u

static const uint8_t raw_filter_seccomp[] = {0xa8, 0x22, 0x80};
static const uint8_t raw_filter_prctl[] = {0xe8, 0x14, 0x80};
static const uint8_t raw_filter_set_seccomp[] = {0xc0, 0x02, 0x80};
static const uint8_t raw_filter_system_call[] = {0x01, 0x00, 0x00, 0xd4};
