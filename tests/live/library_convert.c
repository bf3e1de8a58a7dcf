/* SPDX-License-Identifier: MIT */
/*
 * library_convert PROGRAM RECORDING [FREQUENCIES SMOOTH]: every output of a recording of ours, by
 * the conversion library, into files named after their formats. "" is the default.
 */
#include <softlbr/profile.h>

#include <stdio.h>

static int write_branches(struct softlbr_branches *b, struct softlbr_error *e)
{
	int rc = softlbr_branches_write(b, "preagg", "preagg", e);

	return rc ? rc : softlbr_branches_write(b, "fdata", "fdata", e);
}

static int write_source(struct softlbr_profile *p, struct softlbr_error *e)
{
	static const char *const formats[] = {"gcov", "llvm-text", "llvm-binary", "llvm-extbinary"};
	struct softlbr_write_options how = {sizeof(how), NULL, 0, 0, 0};
	int rc = 0;
	size_t i;

	for (i = 0; !rc && i < sizeof(formats) / sizeof(*formats); i++) {
		how.format = formats[i];
		rc = softlbr_profile_write(p, formats[i], &how, e);
	}
	return rc;
}

/* The same profile again, added to itself by way of a copy: its counts for clang are added too. */
static int write_doubled(struct softlbr_branches *b, struct softlbr_profile *p,
			 struct softlbr_error *e)
{
	struct softlbr_write_options how = {sizeof(how), "llvm-text", 0, 0, 0};
	struct softlbr_profile *again = softlbr_profile_convert(b, e);
	int rc = again ? softlbr_profile_add(p, again, 1, e) : -1;

	if (!rc)
		rc = softlbr_profile_write(p, "doubled", &how, e);
	softlbr_profile_free(again);
	return rc;
}

int main(int argc, char **argv)
{
	struct softlbr_branches_options how = {0};
	struct softlbr_error e = {0};
	struct softlbr_branches *b;
	struct softlbr_profile *p = NULL;

	if (argc < 3)
		return 2;
	how.size = sizeof(how);
	how.frequencies = argc > 3 && *argv[3] ? argv[3] : NULL;
	how.smooth = argc > 4 && *argv[4] ? argv[4] : NULL;
	b = softlbr_branches_new(argv[1], &how, &e);
	if (b && !softlbr_branches_read(b, argv[2], 1, &e) && !write_branches(b, &e))
		p = softlbr_profile_convert(b, &e);
	if (p && !write_source(p, &e))
		write_doubled(b, p, &e);
	softlbr_profile_free(p);
	softlbr_branches_free(b);
	if (e.code)
		fprintf(stderr, "%s: %s\n", argv[0], e.text);
	return e.code;
}
