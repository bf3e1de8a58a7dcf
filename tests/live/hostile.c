/* SPDX-License-Identifier: MIT */
/*
 * hostile SEED OWN|ALL|DROP: a program that does its worst to the session that records it, by
 * random numbers: writes into the buffers that it shares with the recorder, makes their file
 * shorter and longer, renames and replaces it, fills the directory. ALL: the control page and other
 * names too. DROP: as nobody, what is left to it, and status 3 if it reached any file. Or the name
 * of a mode, without whose name they are listed: one thing that it does to all that it can reach;
 * it says which names it leaves that nobody knows.
 */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGE	   4096u
#define CHILDREN   12u
#define OPERATIONS 3000u

static uint64_t state;
static const char *directory;
static char file[32]; /* its name */
static uint8_t *shared;
static size_t shared_bytes;

static uint64_t draw(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

/* Numbers at which something ends, and others. */
static uint64_t number(void)
{
	static const uint64_t edges[] = {
		0,	   1,	      2,     7,	    8,	   15,	    16,		64,
		4080,	   4096,      16368, 16384, 65535, 1 << 30, UINT32_MAX, UINT32_MAX - 7,
		INT64_MAX, UINT64_MAX};

	return draw(3) ? edges[draw(sizeof(edges) / sizeof(edges[0]))] : draw(UINT64_MAX);
}

/* The collector's own mapping of its file. */
static bool find_file(void)
{
	char line[512], *name;
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long begin, end;

	shared = NULL;
	while (maps && fgets(line, sizeof(line), maps)) {
		line[strcspn(line, "\n")] = 0;
		name = strstr(line, directory);
		if (!name || !strcmp(name + strlen(directory), "/control") ||
		    sscanf(line, "%lx-%lx", &begin, &end) != 2)
			continue;
		if (!shared)
			shared = (uint8_t *)begin;
		shared_bytes = (size_t)(end - (uintptr_t)shared);
		snprintf(file, sizeof(file), "%.31s", name + strlen(directory) + 1);
	}
	if (maps)
		fclose(maps);
	return shared;
}

/* ---- what it does -------------------------------------------------------------------------- */

static void scribble(void)
{
	uint64_t value = number();
	size_t at = draw(2) ? draw(PAGE / 4) * 4 /* the header, else a chunk's */
			    : PAGE + draw((shared_bytes - PAGE) / 16384) * 16384 + draw(8) * 4;

	if (at + sizeof(value) <= shared_bytes)
		memcpy(shared + at, &value, draw(2) ? 4 : 8);
}

static const char *any_name(bool all)
{
	static char name[32];

	switch (draw(all ? 5 : 3)) {
	case 0:
		return file;
	case 1:
		snprintf(name, sizeof(name), "%d.%d", 900000 + (int)draw(5000), (int)draw(3));
		return name;
	case 2:
		snprintf(name, sizeof(name), "%d", (int)draw(100));
		return name;
	case 3:
		return "control";
	default:
		snprintf(name, sizeof(name), "%d.0", (int)getppid() + (int)draw(8));
		return name;
	}
}

static void cut(int fd)
{
	if (fd >= 0 && ftruncate(fd, (off_t)(number() & INT64_MAX)))
		return;
}

static void attack_files(int at, bool all)
{
	const char *name = any_name(all);
	uint64_t value = number();
	int fd = openat(at, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CREAT, 0600);

	switch (draw(8)) {
	case 0:
		cut(fd);
		break;
	case 1:
		if (fd < 0 || pwrite(fd, &value, 8, (off_t)draw(PAGE / 4) * 4) < 0)
			break;
		break;
	case 2:
		renameat(at, name, at, any_name(all));
		break;
	case 3:
		unlinkat(at, name, 0);
		mkfifoat(at, name, 0600);
		break;
	case 4:
		unlinkat(at, name, 0);
		mkdirat(at, name, 0700);
		break;
	case 5:
		unlinkat(at, name, 0);
		if (symlinkat("/etc/passwd", at, name))
			break;
		break;
	case 6:
		unlinkat(at, name, 0);
		break;
	default: /* of another process, as a lease wants none */
		if (linkat(at, file, at, any_name(all), 0))
			break;
	}
	if (fd >= 0)
		close(fd);
}

/* As nobody: its mapping is all that it has. */
static int drop(void)
{
	static const char *const wanted[] = {"control", "", "planted"};
	char path[256];
	int reached = 0;

	for (volatile unsigned i = 0; i < 100000000; i++)
		; /* until it is known to the recorder */
	if (setgid(65534) || setuid(65534))
		return 4;
	for (unsigned i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, wanted[i]);
		reached |= open(path, O_RDONLY) >= 0 || open(path, O_RDWR | O_CREAT, 0600) >= 0;
	}
	snprintf(path, sizeof(path), "%s/%s", directory, file);
	reached |= open(path, O_RDWR) >= 0 || !truncate(path, 0) || !unlink(path);
	for (unsigned i = 0; i < OPERATIONS; i++)
		scribble();
	if (!fork()) /* a process of another user */
		_exit(0);
	wait(NULL);
	return reached ? 3 : 0;
}

static void attack(bool all)
{
	int at = open(directory, O_RDONLY | O_DIRECTORY);
	volatile uint64_t sum = 0;

	for (unsigned i = 0; i < OPERATIONS; i++) {
		for (unsigned n = 0; n < 2000; n++)
			sum += n;
		if (draw(40) || at < 0)
			scribble();
		else
			attack_files(at, all);
	}
}

/* ---- modes --------------------------------------------------------------------------------- */

static void work(unsigned milliseconds)
{
	clock_t end = clock() + (clock_t)milliseconds * (CLOCKS_PER_SEC / 1000);

	while (clock() < end)
		for (volatile unsigned i = 0; i < 20000; i++)
			;
}

/* Each file of the session, by its name there. */
static void each_file(void (*attack_one)(int at, const char *name))
{
	DIR *d = opendir(directory);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (entry->d_name[0] != '.')
			attack_one(dirfd(d), entry->d_name);
	if (d)
		closedir(d);
}

/* Words at which something ends, all over it. */
static void scribble_file(int at, const char *name)
{
	int fd = openat(at, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && st.st_size >= 8)
		for (unsigned i = 0; i < OPERATIONS; i++) {
			uint64_t value = number();
			uint64_t within = i & 1 && st.st_size > PAGE ? PAGE : (uint64_t)st.st_size;

			if (pwrite(fd, &value, 8, (off_t)(draw(within / 8) * 8)) < 0)
				break;
		}
	if (fd >= 0)
		close(fd);
}

static void run_scribble(void)
{
	for (unsigned i = 0; i < 5; i++) {
		each_file(scribble_file);
		work(10);
	}
}

static void fill_file(int at, const char *name)
{
	int fd = openat(at, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
	static uint8_t bytes[1 << 16];
	struct stat st;

	memset(bytes, draw(2) ? 0xff : 0, sizeof(bytes));
	if (fd < 0)
		return;
	if (!fstat(fd, &st))
		for (off_t done = 0; done < st.st_size && done < 8 << 20; done += 1 << 16)
			if (pwrite(fd, bytes, sizeof(bytes), done) < 0)
				break;
	close(fd);
}

static void run_fill(void)
{
	for (unsigned i = 0; i < 20; i++) {
		each_file(fill_file);
		work(5);
	}
}

static void cut_file(int at, const char *name)
{
	int fd = openat(at, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK);

	if (fd >= 0 && !ftruncate(fd, draw(3) ? 0 : 5000))
		close(fd);
}

/* From another process: what it maps is gone, too. */
static void run_cut(void)
{
	if (fork())
		return;
	for (unsigned i = 0; i < 200; i++) {
		each_file(cut_file);
		usleep(500);
	}
	_exit(0);
}

static void grow_file(int at, const char *name)
{
	int fd = openat(at, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK);

	if (fd >= 0 && !ftruncate(fd, (off_t)1 << 45))
		close(fd);
}

static void run_grow(void)
{
	each_file(grow_file);
}

static void pipe_file(int at, const char *name)
{
	unlinkat(at, name, 0);
	mkfifoat(at, name, 0600);
}

static void run_pipes(void)
{
	each_file(pipe_file);
}

static void link_file(int at, const char *name)
{
	unlinkat(at, name, 0);
	if (symlinkat(getenv("PRECIOUS"), at, name))
		perror(name);
}

static void run_links(void)
{
	each_file(link_file);
}

static void directory_file(int at, const char *name)
{
	unlinkat(at, name, 0);
	mkdirat(at, name, 0700);
}

static void run_directories(void)
{
	each_file(directory_file);
}

/* Processes that there are not. */
static void run_flood(void)
{
	char name[64];
	int at = open(directory, O_RDONLY | O_DIRECTORY);

	for (unsigned i = 0; at >= 0 && i < 30000; i++) {
		int fd;

		snprintf(name, sizeof(name), "%u.%u", 100000 + i, 1 + i % 3);
		fd = openat(at, name, O_CREAT | O_RDWR, 0600);
		if (fd >= 0 && !ftruncate(fd, 1 << 20))
			close(fd);
	}
}

static void remove_file(int at, const char *name)
{
	unlinkat(at, name, 0);
}

/* A link in its place. */
static void run_remove(void)
{
	each_file(remove_file);
	if (rmdir(directory) || symlink(getenv("PRECIOUS"), directory))
		perror(directory);
	puts(directory);
}

/* Another one in its place. */
static void run_rename(void)
{
	char other[512];

	snprintf(other, sizeof(other), "%s.moved", directory);
	if (rename(directory, other) || mkdir(directory, 0777))
		perror(directory);
	printf("%s\n%s\n", directory, other);
}

static void run_close(void)
{
	for (int fd = 3; fd < 70000; fd++)
		syscall(SYS_close, fd);
}

static void run_cover(void)
{
	for (int fd = 3; fd < 1100; fd++)
		syscall(SYS_dup2, 1, fd);
}

static void run_forks(void)
{
	for (unsigned i = 0; i < 400; i++) {
		if (!fork()) {
			work(1);
			_exit(0);
		}
		if (i % 20 == 19)
			while (waitpid(-1, NULL, WNOHANG) > 0)
				;
	}
	while (wait(NULL) > 0)
		;
}

static void run_maps(void)
{
	for (unsigned i = 0; i < 4000; i++) {
		int fd = open("/proc/self/exe", O_RDONLY);
		void *p = mmap(NULL, 2 * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

		close(fd);
		if (p != MAP_FAILED && i % 3)
			munmap(p, 2 * PAGE);
		if (!(i % 100))
			work(1);
	}
}

/* What it shares with the recorder, as the kernel knows it: libc's calls may be the collector's. */
static void lose_mappings(long call, long argument)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long begin, end;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, directory) && sscanf(line, "%lx-%lx", &begin, &end) == 2)
			syscall(call, begin, end - begin, argument);
	if (maps)
		fclose(maps);
}

static void run_unmap(void)
{
	lose_mappings(SYS_munmap, 0);
}

static void run_protect(void)
{
	lose_mappings(SYS_mprotect, PROT_NONE);
}

/* All the memory that it gets for it, up to 600 MB. */
static void run_huge(void)
{
	static uint8_t bytes[1 << 20];
	int at = open(directory, O_RDONLY | O_DIRECTORY);
	int fd = openat(at, "huge", O_CREAT | O_RDWR, 0600);

	memset(bytes, 1, sizeof(bytes));
	for (unsigned i = 0; i < 600; i++)
		if (write(fd, bytes, sizeof(bytes)) < 0)
			break;
}

static const struct {
	const char *name;
	void (*run)(void);
} modes[] = {
	{"scribble", run_scribble},
	{"fill", run_fill},
	{"cut", run_cut},
	{"grow", run_grow},
	{"pipes", run_pipes},
	{"links", run_links},
	{"directories", run_directories},
	{"flood", run_flood},
	{"remove", run_remove},
	{"rename", run_rename},
	{"close", run_close},
	{"cover", run_cover},
	{"forks", run_forks},
	{"maps", run_maps},
	{"unmap", run_unmap},
	{"protect", run_protect},
	{"huge", run_huge},
};

/* Once it is known to the recorder, and then it goes on. */
static int run_mode(const char *name)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(modes[i].name, name)) {
			work(50);
			modes[i].run();
			work(100);
			return 0;
		}
	return 2;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
			puts(modes[i].name);
		return 0;
	}
	directory = getenv("SOFTLBR_SESSION");
	if (argc < 3 || !directory)
		return 2;
	state = strtoull(argv[1], NULL, 0) * 0x9e3779b97f4a7c15u + 1;
	if (!strcmp(argv[2], "DROP"))
		return find_file() ? drop() : 2;
	if (islower((unsigned char)argv[2][0]))
		return run_mode(argv[2]);
	/* each does it until it has its own ground cut away */
	for (unsigned i = 0; i < CHILDREN; i++) {
		draw(2);
		if (!fork()) {
			if (find_file())
				attack(!strcmp(argv[2], "ALL"));
			_exit(0);
		}
		wait(NULL);
	}
	return 0;
}
