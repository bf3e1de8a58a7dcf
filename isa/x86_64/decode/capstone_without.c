/* SPDX-License-Identifier: MIT */
/* For programs that print no instructions of AArch64: their own decoder needs no Capstone. */
#include "isa/x86_64/decode/capstone_without.h"

WITHOUT(AArch64)
