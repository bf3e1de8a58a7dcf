/* SPDX-License-Identifier: MIT */
/* copied_code HOW SECONDS: code that is at its own addresses, in other memory, as programs have it
 * for huge pages. HOW: file (it is the file's), map (anonymous memory is mapped over it), move
 * (other memory is moved over it). Or reuse: after half of the time other code is there, as a
 * just-in-time compiler's may be where a library was. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define PAGE 4096

static volatile unsigned long sink;

__attribute__((noinline, section("copied"), aligned(PAGE))) static void turns(long n)
{
	for (long i = 0; i < n; i++)
		sink = i & 3 ? sink + i : sink ^ i;
}

/* Its page is the next one. */
__attribute__((noinline, used, section("copied"), aligned(PAGE))) static void behind(void)
{
	sink++;
}

static int copy(const char *how)
{
	void *code = (void *)turns, *bytes = malloc(PAGE), *made;
	int moves = !strcmp(how, "move");

	memcpy(bytes, code, PAGE);
	made = mmap(moves ? NULL : code, PAGE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | (moves ? 0 : MAP_FIXED), -1, 0);
	if (made == MAP_FAILED)
		return -1;
	memcpy(made, bytes, PAGE);
	free(bytes);
	if (mprotect(made, PAGE, PROT_READ | PROT_EXEC))
		return -1;
	return moves && mremap(made, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, code) != code ? -1
											      : 0;
}

/* Where turns was, a loop of another kind, at an address where turns has no branch. */
static int reuse(clock_t end)
{
#ifdef __aarch64__
	static const unsigned code[] = {0xf1000400, 0x54ffffe1, 0xd65f03c0};
#else
	static const unsigned char code[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
#endif
	char *page = (char *)turns;
	void (*loop)(long n) = (void (*)(long))(page + PAGE / 2);

	while (clock() < end / 2)
		turns(1000000);
	if (munmap(page, PAGE) || mmap(page, PAGE, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != page)
		return -1;
	memcpy(page + PAGE / 2, code, sizeof(code));
	__builtin___clear_cache(page, page + PAGE);
	if (mprotect(page, PAGE, PROT_READ | PROT_EXEC))
		return -1;
	while (clock() < end)
		loop(1000000);
	return 0;
}

int main(int argc, char **argv)
{
	clock_t end = (argc > 2 ? atol(argv[2]) : 1) * CLOCKS_PER_SEC;

	if (argc > 1 && !strcmp(argv[1], "reuse"))
		return reuse(end);
	if (argc < 2 || (strcmp(argv[1], "file") && copy(argv[1]))) {
		perror("copied_code");
		return 1;
	}
	behind();
	puts("ready");
	fflush(stdout);
	while (clock() < end)
		turns(1000000);
	return 0;
}
