/* SPDX-License-Identifier: MIT */
/*
 * Which files are of a file system that a program serves. One of such is in tests/live; here are
 * those that must not be taken for one, a mount that is on no list, and that the kernel's answer is
 * remembered.
 */
#include "collector/kernel/served_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>
/* cmocka needs the above first */
#include <cmocka.h>

static void files_of_the_disk_and_memory_are_not_served(void **unused)
{
	struct served_file_mounts mounts = {{0}, 0};
	int program = open("/proc/self/exe", O_RDONLY), memory = memfd_create("one", 0), ends[2];

	(void)unused;
	for (unsigned i = 0; i < 2 * SERVED_FILE_MOUNTS; i++) {
		assert_false(served_file_is(&mounts, program));
		assert_false(served_file_is(&mounts, memory));
	}
	assert_true(mounts.next <= 2); /* not looked up again */
	assert_int_equal(pipe(ends), 0);
	assert_false(served_file_is(&mounts, ends[0]));
	assert_false(served_file_is(&mounts, -1));
}

static void devices_are_looked_up_in_the_mounts_of_a_process(void **unused)
{
	struct stat st;

	(void)unused;
	assert_int_equal(stat("/proc/self/exe", &st), 0);
	assert_false(served_file_device((uint32_t)getpid(), major(st.st_dev), minor(st.st_dev)));
	assert_false(served_file_device((uint32_t)getpid(), 4095, 1048575)); /* of no mount */
	assert_false(served_file_program((uint32_t)getpid()));
	assert_false(served_file_program(0)); /* of no process */
}

int main(void)
{
	struct statfs fs;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_of_the_disk_and_memory_are_not_served),
		cmocka_unit_test(devices_are_looked_up_in_the_mounts_of_a_process),
	};

	if (statfs("/proc/self/exe", &fs) || fs.f_type == FUSE_SUPER_MAGIC)
		return 77; /* it is on one itself */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
