/* SPDX-License-Identifier: MIT */
/*
 * Temporary files that a program does not leave behind when a signal ends it: the user's ^C, or the
 * reader of its output that has gone. Without temporaries_remove_on_signals nothing is done about
 * signals, which in a library are the program's own. For one thread at a time.
 */
#ifndef BASE_TEMPORARIES_H
#define BASE_TEMPORARIES_H

/* From now on: signals that end this program remove what it has made first. */
void temporaries_remove_on_signals(void);
/* mkostemp(3) of @template, which is borrowed until temporaries_forget; the descriptor, or -1. */
int temporaries_make(char *template);
/* It has another name now, or is gone; nothing if it was not made here. */
void temporaries_forget(const char *path);

#endif
