/* SPDX-License-Identifier: MIT */
#include "collector/outside/recording_socket.h"

#include <errno.h>
#include <sys/socket.h>

#include "base/error.h"
#include "base/memory.h"

/* To the recorder's end; the answer is an int, 0 or a negative code. */
struct part {
	unsigned number;
	bool rotate;
};

int recording_socket_open(int ends[2], struct softlbr_error *e)
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return error_set_errno(e, NULL, "cannot make a pair of sockets");
	return 0;
}

bool recording_socket_due(const struct recording_socket *p, uint64_t bytes)
{
	return p->bytes_most && bytes >= p->bytes_most && !p->given;
}

void recording_socket_give(struct recording_socket *p, unsigned number, bool rotate)
{
	struct part part = {number, rotate};

	/* Not sent, it stays as it is: there is nobody, or hundreds were asked for meanwhile. */
	if (send(p->file, &part, sizeof(part), MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof(part))
		p->given++;
}

int recording_socket_hear(struct recording_socket *p)
{
	ssize_t got;
	int rc = 0;

	while ((got = recv(p->file, &rc, sizeof(rc), MSG_DONTWAIT)) == sizeof(rc)) {
		p->given--;
		if (rc)
			return rc;
	}
	p->alone = !got || (errno != EAGAIN && errno != EINTR);
	return 0;
}

/* ---- the recorder's side ----------------------------------------------------------------------
 */

static int take(const struct rotation_options *o, const char *output, const struct part *part,
		struct softlbr_error *e)
{
	char *path = memory_format("%s.%u", output, part->number);
	int rc;

	if (!path)
		return error_set_nomem(e);
	rc = o->take(o->context, path, part->rotate, e);
	memory_free(path);
	return rc;
}

int recording_socket_take(int file, const struct rotation_options *o, const char *output,
			  struct softlbr_error *e)
{
	struct part part;
	int rc = 0;

	for (;;) {
		ssize_t got = recv(file, &part, sizeof(part), 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got != sizeof(part))
			return rc;
		if (!rc)
			rc = take(o, output, &part, e);
		send(file, &rc, sizeof(rc), MSG_NOSIGNAL);
	}
}
