/* SPDX-License-Identifier: MIT */
#include "base/file_output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/mapped_files.h"
#include "base/memory.h"

/* ---- temporary files ----------------------------------------------------------------------- */

/* The signals that end a program unless it handles them; crashes are left alone. */
static const int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU, SIGXFSZ};

static struct {
	bool on;
	VECTOR(const char *)
	paths; /* changed with these signals blocked: remove_temporaries reads them */
} temporaries;

void file_temporaries_remove(void)
{
	for (size_t i = 0; i < temporaries.paths.count; i++)
		unlink(temporaries.paths.items[i]);
}

static void remove_temporaries(int number)
{
	int kept = errno;

	file_temporaries_remove();
	raise(number); /* the default again, which comes when this returns */
	errno = kept;
}

void file_temporaries_remove_on_signals(void)
{
	struct sigaction mine = {.sa_handler = remove_temporaries, .sa_flags = SA_RESETHAND},
			 theirs;

	temporaries.on = true;
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		if (!sigaction(ending[i], NULL, &theirs) && theirs.sa_handler == SIG_DFL)
			sigaction(ending[i], &mine, NULL);
}

static void block(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		sigaddset(&set, ending[i]);
	pthread_sigmask(SIG_BLOCK, &set, before);
}

/* mkostemp(3) of @template, which is borrowed until temporary_forget; the descriptor, or -1. */
static int temporary_make(char *template)
{
	const char **slot = NULL;
	sigset_t before;
	int fd, error;

	if (!temporaries.on)
		return mkostemp(template, O_CLOEXEC);
	block(&before);
	fd = mkostemp(template, O_CLOEXEC);
	error = errno;
	if (fd >= 0)
		slot = vector_push(&temporaries.paths);
	if (slot) /* without memory a signal leaves it, and that is all */
		*slot = template;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return fd;
}

/* Signals leave @path alone from now on: it has another name, or is gone. */
static void temporary_forget(const char *path)
{
	sigset_t before;

	if (!temporaries.on)
		return;
	block(&before);
	for (size_t i = 0; i < temporaries.paths.count; i++)
		if (temporaries.paths.items[i] == path)
			temporaries.paths.items[i] =
				temporaries.paths.items[--temporaries.paths.count];
	if (!temporaries.paths.count)
		vector_deinit(&temporaries.paths);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- one output ---------------------------------------------------------------------------- */

bool file_is_in_place(const char *path)
{
	/* not what anybody may make, in /dev/shm */
	bool of_system = (!strncmp(path, "/dev/", 5) && !strchr(path + 5, '/')) ||
			 !strncmp(path, "/dev/fd/", 8) || !strncmp(path, "/proc/", 6);
	struct stat st;

	return (of_system && !lstat(path, &st) && S_ISLNK(st.st_mode)) ||
	       (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode));
}

/* The mode of the file that is replaced, or the one that open(2) would give a new file. */
static mode_t usual_mode(const char *path)
{
	mode_t mask = umask(0);
	struct stat old;

	umask(mask);
	return !stat(path, &old) && S_ISREG(old.st_mode) ? old.st_mode & 0777 : 0666 & ~mask;
}

/* Make a new file of @mode, which follows no link, beside @path for it to be renamed to; its
 * descriptor, or a negative code. *temporary is its name, the caller's: freed after
 * temporaries_forget. NULL on failure. */
static int make_beside(const char *path, unsigned mode, char **temporary, struct softlbr_error *e)
{
	int fd;

	*temporary = memory_format("%s.tmp-XXXXXX", path);
	if (!*temporary)
		return error_set_nomem(e);
	fd = temporary_make(*temporary);
	if (fd < 0) {
		error_set_errno(e, path, "cannot create %s", path);
		memory_free(*temporary);
		*temporary = NULL;
		return -SOFTLBR_E_SYSTEM;
	}
	if (fchmod(fd, mode)) {
		/* Some file systems have no modes: the file itself is good. */
	}
	return fd;
}

static int open_temporary(struct file_output *o, mode_t mode, struct softlbr_error *e)
{
	int fd = make_beside(o->path, mode, &o->temporary, e);

	if (fd < 0)
		return fd;
	o->stream = fdopen(fd, "w");
	if (!o->stream) {
		error_set_errno(e, o->path, "cannot write %s", o->path);
		close(fd);
		return -SOFTLBR_E_SYSTEM;
	}
	return 0;
}

static int open_output(struct file_output *o, const char *path, mode_t mode,
		       struct softlbr_error *e)
{
	struct stat st;
	int rc = 0;

	*o = (struct file_output){0};
	o->path = memory_copy_string(path);
	if (!o->path)
		return error_set_nomem(e);
	if (!strcmp(path, "-")) {
		o->stream = stdout;
	} else if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		rc = error_set_errno(e, path, "cannot write %s", path);
	} else if (file_is_in_place(path) && file_is_planted(path)) {
		errno = EPERM; /* who reads that pipe, or listens there? */
		rc = error_set_errno(e, path, "%s is another user's, and no file: not written",
				     path);
	} else if (file_is_in_place(path)) {
		o->stream = fopen(path, "we");
		if (!o->stream)
			rc = error_set_errno(e, path, "cannot write %s", path);
	} else {
		rc = open_temporary(o, mode, e);
	}
	if (rc)
		file_output_abandon(o);
	return rc;
}

int file_output_open(struct file_output *o, const char *path, struct softlbr_error *e)
{
	return open_output(o, path, usual_mode(path), e);
}

int file_output_open_private(struct file_output *o, const char *path, struct softlbr_error *e)
{
	return open_output(o, path, 0600, e);
}

/* Flush, check and close; the temporary file stays. On failure as file_output_commit. */
static int file_output_finish(struct file_output *o, struct softlbr_error *e)
{
	bool bad = ferror(o->stream);
	int rc;

	if (memory_has_failed()) { /* and somebody went on without: it may be incomplete */
		file_output_abandon(o);
		return error_set_nomem(e);
	}
	rc = mapped_files_check(e);
	if (rc) {
		file_output_abandon(o);
		return rc;
	}
	errno = 0;
	bad |= fflush(o->stream) != 0;
	if (o->stream != stdout)
		bad |= fclose(o->stream) != 0;
	o->stream = NULL;
	if (!bad)
		return 0;
	if (!errno)
		errno = EIO; /* the failing write's errno is gone */
	rc = error_set_errno(e, o->path, "cannot write %s",
			     strcmp(o->path, "-") ? o->path : "standard output");
	file_output_abandon(o);
	return rc;
}

int file_output_commit(struct file_output *o, struct softlbr_error *e)
{
	int rc = o->stream ? file_output_finish(o, e) : 0;

	if (rc)
		return rc;
	if (o->temporary && rename(o->temporary, o->path)) {
		rc = error_set_errno(e, o->path, "cannot rename %s to %s", o->temporary, o->path);
	} else if (o->temporary) {
		temporary_forget(o->temporary);
		memory_free(o->temporary);
		o->temporary = NULL;
	}
	file_output_abandon(o);
	return rc;
}

int file_output_end(struct file_output *o, int rc, struct softlbr_error *e)
{
	if (!rc)
		return file_output_commit(o, e);
	file_output_abandon(o);
	return rc;
}

void file_output_abandon(struct file_output *o)
{
	if (o->stream && o->stream != stdout)
		fclose(o->stream);
	if (o->temporary) {
		unlink(o->temporary);
		temporary_forget(o->temporary);
	}
	memory_free(o->temporary);
	memory_free(o->path);
	*o = (struct file_output){0};
}

/* ---- several outputs ----------------------------------------------------------------------- */

int file_outputs_open(struct file_outputs *o, const char *path, FILE **stream,
		      struct softlbr_error *e)
{
	struct file_output *output = vector_push(&o->list);
	int rc = output ? file_output_open(output, path, e) : error_set_nomem(e);

	*stream = rc ? NULL : output->stream;
	return rc;
}

int file_outputs_finish(struct file_outputs *o, struct softlbr_error *e)
{
	return file_output_finish(&o->list.items[o->list.count - 1], e);
}

int file_outputs_hand_over(struct file_outputs *o, struct file_outputs *to, struct softlbr_error *e)
{
	struct file_output *output;

	if (vector_reserve(&to->list, o->list.count)) {
		file_outputs_abandon(o);
		return error_set_nomem(e);
	}
	vector_each (&o->list, output)
		*vector_push(&to->list) = *output;
	vector_deinit(&o->list);
	return 0;
}

int file_outputs_commit(struct file_outputs *o, struct softlbr_error *e)
{
	struct file_output *output;
	int rc = 0;

	vector_each (&o->list, output)
		rc = file_output_end(output, rc, e);
	vector_deinit(&o->list);
	return rc;
}

void file_outputs_abandon(struct file_outputs *o)
{
	struct file_output *output;

	vector_each (&o->list, output)
		file_output_abandon(output);
	vector_deinit(&o->list);
}

/* ---- an output that grows ------------------------------------------------------------------ */

static int open_in_place(const char *path, struct softlbr_error *e)
{
	struct stat st;
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY);

	/* a redirection is begun anew; nothing else here is a file */
	if (fd < 0 || fstat(fd, &st) || (S_ISREG(st.st_mode) && ftruncate(fd, 0))) {
		error_set_errno(e, path, "cannot create %s", path);
		if (fd >= 0)
			close(fd);
		return -SOFTLBR_E_SYSTEM;
	}
	return fd;
}

int file_growing_open(const char *path, char **temporary, struct softlbr_error *e)
{
	*temporary = NULL;
	return file_is_in_place(path) ? open_in_place(path, e)
				      : make_beside(path, 0600, temporary, e);
}

bool file_growing_has_old(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISREG(st.st_mode) && st.st_size;
}

static int exchange_names(const char *a, const char *b)
{
	return (int)syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE);
}

/* Without a rename onto a file, for which ext4 writes the new one to the disk first
 * (auto_da_alloc): it is there since the last recording. */
static int keep_old(const char *temporary, const char *old)
{
	if (file_growing_has_old(old) && !exchange_names(temporary, old))
		return unlink(temporary);
	return rename(temporary, old);
}

/* At each moment one of both has the name, where the file system can do that. */
static int swap_names(const char *path, const char *temporary, const char *old)
{
	int why;

	if (exchange_names(temporary, path))
		return rename(path, old) ? -1 : rename(temporary, path);
	if (!keep_old(temporary, old))
		return 0;
	why = errno;
	exchange_names(temporary, path);
	errno = why;
	return -1;
}

static int give_name(const char *path, const char *temporary, const char *old,
		     struct softlbr_error *e)
{
	if (!file_growing_has_old(path))
		return rename(temporary, path) ? error_set_errno(e, path, "cannot create %s", path)
					       : 0;
	return swap_names(path, temporary, old)
		       ? error_set_errno(e, path, "cannot keep the old %s as %s", path, old)
		       : 0;
}

int file_growing_appear(const char *path, char *temporary, struct softlbr_error *e)
{
	char *old;
	int rc;

	if (!temporary)
		return 0;
	old = memory_format("%s.old", path);
	rc = old ? give_name(path, temporary, old, e) : error_set_nomem(e);
	if (rc)
		unlink(temporary);
	temporary_forget(temporary);
	memory_free(temporary);
	memory_free(old);
	return rc;
}

void file_growing_abandon(char *temporary)
{
	if (!temporary)
		return;
	unlink(temporary);
	temporary_forget(temporary);
	memory_free(temporary);
}

/* ---- links --------------------------------------------------------------------------------- */

/* As many as the kernel follows (path_resolution(7)). */
#define LINKS_MOST 40u

/* 1: @path became what it leads to; 0: it is no link; negative: @e. */
static int follow_once(char path[PATH_MAX], struct softlbr_error *e)
{
	char target[PATH_MAX], parent[PATH_MAX];
	struct stat st;
	ssize_t length;
	int bytes;

	if (lstat(path, &st) || !S_ISLNK(st.st_mode))
		return 0;
	if (st.st_uid != geteuid() && st.st_uid)
		return error_set(e, SOFTLBR_E_USAGE, path,
				 "%s is a symbolic link of another user: it is not followed; "
				 "write to another file",
				 path);
	length = readlink(path, target, sizeof(target) - 1);
	if (length < 0)
		return error_set_errno(e, path, "cannot read the link %s", path);
	target[length] = 0;
	snprintf(parent, sizeof(parent), "%.*s",
		 *target == '/' ? 0 : (int)(file_base_name(path) - path), path);
	bytes = snprintf(path, PATH_MAX, "%s%s", parent, target);
	if (bytes < PATH_MAX)
		return 1;
	errno = ENAMETOOLONG;
	return error_set_errno(e, target, "cannot follow the link to %s", target);
}

char *file_link_follow(const char *path, struct softlbr_error *e)
{
	char at[PATH_MAX];
	int rc = 1;

	if (file_is_in_place(path) || strlen(path) >= sizeof(at)) {
		char *same = memory_copy_string(path);

		if (!same)
			error_set_nomem(e);
		return same;
	}
	strcpy(at, path);
	for (unsigned i = 0; rc == 1 && i < LINKS_MOST; i++)
		rc = follow_once(at, e);
	if (rc == 1) {
		errno = ELOOP;
		rc = error_set_errno(e, path, "cannot follow the link %s", path);
	}
	if (rc)
		return NULL;
	path = memory_copy_string(at);
	if (!path)
		error_set_nomem(e);
	return (char *)path;
}
