/* SPDX-License-Identifier: MIT */
/* The conversion library through its public header alone, by a program that links it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "softlbr/profile.h"

static const char text[] = "main:1500:1\n 1: 500 work:499\n 2: work:1000\n  3.2: 1000\n";

static struct softlbr_profile *from_text(const char *profile)
{
	struct softlbr_error e = {0};
	struct softlbr_profile *p = softlbr_profile_read_memory(profile, strlen(profile), "text",
								&e);

	assert_string_equal(e.text, "");
	assert_non_null(p);
	return p;
}

struct seen {
	unsigned functions, lines;
	uint64_t count, total;
	char deepest[200];
};

static int see_function(void *context, const struct softlbr_function *f)
{
	struct seen *s = context;

	s->functions++;
	s->total += f->total;
	assert_int_equal(f->size, sizeof(*f));
	return 0;
}

static int see_line(void *context, const struct softlbr_line *l)
{
	struct seen *s = context;

	s->lines++;
	s->count += l->count;
	if (l->target_count)
		assert_string_equal(l->targets[0].function, "work");
	if (l->frame_count == 2)
		snprintf(s->deepest, sizeof(s->deepest), "%s:%d %s:%d.%u", l->frames[0].function,
			 l->frames[0].line, l->frames[1].function, l->frames[1].line,
			 l->frames[1].discriminator);
	return 0;
}

static void profiles_are_walked_added_and_compared(void **state)
{
	struct softlbr_profile *p = from_text(text), *other = from_text("main:10:1\n 1: 10\n");
	struct softlbr_overlap overlap = {.size = sizeof(overlap)};
	struct seen s = {0};
	struct softlbr_profile_handlers handlers = {sizeof(handlers), see_function, see_line, &s};

	(void)state;
	assert_int_equal(softlbr_profile_each(p, &handlers, NULL), 0);
	assert_int_equal(s.functions, 1);
	assert_int_equal(s.lines, 2);
	assert_int_equal(s.total, 1500);
	assert_string_equal(s.deepest, "main:2 work:3.2");

	assert_int_equal(softlbr_profile_compare(p, p, &overlap, NULL), 0);
	assert_true(fabs(overlap.line - 1) < 1e-9 && fabs(overlap.function - 1) < 1e-9);
	assert_true(isnan(overlap.edge));
	assert_int_equal(softlbr_profile_compare(p, other, &overlap, NULL), 0);
	assert_true(fabs(overlap.line - 1.0 / 3) < 1e-9);

	assert_int_equal(softlbr_profile_add(p, other, 5, NULL), 0);
	s = (struct seen){0};
	assert_int_equal(softlbr_profile_each(p, &handlers, NULL), 0);
	assert_int_equal(s.count, 1500 + 5 * 10);
	assert_int_equal(softlbr_profile_add(p, p, 1, NULL), -SOFTLBR_E_USAGE);
	softlbr_profile_free(other);
	softlbr_profile_free(p);
}

static int stop_walk(void *context, const struct softlbr_function *f)
{
	(void)context;
	(void)f;
	return 77;
}

static void a_handler_ends_the_walk(void **state)
{
	struct softlbr_profile_handlers handlers = {sizeof(handlers), stop_walk, NULL, NULL};
	struct softlbr_profile *p = from_text(text);

	(void)state;
	assert_int_equal(softlbr_profile_each(p, &handlers, NULL), 77);
	softlbr_profile_free(p);
}

/* A program that was built when the structs were shorter. */
static void structs_of_other_sizes_are_understood(void **state)
{
	struct softlbr_overlap overlap = {.size = offsetof(struct softlbr_overlap, branch),
					  .branch = 42};
	struct softlbr_write_options options = {.size = offsetof(struct softlbr_write_options, gcc),
						.format = "llvm-text",
						.gcc = 1};
	struct softlbr_profile *p = from_text(text);
	struct softlbr_error e = {0};

	(void)state;
	assert_int_equal(softlbr_profile_compare(p, p, &overlap, &e), 0);
	assert_int_equal(overlap.size, offsetof(struct softlbr_overlap, branch));
	assert_true(overlap.function > 0.99 && overlap.branch == 42);
	assert_int_equal(softlbr_profile_write(p, "/dev/null", &options, &e), 0);
	options.size = 0;
	assert_int_equal(softlbr_profile_write(p, "/dev/null", &options, &e), -SOFTLBR_E_USAGE);
	assert_non_null(strstr(e.text, "size"));
	softlbr_profile_free(p);
}

/* Of gcov the form is kept, unless another one is asked for. */
static void a_gcov_is_written_for_the_gcc_that_reads_it(void **state)
{
	struct softlbr_write_options options = {.size = sizeof(options), .gcc = 99};
	char path[] = "/tmp/softlbr-library-XXXXXX";
	struct softlbr_profile *p = from_text(text);
	const unsigned versions[] = {2, 3, 3};

	(void)state;
	close(mkstemp(path));
	for (size_t i = 0; i < 3; i++) {
		uint32_t words[2];
		FILE *f;

		assert_int_equal(softlbr_profile_write(p, path, i == 1 ? &options : NULL, NULL), 0);
		softlbr_profile_free(p);
		f = fopen(path, "rb");
		assert_int_equal(fread(words, sizeof(words), 1, f), 1);
		fclose(f);
		assert_int_equal(words[1], versions[i]);
		p = softlbr_profile_read(path, NULL);
		assert_non_null(p);
	}
	options.gcc = 4;
	assert_int_equal(softlbr_profile_write(p, path, &options, NULL), -SOFTLBR_E_USAGE);
	softlbr_profile_free(p);
	unlink(path);
}

static void what_makes_no_sense_is_refused_by_name(void **state)
{
	struct softlbr_write_options options = {.size = sizeof(options), .format = "fdata"};
	struct softlbr_branches_options how = {.size = sizeof(how), .format = "gcov"};
	struct softlbr_profile *p = from_text(text);
	struct softlbr_error e = {0};

	(void)state;
	assert_int_equal(softlbr_profile_api(), SOFTLBR_PROFILE_API);
	assert_int_equal(softlbr_profile_write(p, "/dev/null", &options, &e), -SOFTLBR_E_USAGE);
	assert_non_null(strstr(e.text, "fdata is no format of profiles of source"));
	e = (struct softlbr_error){0};
	assert_null(softlbr_branches_new("/proc/self/exe", &how, &e));
	assert_non_null(strstr(e.text, "gcov is no format of recordings"));
	e = (struct softlbr_error){0};
	assert_null(softlbr_branches_new("/no/such/file", NULL, &e));
	assert_non_null(strstr(e.text, "/no/such/file"));
	assert_null(softlbr_branches_new("/no/such/file", NULL, NULL));
	assert_null(softlbr_profile_read("/no/such/file", NULL));
	assert_null(softlbr_profile_format("/dev/null", NULL));
	e = (struct softlbr_error){0};
	assert_null(softlbr_profile_read_memory("B 1 2 3 4\n", 10, "mine", &e));
	assert_int_equal(e.code, SOFTLBR_E_INPUT);
	assert_non_null(strstr(e.text, "mine is preagg, no profile of source"));
	assert_int_equal(softlbr_profile_merge(NULL, 0, NULL, "/dev/null", NULL), -SOFTLBR_E_USAGE);
	softlbr_profile_free(NULL);
	softlbr_branches_free(NULL);
	softlbr_profile_free(p);
}

/* Text that ends with a line is whole. */
static void cut_profiles_are_refused(void **state)
{
	(void)state;
	for (size_t n = 0; n < sizeof(text) - 1; n++) {
		struct softlbr_error e = {0};
		struct softlbr_profile *p = softlbr_profile_read_memory(text, n, "cut", &e);

		if (n && text[n - 1] == '\n') {
			assert_non_null(p);
		} else {
			assert_null(p);
			assert_int_equal(e.code, SOFTLBR_E_INPUT);
			assert_non_null(strstr(e.text, "cut"));
		}
		softlbr_profile_free(p);
	}
}

static int count_branch(void *context, int is_range, uint64_t from, uint64_t to, uint64_t count,
			uint64_t mispredicted)
{
	uint64_t *seen = context;

	(void)from;
	(void)to;
	(void)mispredicted;
	seen[is_range] += count;
	return 0;
}

/* What another profiler counted in this program: at addresses that are no branches here. */
static void branches_of_ones_own_are_checked(void **state)
{
	struct softlbr_branches_figures figures = {.size = sizeof(figures)};
	struct softlbr_error e = {0};
	struct softlbr_branches *b = softlbr_branches_new("/proc/self/exe", NULL, &e);
	uint64_t seen[2] = {0};

	(void)state;
	assert_non_null(b);
	assert_int_equal(softlbr_branches_check(b, &figures, &e), -SOFTLBR_E_EMPTY);
	e = (struct softlbr_error){0};
	assert_int_equal(softlbr_branches_add(b, SOFTLBR_OUTSIDE, SOFTLBR_OUTSIDE, 1, 0, &e),
			 -SOFTLBR_E_USAGE);
	e = (struct softlbr_error){0};
	assert_int_equal(softlbr_branches_add(b, 1, 2, 1000, 3, &e), 0);
	assert_int_equal(softlbr_branches_add_range(b, 2, 3, 7, &e), 0);
	assert_int_equal(softlbr_branches_check(b, &figures, &e), 0);
	assert_int_equal(figures.branches, 1000);
	assert_int_equal(figures.ranges, 7);
	assert_true(figures.valid_branches < 0.01);
	assert_int_equal(softlbr_branches_each(b, count_branch, seen, &e), 0);
	assert_int_equal(seen[0] + seen[1], 0);
	assert_null(softlbr_profile_convert(b, &e));
	assert_int_equal(e.code, SOFTLBR_E_BINARY);
	e = (struct softlbr_error){0};
	assert_int_equal(softlbr_branches_write(b, "gcov", "/dev/null", &e), -SOFTLBR_E_USAGE);
	/* a reading that fails spoils the sum */
	assert_int_not_equal(softlbr_branches_read_memory(b, "B 1 2", 5, "torn", 1, NULL), 0);
	e = (struct softlbr_error){0};
	assert_int_equal(softlbr_branches_add(b, 1, 2, 3, 0, &e), -SOFTLBR_E_USAGE);
	softlbr_branches_free(b);
}

static void files_are_told_and_merged(void **state)
{
	char path[] = "/tmp/softlbr-library-XXXXXX", sum[] = "/tmp/softlbr-library-XXXXXX";
	struct softlbr_merge_input inputs[] = {{path, 2}, {path, 0}};
	struct softlbr_error e = {0};
	struct seen s = {0};
	struct softlbr_profile_handlers handlers = {sizeof(handlers), NULL, see_line, &s};
	struct softlbr_profile *p;
	FILE *f;

	(void)state;
	close(mkstemp(sum));
	f = fdopen(mkstemp(path), "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_string_equal(softlbr_profile_format(path, &e), "llvm-text");
	assert_int_equal(softlbr_profile_merge(inputs, 2, NULL, sum, &e), 0);
	p = softlbr_profile_read(sum, &e);
	assert_non_null(p);
	assert_int_equal(softlbr_profile_each(p, &handlers, &e), 0);
	assert_int_equal(s.count, 3 * 1500);
	softlbr_profile_free(p);
	unlink(path);
	unlink(sum);
}

/* A .gcda file of gcc 12: one function, number 5, with two arcs. */
static void write_counters(const char *path, uint32_t checksum, uint64_t count)
{
	const uint32_t words[] = {
		0x67636461, 0x4232322a, 77,	    88, 0xa1000000,	 8, 1, 9, 0x01000000, 12, 5,
		6,	    checksum,	0x01a10000, 16, (uint32_t)count, 0, 4, 0, 0};
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(words, sizeof(words), 1, f), 1);
	fclose(f);
}

static int see_counted(void *context, const struct softlbr_counted *f)
{
	uint64_t *total = context;

	assert_int_equal(f->size, sizeof(*f));
	assert_int_equal(f->ident, 5);
	assert_null(f->name);
	assert_false(f->has_entries);
	assert_int_equal(f->arc_count, 2);
	assert_int_equal(f->arcs[0] + f->arcs[1], f->total);
	*total += f->total;
	return 0;
}

static uint64_t total_of(const char *path)
{
	struct softlbr_error e = {0};
	struct softlbr_counters *c = softlbr_counters_read(path, NULL, &e);
	uint64_t total = 0;

	assert_string_equal(e.text, "");
	assert_non_null(c);
	assert_int_equal(softlbr_counters_each(c, see_counted, &total, &e), 0);
	softlbr_counters_free(c);
	return total;
}

static void counters_are_read_added_compared_and_written(void **state)
{
	char directory[] = "library-counters-XXXXXX", a[64], b[64], sum[64], file[96];
	struct softlbr_overlap overlap = {.size = sizeof(overlap)};
	struct softlbr_error e = {0};
	struct softlbr_counters *one, *other;

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(a, sizeof(a), "%s/x.gcda", directory);
	write_counters(a, 7, 12);
	assert_string_equal(softlbr_profile_format(directory, &e), "gcda");
	assert_int_equal(total_of(directory), 16);
	one = softlbr_counters_read(directory, NULL, &e);
	snprintf(b, sizeof(b), "%s.gcda", directory);
	assert_int_equal(rename(a, b), 0);
	write_counters(a, 7, 4);
	other = softlbr_counters_read(directory, NULL, &e);
	assert_int_equal(softlbr_counters_compare(one, other, &overlap, &e), 0);
	assert_true(fabs(overlap.edge - 0.75) < 1e-9 && fabs(overlap.function - 1) < 1e-9);
	assert_true(isnan(overlap.line) && isnan(overlap.branch));
	assert_int_equal(softlbr_counters_add(one, other, 2, &e), 0);
	snprintf(sum, sizeof(sum), "%s.sum", directory);
	assert_int_equal(softlbr_counters_write(one, sum, &e), 0);
	assert_int_equal(total_of(sum), 32);
	/* a directory and a file */
	softlbr_counters_free(other);
	other = softlbr_counters_read(b, NULL, &e);
	assert_int_equal(softlbr_counters_add(one, other, 1, &e), -SOFTLBR_E_INPUT);
	assert_non_null(strstr(e.text, "is one file, and what is before it is a directory"));
	softlbr_counters_free(one);
	/* a function of other sources */
	write_counters(a, 8, 4);
	e = (struct softlbr_error){0};
	one = softlbr_counters_read(a, NULL, &e);
	assert_int_equal(softlbr_counters_add(one, other, 1, &e), -SOFTLBR_E_INPUT);
	assert_non_null(strstr(e.text, "another control-flow graph of the function 5"));
	softlbr_counters_free(one);
	softlbr_counters_free(other);
	snprintf(file, sizeof(file), "%s/x.gcda", sum);
	assert_int_equal(remove(file) | remove(sum) | remove(a) | remove(b) | remove(directory), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(profiles_are_walked_added_and_compared),
		cmocka_unit_test(a_handler_ends_the_walk),
		cmocka_unit_test(structs_of_other_sizes_are_understood),
		cmocka_unit_test(a_gcov_is_written_for_the_gcc_that_reads_it),
		cmocka_unit_test(what_makes_no_sense_is_refused_by_name),
		cmocka_unit_test(cut_profiles_are_refused),
		cmocka_unit_test(branches_of_ones_own_are_checked),
		cmocka_unit_test(files_are_told_and_merged),
		cmocka_unit_test(counters_are_read_added_compared_and_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
