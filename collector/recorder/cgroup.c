/* SPDX-License-Identifier: MIT */
#include "collector/recorder/cgroup.h"

#include <dirent.h>
#include <limits.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

/* Its file of processes; false if the name is too long. */
static bool procs_of(const char *path, char file[PATH_MAX])
{
	return snprintf(file, PATH_MAX, "%s/cgroup.procs", path) < PATH_MAX;
}

static bool is_cgroup(const char *path)
{
	char file[PATH_MAX];

	return procs_of(path, file) && !access(file, R_OK);
}

/* Is @name below a mount of this type ("cgroup" of version 1 has several, by controllers)? */
static bool find_below_mount(const char *type, const char *name, char *path, size_t bytes)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *mount;
	bool found = false;

	while (mounts && !found && (mount = getmntent(mounts)))
		found = !strcmp(mount->mnt_type, type) &&
			(size_t)snprintf(path, bytes, "%s/%s", mount->mnt_dir, name) < bytes &&
			is_cgroup(path);
	if (mounts)
		endmntent(mounts);
	return found;
}

int cgroup_find(const char *name, char *path, size_t bytes, struct softlbr_error *e)
{
	const char *below = name + strspn(name, "/");

	if ((size_t)snprintf(path, bytes, "%s", name) < bytes && is_cgroup(path))
		return 0;
	if (find_below_mount("cgroup2", below, path, bytes) ||
	    find_below_mount("cgroup", below, path, bytes))
		return 0;
	return error_set(e, SOFTLBR_E_SYSTEM, NULL,
			 "there is no cgroup %s: give its path as /proc/PID/cgroup has it, such as "
			 "/system.slice/shop.service, or its directory",
			 name);
}

static void take_processes(const char *path, void (*take)(void *context, pid_t pid), void *context)
{
	char file[PATH_MAX];
	FILE *f = procs_of(path, file) ? fopen(file, "re") : NULL;
	int pid;

	/* 0: a process that our namespace has no number for */
	while (f && fscanf(f, "%d", &pid) == 1)
		if (pid > 0)
			take(context, pid);
	if (f)
		fclose(f);
}

void cgroup_each(const char *path, void (*take)(void *context, pid_t pid), void *context)
{
	DIR *d = opendir(path);
	struct dirent *entry;
	char below[PATH_MAX];

	take_processes(path, take, context);
	while (d && (entry = readdir(d)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
		    snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) <
			    (int)sizeof(below))
			cgroup_each(below, take, context);
	if (d)
		closedir(d);
}
