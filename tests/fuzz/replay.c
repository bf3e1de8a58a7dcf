/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target on every file of a corpus, for machines and compilers without libFuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data;
	long size;

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET))
		return -1;
	data = malloc(size ? (size_t)size : 1); /* exact, so that ASan sees a step past it */
	if (!data || fread(data, 1, (size_t)size, f) != (size_t)size)
		return -1;
	fclose(f);
	LLVMFuzzerTestOneInput(data, (size_t)size);
	/* and cut at every byte, which finds most missing checks */
	for (size_t n = 0; n < (size_t)size && size < 8192; n++) {
		uint8_t *cut = realloc(NULL, n ? n : 1);

		for (size_t i = 0; cut && i < n; i++)
			cut[i] = data[i];
		LLVMFuzzerTestOneInput(cut, n);
		free(cut);
	}
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	struct dirent *entry;
	unsigned files = 0;
	char path[4096];
	DIR *d = argc == 2 ? opendir(argv[1]) : NULL;

	if (!d) {
		fprintf(stderr, "usage: %s CORPUS-DIRECTORY\n", argv[0]);
		return 2;
	}
	while ((entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
		if (replay(path)) {
			fprintf(stderr, "cannot read %s\n", path);
			return 1;
		}
		files++;
	}
	closedir(d);
	printf("%u files\n", files);
	return files ? 0 : 1;
}
