/* SPDX-License-Identifier: MIT */
/* Copying and filling more bytes than a few, from lower to higher addresses, without a call. */
#pragma once

#if defined(__x86_64__)
#include "collector/inside/handler/freestanding_x86_64.h"
#elif defined(__aarch64__)
#include "collector/inside/handler/freestanding_aarch64.h"
#else
#error "softlbr's collector does not know this CPU yet"
#endif
