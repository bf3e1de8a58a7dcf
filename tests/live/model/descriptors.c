/* SPDX-License-Identifier: MIT */
/* Steps about descriptors. Their numbers are chosen blindly, also those that nobody has. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model.h"

/* Mostly what may be there, sometimes far off, never the log or what the harness reads. */
static int any(struct dice *d)
{
	static const int far[] = {63, 64, 100, 127, 128, 250, 255, 500, 900, 1000, 1020, 1023};

	return dice_one_in(d, 4) ? far[dice_below(d, 12)] : 3 + (int)dice_below(d, 14);
}

static void make(struct dice *d)
{
	int pair[2] = {-1, -1}, cloexec = dice_one_in(d, 2);

	switch (dice_below(d, 6)) {
	case 0:
		journey_result(open("/dev/null", O_RDWR | (cloexec ? O_CLOEXEC : 0)), "open null");
		break;
	case 1:
		journey_result(open("/dev/zero", O_RDONLY | (cloexec ? O_CLOEXEC : 0)),
			       "open zero");
		break;
	case 2:
		journey_result(memfd_create("model", cloexec ? MFD_CLOEXEC : 0), "memfd_create");
		break;
	case 3:
		journey_result(pipe2(pair, O_NONBLOCK | (cloexec ? O_CLOEXEC : 0)), "pipe2");
		journey_say("pipe %d %d", pair[0], pair[1]);
		break;
	case 4:
		journey_result(eventfd(3, EFD_NONBLOCK | (cloexec ? EFD_CLOEXEC : 0)), "eventfd");
		break;
	default:
		journey_result(
			socketpair(AF_UNIX,
				   SOCK_STREAM | SOCK_NONBLOCK | (cloexec ? SOCK_CLOEXEC : 0), 0,
				   pair),
			"socketpair");
		journey_say("pair %d %d", pair[0], pair[1]);
	}
}

static void duplicate(struct dice *d)
{
	int from = any(d), to = any(d);

	switch (dice_below(d, 4)) {
	case 0:
		journey_result(dup(from), "dup %d", from);
		break;
	case 1:
		journey_result(dup2(from, to), "dup2 %d %d", from, to);
		break;
	case 2:
		journey_result(dup3(from, to, O_CLOEXEC), "dup3 %d %d", from, to);
		break;
	default:
		journey_result(fcntl(from, F_DUPFD_CLOEXEC, to % 200), "F_DUPFD %d %d", from,
			       to % 200);
	}
}

static void let_go(struct dice *d)
{
	int fd = any(d), last = fd + (int)dice_below(d, 40);

	switch (dice_below(d, 8)) {
	case 0:
		closefrom(fd);
		journey_open(journey_path());
		journey_say("closefrom %d", fd);
		break;
	case 1:
		journey_result(close_range((unsigned)fd, (unsigned)last,
					   dice_one_in(d, 2) ? CLOSE_RANGE_CLOEXEC : 0),
			       "close_range %d %d", fd, last);
		break;
	default:
		journey_result(close(fd), "close %d", fd);
	}
}

static void ask(struct dice *d)
{
	int fd = any(d), flags = fcntl(fd, F_GETFD);
	struct stat st;

	journey_result(flags, "F_GETFD %d", fd);
	journey_result(fcntl(fd, F_GETFL), "F_GETFL %d", fd);
	if (dice_one_in(d, 2))
		journey_result(fcntl(fd, F_SETFD, flags ^ FD_CLOEXEC), "F_SETFD %d", fd);
	st.st_mode = 0;
	journey_result(fstat(fd, &st), "fstat %d", fd);
	journey_say("mode %x", (unsigned)st.st_mode >> 12);
}

static void use(struct dice *d)
{
	char bytes[64] = "";
	int fd = 3 + (int)dice_below(d, 14);
	size_t n = 8 + dice_below(d, 50);
	ssize_t got;
	unsigned sum = 0;

	if (dice_one_in(d, 2)) {
		memset(bytes, (int)n, sizeof(bytes));
		journey_result(write(fd, bytes, n), "write %d", fd);
		return;
	}
	got = read(fd, bytes, n);
	journey_result(got, "read %d", fd);
	for (ssize_t i = 0; i < got; i++)
		sum = sum * 31 + (unsigned char)bytes[i];
	journey_say("read %x", sum);
}

static void limit(struct dice *d)
{
	/* the harness begins with 1024 */
	static const rlim_t limits[] = {256, 300, 512, 1000, 1024, 1024};
	struct rlimit r;
	int made = 0, first = -1, fd;

	getrlimit(RLIMIT_NOFILE, &r);
	r.rlim_cur = limits[dice_below(d, 6)];
	journey_result(setrlimit(RLIMIT_NOFILE, &r), "RLIMIT_NOFILE %lu", r.rlim_cur);
	if (!dice_one_in(d, 4))
		return;
	while ((fd = dup(0)) >= 0) {
		first = first < 0 ? fd : first;
		made++;
		if (fd < 1020)
			fcntl(fd, F_SETFD, FD_CLOEXEC);
	}
	journey_say("%d more, from %d, then %s", made, first, strerrorname_np(errno));
	close_range(3, ~0u, 0);
	journey_open(journey_path());
}

const struct step descriptors_steps[] = {
	{"make", 8, make}, {"dup", 7, duplicate}, {"close", 5, let_go}, {"ask", 4, ask},
	{"use", 5, use},   {"limit", 2, limit},	  {NULL, 0, NULL},
};
