/* SPDX-License-Identifier: MIT */
/*
 * What the kernel tells of the profiled processes beside the samples: MMAP2 (with build-ids), COMM,
 * FORK and EXIT records, of the command and all its descendants, by a dummy perf event per CPU.
 */
#include "collector/recorder/synthesize.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/error.h"
#include "collector/kernel/event.h"

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t ring_bytes(void)
{
	return EVENT_SIDEBAND_PAGES * page_bytes();
}

static int wait_for(const struct sideband *s, int fd, struct softlbr_error *e)
{
	struct epoll_event readable = {.events = EPOLLIN};

	return epoll_ctl(s->filling, EPOLL_CTL_ADD, fd, &readable)
		       ? error_set_errno(e, NULL, "cannot wait for process events")
		       : 0;
}

static int open_ring(struct sideband *s, int cpu, bool data, struct softlbr_error *e)
{
	struct perf_event_attr attr;
	struct sideband_ring *ring;
	void *page;
	int fd;

	event_sideband_attr(data, page_bytes(), &attr);
	attr.disabled = attr.enable_on_exec = 1;
	fd = event_open(&attr, 0, cpu);
	if (fd < 0 && errno == ENODEV)
		return 0; /* this CPU is offline */
	if (fd < 0)
		return error_set_errno(e, NULL,
				       "perf_event_open for process events is refused "
				       "(see softlbr doctor)");
	page = mmap(NULL, ring_bytes() + page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		error_set_errno(e, NULL, "cannot map a perf ring buffer (see perf_event_mlock_kb)");
		close(fd);
		return -SOFTLBR_E_SYSTEM;
	}
	ring = vector_push(&s->rings);
	if (!ring) {
		munmap(page, ring_bytes() + page_bytes());
		close(fd);
		return error_set_nomem(e);
	}
	*ring = (struct sideband_ring){fd, page};
	return wait_for(s, fd, e);
}

int sideband_open(struct sideband *s, bool data, struct softlbr_error *e)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);

	*s = (struct sideband){.filling = epoll_create1(EPOLL_CLOEXEC)};
	if (s->filling < 0)
		return error_set_errno(e, NULL, "cannot wait for process events");
	for (int cpu = 0; cpu < cpus; cpu++)
		if (open_ring(s, cpu, data, e)) {
			sideband_close(s);
			return -SOFTLBR_E_SYSTEM;
		}
	return 0;
}

/* The @size bytes at ring position @at: in place, or put together if they wrap around. */
static const void *ring_record(struct sideband *s, const struct sideband_ring *ring, uint64_t at,
			       size_t size)
{
	const uint8_t *data = (const uint8_t *)ring->page + page_bytes();
	size_t offset = at % ring_bytes(), first = ring_bytes() - offset;

	if (size <= first)
		return data + offset;
	s->wrapped.count = 0;
	if (vector_reserve(&s->wrapped, size))
		return NULL;
	memcpy(s->wrapped.items, data + offset, first);
	memcpy(s->wrapped.items + first, data, size - first);
	return s->wrapped.items;
}

static int drain_ring(struct sideband *s, struct sideband_ring *ring, struct perfdata_writer *w,
		      struct softlbr_error *e)
{
	/* acquires the kernel's release of data_head (include/uapi/linux/perf_event.h) */
	uint64_t head = atomic_read_acquire(&ring->page->data_head);
	uint64_t tail = ring->page->data_tail;

	while (tail < head) {
		const struct perf_event_header *h = ring_record(s, ring, tail, sizeof(*h));
		const void *record;
		uint16_t size = h ? h->size : 0;

		if (size < sizeof(*h))
			break;
		record = ring_record(s, ring, tail, size);
		if (!record)
			return error_set_nomem(e);
		if (perfdata_writer_append_other(w, record, e))
			return -SOFTLBR_E_SYSTEM;
		tail += size;
	}
	atomic_write_release(&ring->page->data_tail, tail);
	return 0;
}

int sideband_drain(struct sideband *s, struct perfdata_writer *w, struct softlbr_error *e)
{
	struct sideband_ring *ring;

	vector_each (&s->rings, ring)
		if (drain_ring(s, ring, w, e))
			return -SOFTLBR_E_SYSTEM;
	return 0;
}

uint64_t sideband_written(const struct sideband *s)
{
	const struct sideband_ring *ring;
	uint64_t bytes = 0;

	vector_each (&s->rings, ring)
		bytes += atomic_read_relaxed(&ring->page->data_head);
	return bytes;
}

bool sideband_is_filling(const struct sideband *s)
{
	const struct sideband_ring *ring;

	vector_each (&s->rings, ring)
		if (atomic_read_relaxed(&ring->page->data_head) - ring->page->data_tail >
		    ring_bytes() / 4)
			return true;
	return false;
}

void sideband_close(struct sideband *s)
{
	struct sideband_ring *ring;

	vector_each (&s->rings, ring) {
		munmap(ring->page, ring_bytes() + page_bytes());
		close(ring->fd);
	}
	if (s->filling > 0)
		close(s->filling);
	vector_deinit(&s->rings);
	vector_deinit(&s->wrapped);
}
