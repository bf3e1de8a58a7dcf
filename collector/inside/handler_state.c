/* SPDX-License-Identifier: MIT */
#include "collector/inside/handler_state.h"

struct handler_state handler_state = {.thread_key_once = PTHREAD_ONCE_INIT};
