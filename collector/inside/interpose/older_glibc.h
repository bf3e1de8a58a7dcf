/* SPDX-License-Identifier: MIT */
/*
 * Included before every file of the collector (collector/CMakeLists.txt): what it is compiled with
 * may be newer than the program's glibc. Since 2.38 strtol and scanf are other functions by
 * default, which also read the binary numbers of C23 and are not in older libraries.
 */
#pragma once

#include <features.h>

#undef __GLIBC_USE_C2X_STRTOL /* 2.38, 2.39 */
#define __GLIBC_USE_C2X_STRTOL 0
#undef __GLIBC_USE_C23_STRTOL
#define __GLIBC_USE_C23_STRTOL 0
