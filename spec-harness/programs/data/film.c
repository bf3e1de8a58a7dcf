// SPDX-License-Identifier: MIT
/* film FRAMES SEED: frames of 352x288 4:2:0 pixels with a pan, texture, a moving disc and noise. */
#include <stdio.h>
#include <stdlib.h>

enum { width = 352, height = 288 };

static unsigned state;

static int noise(void)
{
	state = state * 1103515245u + 12345;
	return (int)(state >> 29);
}

static int luma(int frame, int x, int y)
{
	int panned_x = x + frame * 3, panned_y = y + frame;
	int value = ((panned_x * panned_x >> 6) ^ (panned_y * panned_y >> 7)) & 127;
	int dx = x - frame * 5 % width, dy = y - height / 2 - frame * 7 % 64 + 32;

	if (((panned_x >> 4) ^ (panned_y >> 4)) & 1)
		value += 40;
	if (dx * dx + dy * dy < 2500)
		value = 200 - (dx * dx + dy * dy) / 20;
	return value + noise();
}

static int chroma(int plane, int frame, int x, int y)
{
	return 128 + ((x + frame * (plane + 1)) >> 3 & 15) - ((y + frame) >> 4 & 7);
}

int main(int count, char **arguments)
{
	int frames = count > 1 ? atoi(arguments[1]) : 1;

	state = count > 2 ? (unsigned)atoi(arguments[2]) : 1;
	for (int frame = 0; frame < frames; frame++) {
		for (int y = 0; y < height; y++)
			for (int x = 0; x < width; x++)
				putchar(luma(frame, x, y) & 255);
		for (int plane = 0; plane < 2; plane++)
			for (int y = 0; y < height / 2; y++)
				for (int x = 0; x < width / 2; x++)
					putchar(chroma(plane, frame, x, y) & 255);
	}
	return 0;
}
