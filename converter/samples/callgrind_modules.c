/* SPDX-License-Identifier: MIT */
#include "converter/samples/callgrind_modules.h"

#include "base/error.h"
#include "formats/callgrind.h"

static int64_t module_of(const struct callgrind *c, uint32_t object, struct modules *modules)
{
	static const struct build_id unknown;

	return modules_add(modules, strings_text(c->strings, object), &unknown);
}

static int share_transfers(const struct callgrind *c, struct modules *modules, struct map *taken)
{
	const struct callgrind_transfer *t;
	const uint32_t *object;

	vector_each (&c->objects, object)
		if (module_of(c, *object, modules) < 0)
			return -1;
	vector_each (&c->transfers, t) {
		int64_t module = module_of(c, t->object, modules);
		struct map_entry *at = module < 0 ? NULL : map_at(taken, (uint64_t)module, 0);

		if (!at)
			return -1;
		at->n += t->taken;
	}
	return 0;
}

int callgrind_modules_read(const uint8_t *data, size_t size, const char *name,
			   struct modules *modules, struct map *taken, struct softlbr_error *e)
{
	struct callgrind c = {0};
	int rc = callgrind_read_bytes(&c, data, size, name, e);

	if (!rc && share_transfers(&c, modules, taken))
		rc = error_set_nomem(e);
	callgrind_deinit(&c);
	return rc;
}
