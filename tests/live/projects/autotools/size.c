/* SPDX-License-Identifier: MIT */
#include <stdio.h>

int main(void)
{
	puts("#define SIZE 10000");
	return 0;
}
