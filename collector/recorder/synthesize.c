/* SPDX-License-Identifier: MIT */
#include "collector/recorder/synthesize.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/error.h"
#include "collector/kernel/clock.h"
#include "collector/kernel/served_file.h"
#include "collector/kernel/task_status.h"
#include "formats/model/branch_profile.h"

#define PATH_BYTES 4096

/* struct procmap_query of PROCMAP_QUERY, include/uapi/linux/fs.h. */
struct mapping_query {
	uint64_t bytes, query_flags, address;
	uint64_t begin, end, flags, page_bytes, offset, inode;
	uint32_t device[2], name_bytes, build_id_bytes;
	uint64_t name, build_id;
};

#define MAPPING_WRITABLE 2u /* of its flags */

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

/* PERF_RECORD_FORK and PERF_RECORD_EXIT */
struct task_record {
	struct perf_event_header header;
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time;
	struct perfdata_sample_id id;
};

static struct perfdata_sample_id sample_id(struct synthesize_task task)
{
	return (struct perfdata_sample_id){
		.pid = task.pid,
		.tid = task.tid,
		.time = clock_now_ns(),
	};
}

/* ---- tasks --------------------------------------------------------------------------------- */

int synthesize_comm(struct perfdata_writer *w, struct synthesize_task task, bool exec,
		    struct softlbr_error *e)
{
	struct comm_record c = {
		.header = {PERF_RECORD_COMM,
			   (uint16_t)(PERF_RECORD_MISC_USER |
				      (exec ? PERF_RECORD_MISC_COMM_EXEC : 0)),
			   sizeof(c)},
		.pid = task.pid,
		.tid = task.tid,
		.id = sample_id(task),
	};
	char path[64];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/comm", task.tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0; /* it is gone */
	got = read(fd, c.name, sizeof(c.name) - 1);
	close(fd);
	c.name[got > 0 ? got - 1 : 0] = 0;
	return perfdata_writer_append_other(w, &c.header, e);
}

static int append_task(struct perfdata_writer *w, uint32_t type, struct synthesize_task task,
		       struct synthesize_task parent, struct softlbr_error *e)
{
	struct task_record r = {
		.header = {type, PERF_RECORD_MISC_USER, sizeof(r)},
		.pid = task.pid,
		.parent_pid = parent.pid,
		.tid = task.tid,
		.parent_tid = parent.tid,
		.id = sample_id(task),
	};

	r.time = r.id.time;
	return perfdata_writer_append_other(w, &r.header, e);
}

int synthesize_fork(struct perfdata_writer *w, struct synthesize_task child,
		    struct synthesize_task parent, struct softlbr_error *e)
{
	return append_task(w, PERF_RECORD_FORK, child, parent, e);
}

int synthesize_exit(struct perfdata_writer *w, struct synthesize_task task, struct softlbr_error *e)
{
	return append_task(w, PERF_RECORD_EXIT, task, task, e);
}

/* ---- build-ids ----------------------------------------------------------------------------- */

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

void synthesize_build_id(int fd, struct build_id *id)
{
	uint8_t notes[1024];
	Elf64_Phdr segment;
	Elf64_Ehdr elf;
	ssize_t got;

	if (pread(fd, &elf, sizeof(elf), 0) != sizeof(elf) || memcmp(elf.e_ident, ELFMAG, SELFMAG))
		return;
	for (unsigned i = 0; i < elf.e_phnum && !id->size; i++) {
		off_t at = (off_t)(elf.e_phoff + i * sizeof(segment));

		if (pread(fd, &segment, sizeof(segment), at) != sizeof(segment))
			return;
		if (segment.p_type != PT_NOTE)
			continue;
		got = pread(fd, notes,
			    segment.p_filesz < sizeof(notes) ? segment.p_filesz : sizeof(notes),
			    (off_t)segment.p_offset);
		if (got > 0)
			find_build_id(notes, (size_t)got, id);
	}
}

/* What stands at a path now need not be what was mapped. */
static int open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || (!fstat(fd, &st) && S_ISREG(st.st_mode)))
		return fd;
	close(fd);
	return -1;
}

/* ---- mappings ------------------------------------------------------------------------------ */

/* A line of /proc/PID/maps: BEGIN-END PERMISSIONS OFFSET DEVICE INODE PATH */
struct line {
	struct synthesize_mapping mapping;
	uint64_t offset;
	char permissions[5];
	uint32_t major, minor;
	uint64_t inode;
	char path[PATH_BYTES];
};

/* Of the mapping's file: of some file systems, several have one number. */
static uint64_t file_identity(const struct line *l)
{
	uint64_t hash = l->inode * 0x9e3779b97f4a7c15u ^ makedev(l->major, l->minor);

	for (const char *p = l->path; *p; p++)
		hash = hash * 31 + (unsigned char)*p;
	return hash;
}

static bool parse_line(const char *text, struct line *l)
{
	const char *permissions = strchr(text, ' ');

	if (!permissions || strnlen(permissions, 5) < 5 || permissions[3] != 'x')
		return false;
	l->path[0] = 0;
	if (sscanf(text,
		   "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %" SCNx32 ":%" SCNx32 " %" SCNu64
		   " %4095[^\n]",
		   &l->mapping.begin, &l->mapping.end, l->permissions, &l->offset, &l->major,
		   &l->minor, &l->inode, l->path) < 7)
		return false;
	/* as the kernel's own records have it */
	if (!l->path[0] || !strncmp(l->path, "[anon:", 6)) {
		strcpy(l->path, "//anon");
		l->offset = l->mapping.begin;
	}
	l->mapping.writable = l->permissions[1] == 'w';
	l->mapping.looks = 0;
	l->mapping.checked = 0;
	l->mapping.inode = l->inode;
	l->mapping.offset = l->offset;
	l->mapping.identity = (file_identity(l) ^ l->offset) * 0x9e3779b97f4a7c15u;
	return true;
}

/* ---- the file of a mapping ----------------------------------------------------------------- */

/* The file that is there may be another one since. Of stacked file systems, which tell other
 * numbers, nothing can be said. */
static int open_same(const char *path, const struct line *l)
{
	int fd = open_regular(path);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || st.st_dev != makedev(l->major, l->minor) ||
	    st.st_ino == l->inode)
		return fd;
	close(fd);
	return -1;
}

/* The program itself, whatever has become of its path. */
static int open_program(uint32_t pid, const struct line *l)
{
	char link[TASK_PATH_BYTES], path[PATH_BYTES];

	if (!task_program(pid, path, sizeof(path)) || strcmp(path, l->path))
		return -1;
	task_path(link, pid, "exe");
	return open_same(link, l);
}

/* What is mapped, even if its file was replaced, as by an upgrade: only some may look at it so
 * (CAP_CHECKPOINT_RESTORE). */
static int open_mapping(uint32_t pid, const struct line *l)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, pid,
		 l->mapping.begin, l->mapping.end);
	return open_regular(path);
}

/* The file is looked for where the process sees it: it may live in a container. */
static int open_file(uint32_t pid, const struct line *l)
{
	char seen[PATH_BYTES + 32];
	int fd;

	if (l->path[0] != '/' || !l->inode)
		return -1;
	snprintf(seen, sizeof(seen), "/proc/%u/root%s", pid, l->path);
	fd = open_same(seen, l);
	if (fd < 0)
		fd = open_same(l->path, l);
	if (fd < 0)
		fd = open_program(pid, l);
	return fd < 0 ? open_mapping(pid, l) : fd;
}

static void read_build_id(uint32_t pid, const struct line *l, struct build_id *id)
{
	int fd = open_file(pid, l);

	*id = (struct build_id){0};
	if (fd < 0)
		return;
	synthesize_build_id(fd, id);
	close(fd);
}

/* The file that other processes have mapped, too, or NULL. */
static const struct synthesize_file *known_file(const struct synthesize_files *files,
						uint64_t identity)
{
	const struct synthesize_file *f;

	vector_each (&files->list, f)
		if (f->identity == identity)
			return f;
	return NULL;
}

/* Its build-id, from @files or for them; without memory it is read again. */
static void find_build_id_of(struct synthesize_files *files, uint32_t pid, const struct line *l,
			     struct build_id *id)
{
	uint64_t identity = file_identity(l);
	const struct synthesize_file *known = files ? known_file(files, identity) : NULL;
	struct synthesize_file *kept;

	if (known) {
		*id = known->build_id;
		return;
	}
	read_build_id(pid, l, id);
	kept = files && l->inode && id->size ? vector_push(&files->list) : NULL;
	if (kept)
		*kept = (struct synthesize_file){identity, *id};
}

static int append_mapping(struct perfdata_writer *w, struct synthesize_task task,
			  struct synthesize_files *files, const struct line *l,
			  struct softlbr_error *e)
{
	uint8_t record[sizeof(struct mmap2_head) + PATH_BYTES + 64] = {0};
	struct mmap2_head *m = (struct mmap2_head *)record;
	struct perfdata_sample_id id = sample_id(task);
	struct build_id build_id = {0};
	size_t padded = (strlen(l->path) + 8) & ~(size_t)7;

	if (!l->mapping.served)
		find_build_id_of(files, task.tid, l, &build_id);
	*m = (struct mmap2_head){
		.header = {PERF_RECORD_MMAP2,
			   PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID,
			   (uint16_t)(sizeof(*m) + padded + sizeof(id))},
		.pid = id.pid,
		.tid = id.tid,
		.start = l->mapping.begin,
		.length = l->mapping.end - l->mapping.begin,
		.page_offset = l->offset,
		.build_id_size = build_id.size,
		.protection = PROT_READ | PROT_EXEC,
		.flags = MAP_PRIVATE,
	};
	memcpy(m->build_id, build_id.bytes, sizeof(m->build_id));
	memcpy(m + 1, l->path, strlen(l->path));
	memcpy(record + sizeof(*m) + padded, &id, sizeof(id));
	return perfdata_writer_append_other(w, &m->header, e);
}

struct synthesize_mapping *synthesize_maps_at(const struct synthesize_maps *maps, uint64_t address)
{
	size_t low = 0, high = maps->mappings.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct synthesize_mapping *m = &maps->mappings.items[middle];

		if (address >= m->end)
			low = middle + 1;
		else if (address < m->begin)
			high = middle;
		else
			return m;
	}
	return NULL;
}

/* The mapping as it was known before, or NULL. */
static const struct synthesize_mapping *known(const struct synthesize_maps *maps,
					      const struct synthesize_mapping *m)
{
	const struct synthesize_mapping *k = synthesize_maps_at(maps, m->begin);

	return k && k->begin == m->begin && k->end == m->end && k->identity == m->identity &&
			       k->writable == m->writable
		       ? k
		       : NULL;
}

/* The kernel's own ([vdso], [vsyscall]) never changes; files that nobody may write hardly do. */
static bool may_change(const struct line *l)
{
	return l->mapping.writable || (l->path[0] != '[' && !l->inode) ||
	       !strncmp(l->path, "/memfd:", 7);
}

/* A program's libraries are mostly of one device. */
static bool is_served(struct synthesize_maps *maps, uint32_t pid, const struct line *l)
{
	if (!maps->device.is_known || maps->device.major != l->major ||
	    maps->device.minor != l->minor) {
		maps->device.is_known = true;
		maps->device.major = l->major;
		maps->device.minor = l->minor;
		maps->device.is_served = served_file_device(pid, l->major, l->minor);
	}
	return maps->device.is_served;
}

static int take_line(struct perfdata_writer *w, struct synthesize_task task, struct line *l,
		     const struct synthesize_maps *before, struct synthesize_maps *now,
		     bool *changed, struct softlbr_error *e)
{
	struct synthesize_mapping *kept = vector_push(&now->mappings);
	const struct synthesize_mapping *same = known(before, &l->mapping);

	if (!kept)
		return error_set_nomem(e);
	l->mapping.served = !same && l->path[0] == '/' && l->inode && is_served(now, task.tid, l);
	*kept = same ? *same : l->mapping;
	now->writes_code |= may_change(l);
	if (same)
		return 0;
	*changed = true;
	return append_mapping(w, task, now->files, l, e);
}

int synthesize_open_maps(uint32_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static FILE *read_maps(uint32_t pid)
{
	int fd = synthesize_open_maps(pid);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

	if (!f && fd >= 0)
		close(fd);
	return f;
}

bool synthesize_has_mapped(uint32_t pid, const char *path)
{
	FILE *f = read_maps(pid);
	char text[PATH_BYTES + 128];
	size_t wanted = strlen(path);
	bool found = false;

	while (f && !found && fgets(text, sizeof(text), f)) {
		size_t length = strcspn(text, "\n");

		found = length >= wanted && !memcmp(text + length - wanted, path, wanted);
	}
	if (f)
		fclose(f);
	return found;
}

int synthesize_maps(struct perfdata_writer *w, struct synthesize_task task,
		    struct synthesize_maps *maps, bool *changed, struct softlbr_error *e)
{
	FILE *f = read_maps(task.tid);
	char text[PATH_BYTES + 128];
	struct synthesize_maps now = {.files = maps->files};
	struct line line;
	int rc = 0;

	*changed = false;
	if (!f)
		return 0;
	while (!rc && fgets(text, sizeof(text), f))
		if (parse_line(text, &line))
			rc = take_line(w, task, &line, maps, &now, changed, e);
	fclose(f);
	*changed |= now.mappings.count != maps->mappings.count;
	synthesize_maps_deinit(maps);
	*maps = now;
	return rc;
}

int synthesize_is_unchanged(int file, const struct synthesize_mapping *m)
{
	struct mapping_query q = {.bytes = sizeof(q), .address = m->begin};

	if (ioctl(file, _IOWR('f', 17, struct mapping_query), &q))
		return errno == ENOENT ? 0 : -1;
	if (!m->inode) /* grows and shrinks */
		return !q.inode;
	return q.begin == m->begin && q.end == m->end && q.inode == m->inode &&
	       q.offset == m->offset && !(q.flags & MAPPING_WRITABLE) == !m->writable;
}

int synthesize_open_mapped(uint32_t pid, const struct synthesize_mapping *m, uint64_t *offset)
{
	FILE *f = m->served ? NULL : read_maps(pid);
	char text[PATH_BYTES + 128];
	struct line line;
	int fd = -1;

	if (!f)
		return -1;
	while (fd < 0 && fgets(text, sizeof(text), f))
		if (parse_line(text, &line) && line.mapping.begin == m->begin) {
			fd = open_file(pid, &line);
			*offset = line.offset;
		}
	fclose(f);
	return fd;
}

void synthesize_maps_deinit(struct synthesize_maps *maps)
{
	vector_deinit(&maps->mappings);
}
