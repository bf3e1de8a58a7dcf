/* SPDX-License-Identifier: MIT */
/* Whole files of formats whose product reads what is mapped already. */
#pragma once

#include <string.h>

#include "base/compress.h"
#include "base/file.h"
#include "formats/fdata.h"
#include "formats/gcov.h"
#include "formats/perfdata_reader.h"
#include "formats/preagg.h"

static inline struct perfdata_reader *perfdata_open(const char *path, struct softlbr_error *e)
{
	struct file_view view;

	if (perfdata_view_open(&view, path, e))
		return NULL;
	return perfdata_open_take(&view, strcmp(path, "-") ? path : "standard input", e);
}

static inline int read_and_close(struct perfdata_reader *r, perfdata_handler *handler,
				 void *context, struct softlbr_error *e)
{
	int rc = perfdata_each(r, PERFDATA_ALL, handler, context, e);

	perfdata_close(r);
	return rc;
}

static inline int perfdata_read(const char *path, perfdata_handler *handler, void *context,
				struct softlbr_error *e)
{
	struct softlbr_error own = {0};
	struct perfdata_reader *r = perfdata_open(path, e ? e : &own);

	return r ? read_and_close(r, handler, context, e) : -(e ? e : &own)->code;
}

static inline int perfdata_read_bytes(const uint8_t *data, size_t size, const char *name,
				      perfdata_handler *handler, void *context,
				      struct softlbr_error *e)
{
	struct softlbr_error own = {0};
	const struct file_view view = {.data = data, .size = size};
	struct perfdata_reader *r = perfdata_open_view(&view, name, e ? e : &own);

	return r ? read_and_close(r, handler, context, e) : -(e ? e : &own)->code;
}

static inline int fdata_read(const char *path, struct bolt_profile *out, struct softlbr_error *e)
{
	struct file_view view;
	int rc = compress_view_open(&view, path, e);

	if (rc)
		return rc;
	rc = fdata_read_bytes((const char *)view.data, view.size, path, out, e);
	file_view_close(&view);
	return rc;
}

static inline int gcov_read(const char *path, struct source_profile *p, unsigned *version,
			    struct softlbr_error *e)
{
	struct file_view v;
	int rc = compress_view_open(&v, path, e);

	if (rc) {
		*p = (struct source_profile){0};
		return rc;
	}
	rc = gcov_read_bytes(v.data, v.size, path, p, version, e);
	file_view_close(&v);
	return rc;
}

static inline int preagg_read(struct branch_profile *p, const char *path, struct softlbr_error *e)
{
	struct build_tags tags = {0};
	struct branch_profile read = {0};
	struct file_view v;
	int rc = compress_view_open(&v, path, e);

	if (rc)
		return rc;
	rc = preagg_read_weighed(&read, &tags, v.data, v.size, path, 1, e)
		     ?: build_tags_select_only(&tags, &read, path, p, e);
	branch_profile_deinit(&read);
	build_tags_deinit(&tags);
	file_view_close(&v);
	return rc;
}
