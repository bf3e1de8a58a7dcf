/* SPDX-License-Identifier: MIT */
/* What a build has made of its programs besides, as by `make install`: that is what runs. */
#pragma once

#include "pgo/project.h"

/* Find the copies of the programs below the project's directory, by their build-ids. */
int project_copies_find(struct project *p, struct softlbr_error *e);
/* Program number *@program and the path of copy number @i. */
const char *project_copy(const struct project *p, size_t i, size_t *program);
