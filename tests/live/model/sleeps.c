/* SPDX-License-Identifier: MIT */
/* Steps that wait in the kernel for what does not come: nobody but the time ends them. */
#include <errno.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "model.h"

static void sleep_in(struct dice *d)
{
	struct timespec little = {.tv_nsec = 200000 + (long)dice_below(d, 900000)}, left = {0};
	struct timeval micro = {.tv_usec = 700};
	int rc;

	switch (dice_below(d, 5)) {
	case 0:
		rc = nanosleep(&little, &left);
		journey_result(rc, "nanosleep, left %d", rc < 0 && left.tv_nsec);
		break;
	case 1:
		journey_result(clock_nanosleep(CLOCK_MONOTONIC, 0, &little, NULL),
			       "clock_nanosleep");
		break;
	case 2:
		journey_result(poll(NULL, 0, 1), "poll");
		break;
	case 3:
		journey_result(select(0, NULL, NULL, NULL, &micro), "select");
		break;
	default:
		journey_result(usleep(800), "usleep");
	}
}

static void receive(struct dice *d)
{
	struct timeval limit = {.tv_usec = 1000};
	int pair[2], rc;
	char byte;

	rc = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair);
	journey_result(rc, "socketpair");
	if (rc)
		return;
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (dice_one_in(d, 2))
		journey_result(recv(pair[0], &byte, 1, 0), "recv");
	else
		journey_result(read(pair[0], &byte, 1), "read");
	close(pair[0]);
	close(pair[1]);
}

static void wait_on(struct dice *d)
{
	struct epoll_event event;
	struct timespec until;
	sem_t semaphore;
	int fd;

	if (dice_one_in(d, 2)) {
		fd = epoll_create1(EPOLL_CLOEXEC);
		journey_result(fd, "epoll_create1");
		if (fd >= 0)
			journey_result(epoll_wait(fd, &event, 1, 1), "epoll_wait");
		close(fd);
		return;
	}
	sem_init(&semaphore, 0, 0);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 900000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	journey_result(sem_timedwait(&semaphore, &until), "sem_timedwait");
	sem_destroy(&semaphore);
}

const struct step sleeps_steps[] = {
	{"sleep", 3, sleep_in},
	{"receive", 2, receive},
	{"wait-on", 2, wait_on},
	{NULL, 0, NULL},
};
