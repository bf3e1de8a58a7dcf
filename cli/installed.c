/* SPDX-License-Identifier: MIT */
#include "cli/installed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

int installed_find(const char *name, const char *directory, const char *advice, char path[PATH_MAX],
		   struct softlbr_error *e)
{
	const char *const places[] = {".", directory};
	char self[PATH_MAX], candidate[2 * PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[length > 0 ? length : 0] = 0;
	if (strrchr(self, '/'))
		*strrchr(self, '/') = 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(candidate, sizeof(candidate), "%s/%s/%s", self, places[i], name);
		if (realpath(candidate, path))
			return 0;
	}
	return error_set(e, SOFTLBR_E_SYSTEM, NULL, "cannot find %s in %s or %s/%s%s", name, self,
			 self, directory, advice);
}
