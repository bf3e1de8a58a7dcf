/* SPDX-License-Identifier: MIT */
/*
 * Under which name gcc looks for an object's .gcda file below the directory of -fprofile-use=DIR
 * (gcc/coverage.cc: coverage_init; tried with gcc 11 and 12). Keys have these names, so that the
 * .gcda files that are made of them do, too:
 *
 *	compiled in /home/me/app/src to main.o		src#main
 *	in /home/me/app to ../lib/x.o			^#lib#x
 *	in /home/me/app/src to /tmp/main.o		tmp/main
 *
 * where /home/me/app is what -fprofile-prefix-path takes away.
 */
#ifndef CONVERTER_GCC_KEYS_KEY_NAME_H
#define CONVERTER_GCC_KEYS_KEY_NAME_H

/* For an output that gcc calls @output, as its -dumpdir and -dumpbase have it, in the directory
 * @directory. To be freed with memory_free; NULL without memory. */
char *key_name(const char *directory, const char *output, const char *root);
/* The same name of the output that these words of a command of cc1's make; NULL: memory. */
char *key_name_output(const char *dumpdir, const char *dumpbase, const char *extension);
/* The current directory as gcc has it: as the shell calls it, if it does. NULL with errno. */
char *key_name_directory(void);

#endif
