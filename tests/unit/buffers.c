/* SPDX-License-Identifier: MIT */
/* Threads fill trace buffers while the journal empties them, to a file that holds every record that
 * was published, whole: also a test for ThreadSanitizer (the preset tsan). */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/shared/buffer.h"
#include "collector/kernel/clock.h"
#include "collector/recorder/trace_writer.h"
#include "collector/engine/trace_record.h"

#define THREADS	 4
#define RECORDS	 20000u
#define BRANCHES 16u

/* Samples are of the time of the recording. */
static uint64_t begin_ns;

struct filler {
	struct buffer buffer;
	uint32_t number;
	uint64_t published, dropped;
};

static void *fill(void *argument)
{
	struct filler *f = argument;
	struct isa_taken entries[BRANCHES];
	uint8_t kinds[BRANCHES] = {0};
	struct trace trace = {.entries = entries, .kinds = kinds, .count = BRANCHES};

	for (uint32_t i = 0; i < RECORDS; i++) {
		size_t bytes = perfdata_sample_bytes(BRANCHES);
		struct trace_record_sample sample = {
			.pid = 1, .tid = f->number, .time = begin_ns + i};
		void *room = buffer_reserve(&f->buffer, bytes);

		if (!room) {
			f->dropped++;
			continue;
		}
		for (unsigned b = 0; b < BRANCHES; b++)
			entries[b] = (struct isa_taken){f->number, i};
		trace_record_put(room, &sample, &trace, 0, BRANCHES);
		buffer_publish(&f->buffer, bytes);
		f->published++;
	}
	buffer_release(&f->buffer);
	return NULL;
}

/* What was written: whole records, each once, and each thread's in their order. */
static uint64_t check_file(const char *path, uint64_t bytes)
{
	size_t record = perfdata_sample_bytes(BRANCHES);
	static uint64_t next[THREADS];
	uint64_t count = 0;
	uint8_t *data = malloc(bytes);
	FILE *f = fopen(path, "rb");
	long size;

	assert_non_null(f);
	assert_non_null(data);
	fseek(f, 0, SEEK_END);
	size = ftell(f);
	fseek(f, size - (long)bytes, SEEK_SET);
	assert_int_equal(fread(data, 1, bytes, f), bytes);
	fclose(f);
	for (uint64_t at = 0; at < bytes; at += record, count++) {
		struct perfdata_sample_head head;
		struct perf_branch_entry branch;

		memcpy(&head, data + at, sizeof(head));
		memcpy(&branch, data + at + sizeof(head), sizeof(branch));
		assert_int_equal(head.header.size, record);
		assert_in_range(head.tid, 0, THREADS - 1);
		assert_int_equal(branch.from, head.tid);
		head.time -= begin_ns;
		assert_int_equal(branch.to, head.time);
		assert_in_range(head.time, 0, RECORDS - 1);
		assert_true(head.time >= next[head.tid]);
		next[head.tid] = head.time + 1;
	}
	free(data);
	return count;
}

#define RECORDING "/tmp/softlbr-buffers-XXXXXX"

/* With a recording at @path, which becomes a temporary file's. */
static void open_journal(struct trace_writer *j, struct session_options *options, char *path)
{
	struct softlbr_error e = {0};
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	session_fit_buffers(options);
	assert_int_equal(trace_writer_open(j, options, SESSION_RUN, path, &e), 0);
	begin_ns = clock_now_ns();
}

/* A process's file with room for @count chunks, of which only @first have memory. */
static struct session_file make_file(const struct trace_writer *j, uint32_t chunk_bytes,
				     uint32_t first, uint32_t count)
{
	struct session_file file = {.bytes = session_file_bytes(chunk_bytes, count),
				    .chunk_bytes = chunk_bytes};
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/1.0", j->directory.path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)file.bytes), 0);
	file.header = mmap(NULL, file.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(file.header != MAP_FAILED);
	close(fd);
	file.header->pid = 1;
	file.header->chunk_bytes = chunk_bytes;
	file.header->chunk_count = first;
	file.header->magic = SESSION_MAGIC;
	return file;
}

static void test_fill_and_empty(void **state)
{
	struct session_options options = {.depth = BRANCHES, .chunk_count = 8};
	char path[] = RECORDING;
	struct softlbr_error e = {0};
	struct filler fillers[THREADS];
	pthread_t threads[THREADS];
	uint64_t published = 0, dropped = 0;
	struct session_file file;
	struct trace_writer j;

	(void)state;
	open_journal(&j, &options, path);
	file = make_file(&j, options.chunk_bytes, options.chunk_count, options.chunk_count);
	for (uint32_t i = 0; i < THREADS; i++) {
		fillers[i] = (struct filler){.buffer = {.file = &file, .hint = i}, .number = i};
		pthread_create(&threads[i], NULL, fill, &fillers[i]);
	}
	for (unsigned i = 0; i < 200; i++)
		assert_int_equal(trace_writer_drain(&j, &e), 0);
	for (uint32_t i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		published += fillers[i].published;
		dropped += fillers[i].dropped;
	}
	assert_int_equal(trace_writer_drain(&j, &e), 0);
	assert_int_equal(published + dropped, (uint64_t)THREADS * RECORDS);
	assert_int_equal(j.writer.data_bytes, published * perfdata_sample_bytes(BRANCHES));
	assert_int_equal(j.common.refused, 0);
	assert_int_equal(perfdata_writer_sync(&j.writer, &e), 0);
	assert_int_equal(check_file(path, j.writer.data_bytes), published);
	trace_writer_close(&j);
	munmap(file.header, file.bytes);
	unlink(path);
}

/* Records until there is no room for another one. */
static uint64_t fill_up(struct buffer *b)
{
	struct isa_taken entries[BRANCHES] = {{1, 2}};
	uint8_t kinds[BRANCHES] = {0};
	struct trace trace = {.entries = entries, .kinds = kinds, .count = BRANCHES};
	struct trace_record_sample sample = {.pid = 1, .time = begin_ns};
	uint64_t records = 0;
	void *room;

	while ((room = buffer_reserve(b, perfdata_sample_bytes(BRANCHES)))) {
		trace_record_put(room, &sample, &trace, 0, BRANCHES);
		buffer_publish(b, perfdata_sample_bytes(BRANCHES));
		records++;
	}
	return records;
}

static void test_scarce_buffers_become_more(void **state)
{
	struct session_options options = {.depth = BRANCHES, .chunk_count = 8};
	char path[] = RECORDING;
	struct softlbr_error e = {0};
	struct session_file file;
	struct buffer buffer = {.file = &file};
	struct trace_writer j;
	uint64_t few, many;

	(void)state;
	open_journal(&j, &options, path);
	file = make_file(&j, options.chunk_bytes, 2, 8);
	assert_int_equal(trace_writer_drain(&j, &e), 0);
	assert_int_equal(session_count_chunks(file.header), 2); /* not needed yet */
	few = fill_up(&buffer);
	assert_int_equal(trace_writer_drain(&j, &e), 0);
	assert_int_equal(session_count_chunks(file.header), 8);
	many = fill_up(&buffer);
	assert_int_equal(many, 4 * few);
	assert_int_equal(trace_writer_drain(&j, &e), 0);
	assert_int_equal(j.writer.data_bytes, (few + many) * perfdata_sample_bytes(BRANCHES));
	trace_writer_close(&j);
	munmap(file.header, file.bytes);
	unlink(path);
}

/* Chunks get memory as they are needed, and those that were added stand elsewhere. */
static void test_chunks_come_as_they_are_needed(void **state)
{
	struct session_options options = {.depth = BRANCHES, .chunk_count = 8};
	struct buffer_pieces pieces = {.first = 8, .populates = true};
	uint32_t count = 8 + BUFFER_PIECE_CHUNKS;
	char path[] = RECORDING, name[256];
	struct softlbr_error e = {0};
	struct session_file file;
	struct buffer buffer = {.file = &file, .pieces = &pieces};
	uint64_t few, many, per_chunk;
	struct trace_writer j;
	int fd;

	(void)state;
	open_journal(&j, &options, path);
	file = make_file(&j, options.chunk_bytes, 0, count);
	file.header->populates = true;
	if (buffer_populate(file.header, SESSION_PAGE)) {
		print_message("PARTLY SKIPPED: no MADV_POPULATE_WRITE here (Linux 5.14)\n");
		skip();
	}
	per_chunk = (options.chunk_bytes - sizeof(struct chunk_header)) /
		    perfdata_sample_bytes(BRANCHES);
	assert_int_equal(trace_writer_drain(&j, &e), 0);
	few = fill_up(&buffer);
	assert_int_equal(file.header->chunk_count, 8);
	assert_int_equal(few, 8 * per_chunk);
	/* as long as they are not mapped, they are passed over */
	session_raise_chunks(file.header, count);
	assert_int_equal(fill_up(&buffer), 0);
	snprintf(name, sizeof(name), "%s/1.0", j.directory.path);
	fd = open(name, O_RDWR);
	pieces.more[0] = mmap(NULL, (size_t)BUFFER_PIECE_CHUNKS * options.chunk_bytes,
			      PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			      (off_t)session_file_bytes(options.chunk_bytes, 8));
	assert_true(pieces.more[0] != MAP_FAILED);
	close(fd);
	many = fill_up(&buffer);
	assert_int_equal(many, BUFFER_PIECE_CHUNKS * per_chunk);
	assert_int_equal(trace_writer_drain(&j, &e), 0);
	assert_int_equal(j.writer.data_bytes, (few + many) * perfdata_sample_bytes(BRANCHES));
	/* a count that another wrote there finds nothing */
	pieces.more[0] = NULL;
	file.header->chunk_count = UINT32_MAX;
	assert_int_equal(fill_up(&buffer), few);
	trace_writer_close(&j);
	munmap(file.header, file.bytes);
	unlink(path);
}

/* Looks until the process is taken for ended, 100 at most. */
static unsigned looks_until_forgotten(struct trace_writer *j)
{
	struct softlbr_error e = {0};
	unsigned looks = 0;

	while (j->processes.count && looks < 100) {
		assert_int_equal(trace_writer_drain(j, &e), 0);
		looks++;
	}
	return looks;
}

static void test_ended_processes_give_their_memory_back(void **state)
{
	struct session_options options = {.depth = BRANCHES, .chunk_count = 8};
	char path[] = RECORDING;
	struct session_file file;
	struct buffer buffer = {.file = &file};
	uint64_t counters[COUNTER_COUNT], records;
	struct trace_writer j;
	int refused;

	(void)state;
	open_journal(&j, &options, path);
	file = make_file(&j, options.chunk_bytes, 8, 8);
	file.header->counters[COUNTER_TRACES] = 5;
	file.header->refused = EACCES;
	assert_int_equal(trace_writer_drain(&j, &(struct softlbr_error){0}), 0);
	assert_int_equal(looks_until_forgotten(&j), 100); /* it lives */
	assert_int_equal(j.processes.count, 1);
	file.header->costs.trace_ns = 9; /* of an idle process: old */
	assert_int_equal(trace_writer_drain(&j, &(struct softlbr_error){0}), 0);
	assert_int_equal(j.control->costs.trace_ns, 0);
	records = fill_up(&buffer);
	assert_int_equal(trace_writer_drain(&j, &(struct softlbr_error){0}), 0);
	assert_int_equal(j.control->costs.trace_ns, 9);
	munmap(file.header, file.bytes);
	assert_in_range(looks_until_forgotten(&j), 1, 99);
	assert_int_equal(j.writer.data_bytes, records * perfdata_sample_bytes(BRANCHES));
	assert_int_equal(j.process_count, 1);
	trace_writer_count(&j, counters, &refused);
	assert_int_equal(counters[COUNTER_TRACES], 5);
	assert_int_equal(refused, EACCES);
	/* another one of this name is another one */
	file = make_file(&j, options.chunk_bytes, 8, 8);
	file.header->counters[COUNTER_TRACES] = 2;
	assert_int_equal(trace_writer_drain(&j, &(struct softlbr_error){0}), 0);
	trace_writer_count(&j, counters, &refused);
	assert_int_equal(counters[COUNTER_TRACES], 7);
	assert_int_equal(j.process_count, 2);
	munmap(file.header, file.bytes);
	trace_writer_close(&j);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fill_and_empty),
		cmocka_unit_test(test_scarce_buffers_become_more),
		cmocka_unit_test(test_chunks_come_as_they_are_needed),
		cmocka_unit_test(test_ended_processes_give_their_memory_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
