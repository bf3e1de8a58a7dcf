/* SPDX-License-Identifier: MIT */
/* The session's control page as a process of it sees it: read only, and looked at before it is
 * believed. Whoever is the session's user can write there. */
#pragma once

#include "collector/shared/session.h"

/* Map that of the session in @directory, and copy its options. 0 or a negative errno: -EPERM for a
 * session of another user, -EPROTO for one of another version, or none. */
int control_page_map(const char *directory, struct session_control **control,
		     struct session_options *options);
