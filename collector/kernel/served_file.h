/* SPDX-License-Identifier: MIT */
/*
 * Is a file of a file system that a program serves (FUSE)? To read it is to wait for that program,
 * which may be one that waits for us. The file system is not asked, since it could not but notice:
 * the kernel's list of mounts tells.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SERVED_FILE_MOUNTS 8u

/* Mounts whose files are not served; zeroed at first. */
struct served_file_mounts {
	uint64_t known[SERVED_FILE_MOUNTS]; /* atomic */
	uint32_t next;			    /* atomic */
};

/* Is the open file @fd of this process served? What is on no list (its mount is hidden, or in
 * another namespace) may be. Makes system calls only. */
bool served_file_is(struct served_file_mounts *mounts, int fd);
/* Is the device @major:@minor a file system that is served, mounted where process @pid is? */
bool served_file_device(uint32_t pid, uint32_t major, uint32_t minor);
/* Is the program that process @pid executes a file of such? */
bool served_file_program(uint32_t pid);
