/* SPDX-License-Identifier: MIT */
/* mov $317,%eax: seccomp(2); mov $157,%eax and mov $22,%edi: prctl(PR_SET_SECCOMP); syscall */
#pragma once

#include <stdint.h>

#define RAW_FILTER_LOAD_BYTES 5u

static const uint8_t raw_filter_seccomp[] = {0xb8, 0x3d, 0x01, 0x00, 0x00};
static const uint8_t raw_filter_prctl[] = {0xb8, 0x9d, 0x00, 0x00, 0x00};
static const uint8_t raw_filter_set_seccomp[] = {0xbf, 0x16, 0x00, 0x00, 0x00};
static const uint8_t raw_filter_system_call[] = {0x0f, 0x05};
