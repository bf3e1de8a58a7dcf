/* SPDX-License-Identifier: MIT */
/* Any bytes as a binary: segments, symbols, PLT, and the debug information of all its code. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "converter/binary/binary.h"
#include "converter/debuginfo/debuginfo.h"

#define MOST_LOOKED_UP 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_up_all(struct binary *b, struct debuginfo *d)
{
	struct debuginfo_function info = {0};
	struct softlbr_error e = {0};
	const struct binary_function *f;
	size_t count;

	f = binary_functions(b, &count);
	for (size_t i = 0; i < count && i < MOST_LOOKED_UP; i++)
		if (debuginfo_look_up(d, f[i].begin, f[i].end, &info, &e))
			break;
	debuginfo_look_up(d, 0, UINT64_MAX, &info, &e);
	debuginfo_function_deinit(&info);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct softlbr_error e = {0};
	int descriptor = memfd_create("elf", MFD_CLOEXEC);
	struct debuginfo *d;
	struct binary *b;
	char path[64];

	if (descriptor < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
	if (write(descriptor, data, size) == (ssize_t)size) {
		b = binary_open(path, &e);
		d = b ? debuginfo_open(b, &e) : NULL;
		if (d)
			look_up_all(b, d);
		debuginfo_close(d);
		binary_close(b);
	}
	close(descriptor);
	return 0;
}
