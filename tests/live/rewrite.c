/* SPDX-License-Identifier: MIT */
/* Writes two functions in turn to the same page and runs each for a while, as a just-in-time
 * compiler does: never writable and executable at once. Ends with status 3. */
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static const unsigned char odd[] = {0xb8, 40,	0,   0, 0, /* mov $40,%eax */
				    0x83, 0xe8, 1,	   /* 1: sub $1,%eax */
				    0x75, 0xfb,		   /* jne 1b */
				    0x90, 0x90, 0xc3};
static const unsigned char even[] = {0xb8, 40,	 0, 0, 0, 0x90, 0x83, 0xe8, 3, /* 1: sub $3,%eax */
				     0x7f, 0xfb,			       /* jg 1b */
				     0xc3, 0x90};

int main(void)
{
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				   -1, 0);
	void (*run)(void) = (void (*)(void))page;
	clock_t end = clock() + CLOCKS_PER_SEC / 2;

	if (page == MAP_FAILED)
		return 1;
	for (unsigned round = 0; clock() < end; round++) {
		mprotect(page, 4096, PROT_READ | PROT_WRITE);
		memcpy(page, round % 2 ? odd : even, sizeof(odd));
		mprotect(page, 4096, PROT_READ | PROT_EXEC);
		for (unsigned i = 0; i < 10000; i++)
			run();
	}
	return 3;
}
