/* SPDX-License-Identifier: MIT */
/*
 * hostile SEED OWN|ALL|DROP: a program that does its worst to the session that records it, by
 * random numbers: writes into the buffers that it shares with the recorder, makes their file
 * shorter and longer, renames and replaces it, fills the directory. ALL: the control page and other
 * names too. DROP: as nobody, what is left to it, and status 3 if it reached any file.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
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

int main(int argc, char **argv)
{
	directory = getenv("SOFTLBR_SESSION");
	if (argc < 3 || !directory)
		return 2;
	state = strtoull(argv[1], NULL, 0) * 0x9e3779b97f4a7c15u + 1;
	if (!strcmp(argv[2], "DROP"))
		return find_file() ? drop() : 2;
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
