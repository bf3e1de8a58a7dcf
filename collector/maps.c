/* SPDX-License-Identifier: MIT */
#include "collector/maps.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "formats/branch_profile.h"

#define PATH_BYTES 4096

/* PERF_RECORD_MMAP2 with a build-id, and its trailer behind the padded path. */
struct mmap2_head {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, length, page_offset;
	uint8_t build_id_size, reserved[3];
	uint8_t build_id[20];
	uint32_t protection, flags;
};

struct comm_record {
	struct perf_event_header header;
	uint32_t pid, tid;
	char name[16];
	struct perfdata_sample_id id;
};

static struct perfdata_sample_id sample_id(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (struct perfdata_sample_id){
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)getpid(),
		.time = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec,
	};
}

/* The note "GNU", type 3 (NT_GNU_BUILD_ID), among the notes in @bytes. */
static void find_build_id(const uint8_t *bytes, size_t size, struct build_id *id)
{
	for (size_t at = 0; at + sizeof(Elf64_Nhdr) <= size;) {
		Elf64_Nhdr note;
		size_t name, text;

		memcpy(&note, bytes + at, sizeof(note));
		name = at + sizeof(note);
		text = name + ((note.n_namesz + 3u) & ~(size_t)3);
		if (text > size || note.n_descsz > size - text)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(bytes + name, "GNU", 4) && note.n_descsz <= sizeof(id->bytes)) {
			id->size = (uint8_t)note.n_descsz;
			memcpy(id->bytes, bytes + text, note.n_descsz);
			return;
		}
		at = text + ((note.n_descsz + 3u) & ~(size_t)3);
	}
}

static void read_build_id(const char *path, struct build_id *id)
{
	uint8_t notes[1024];
	Elf64_Phdr segment;
	Elf64_Ehdr elf;
	ssize_t got;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	*id = (struct build_id){0};
	if (fd < 0)
		return;
	if (pread(fd, &elf, sizeof(elf), 0) != sizeof(elf) || memcmp(elf.e_ident, ELFMAG, SELFMAG))
		elf.e_phnum = 0;
	for (unsigned i = 0; i < elf.e_phnum && !id->size; i++) {
		off_t at = (off_t)(elf.e_phoff + i * sizeof(segment));

		if (pread(fd, &segment, sizeof(segment), at) != sizeof(segment))
			break;
		if (segment.p_type != PT_NOTE)
			continue;
		got = pread(fd, notes,
			    segment.p_filesz < sizeof(notes) ? segment.p_filesz : sizeof(notes),
			    (off_t)segment.p_offset);
		if (got > 0)
			find_build_id(notes, (size_t)got, id);
	}
	close(fd);
}

static int append_comm(struct perfdata_writer *w, struct softlbr_error *e)
{
	struct comm_record c = {
		.header = {PERF_RECORD_COMM, PERF_RECORD_MISC_USER, sizeof(c)},
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)getpid(),
		.id = sample_id(),
	};
	int fd = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? 0 : read(fd, c.name, sizeof(c.name) - 1);

	if (fd >= 0)
		close(fd);
	c.name[got > 0 ? got - 1 : 0] = 0;
	return perfdata_writer_append(w, &c, sizeof(c), e);
}

/* One line: START-END PERM OFFSET DEV INODE PATH */
static int append_mapping(const char *line, struct perfdata_writer *w, struct softlbr_error *e)
{
	uint8_t record[sizeof(struct mmap2_head) + PATH_BYTES + 64];
	struct mmap2_head *m = (struct mmap2_head *)record;
	uint64_t start, end, offset;
	struct perfdata_sample_id id = sample_id();
	struct build_id build_id;
	char permissions[5], path[PATH_BYTES];
	size_t padded;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %4095[^\n]", &start, &end,
		   permissions, &offset, path) != 5 ||
	    permissions[2] != 'x')
		return 0;
	read_build_id(path, &build_id);
	padded = (strlen(path) + 8) & ~(size_t)7;
	memset(record, 0, sizeof(record));
	*m = (struct mmap2_head){
		.header = {PERF_RECORD_MMAP2,
			   PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID,
			   (uint16_t)(sizeof(*m) + padded + sizeof(id))},
		.pid = id.pid,
		.tid = id.tid,
		.start = start,
		.length = end - start,
		.page_offset = offset,
		.build_id_size = build_id.size,
		.protection = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE,
	};
	memcpy(m->build_id, build_id.bytes, sizeof(m->build_id));
	memcpy(m + 1, path, strlen(path));
	memcpy(record + sizeof(*m) + padded, &id, sizeof(id));
	return perfdata_writer_append(w, record, m->header.size, e);
}

static int count_loads(struct dl_phdr_info *info, size_t size, void *loads)
{
	(void)size;
	*(uint64_t *)loads = info->dlpi_adds + info->dlpi_subs;
	return 1; /* the first tells */
}

int maps_append(struct maps *m, struct perfdata_writer *w, struct softlbr_error *e)
{
	char line[PATH_BYTES + 128];
	uint64_t loads = 0;
	FILE *f;
	int rc;

	dl_iterate_phdr(count_loads, &loads);
	if (loads == m->loads)
		return 0;
	m->loads = loads;
	f = fopen("/proc/self/maps", "re");
	if (!f)
		return error_set_errno(e, NULL, "cannot read /proc/self/maps");
	rc = append_comm(w, e);
	while (!rc && fgets(line, sizeof(line), f))
		rc = append_mapping(line, w, e);
	fclose(f);
	return rc;
}
