/* SPDX-License-Identifier: MIT */
/* A whole file's bytes, for program_file_look. */
#ifndef COLLECTOR_RECORDER_EXECUTABLE_BYTES_H
#define COLLECTOR_RECORDER_EXECUTABLE_BYTES_H

#include "base/file.h"
#include "collector/shared/program_file.h"

void executable_bytes_look(const struct file_view *v, struct program_file *out);

#endif
