/* SPDX-License-Identifier: MIT */
/*
 * SIGBUS: a page of a mapped file is not there, since the file became shorter, or its disk failed.
 * That is an error of the command, with the file's name. Not in a library, whose users have
 * handlers of their own.
 */
#pragma once

/* From now on it ends the process with @status, after a message that begins with @program, which is
 * borrowed; the temporary files are gone then. */
void missing_page_guard(const char *program, int status);
