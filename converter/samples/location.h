/* SPDX-License-Identifier: MIT */
/* Where an address of a recording is (converter/samples/locator.h). */
#ifndef CONVERTER_SAMPLES_LOCATION_H
#define CONVERTER_SAMPLES_LOCATION_H

#include <stdint.h>

enum location_kind { LOCATION_BINARY, LOCATION_OTHER, LOCATION_KERNEL, LOCATION_NOTHING };

struct location {
	enum location_kind where;
	int64_t module; /* -1 = none */
	uint64_t va;	/* in the binary */
};

#endif
