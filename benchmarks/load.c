/* SPDX-License-Identifier: MIT */
/*
 * load PORT CONNECTIONS RATE SECONDS REQUEST BEGIN END: bounded load on a server of loopback.
 *
 * RATE requests a second become due at even distances, whether or not earlier ones are answered; a
 * latency counts from where its request was due. An answer is over where END is read (both texts
 * may hold \r and \n), and good if it begins with BEGIN. A connection that the server closes behind
 * an answer, as HTTP says, is opened again. Prints JSON, after SECONDS or on SIGTERM: requests,
 * failed, seconds, microseconds of p50 and p99.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CONNECTIONS_MOST 64
#define ANSWER_MOST	 (64 << 10)
#define PATIENCE_NS	 10000000000u
#define CLOSES		 "\r\nConnection: close\r\n"

struct connection {
	int fd; /* -1: to be opened */
	bool busy;
	uint64_t due; /* of its request, ns */
	size_t got;
	char answer[ANSWER_MOST];
};

static struct connection connections[CONNECTIONS_MOST];
static uint64_t *latencies;
static unsigned long answered, failed;
static const char *request, *begin, *end;
static struct sockaddr_in server = {.sin_family = AF_INET};
static int events;
static volatile sig_atomic_t terminated;

static void on_sigterm(int number)
{
	(void)number;
	terminated = 1;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* \r and \n as they are written in C. */
static const char *unescaped(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		bool is_escape = *from == '\\' && (from[1] == 'r' || from[1] == 'n');

		*to++ = !is_escape ? *from : from[1] == 'r' ? '\r' : '\n';
		from += is_escape;
	}
	*to = 0;
	return text;
}

static void open_connection(struct connection *c)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
	int on = 1;

	c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (c->fd < 0 || connect(c->fd, (const struct sockaddr *)&server, sizeof(server)))
		die("load: connect");
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (epoll_ctl(events, EPOLL_CTL_ADD, c->fd, &event))
		die("load: epoll_ctl");
}

static void close_connection(struct connection *c)
{
	close(c->fd);
	c->fd = -1;
	c->busy = false;
}

static void send_request(struct connection *c, uint64_t due)
{
	size_t length = strlen(request);

	if (c->fd < 0)
		open_connection(c);
	c->busy = true;
	c->due = due;
	c->got = 0;
	if (send(c->fd, request, length, MSG_NOSIGNAL) != (ssize_t)length) {
		failed++;
		close_connection(c);
	}
}

static bool is_over(const struct connection *c)
{
	size_t length = strlen(end);

	return c->got >= length && !memcmp(c->answer + c->got - length, end, length);
}

static void read_answer(struct connection *c)
{
	ssize_t n = recv(c->fd, c->answer + c->got, sizeof(c->answer) - c->got, 0);

	if (n <= 0) {
		failed += c->busy;
		close_connection(c);
		return;
	}
	c->got += (size_t)n;
	if (!c->busy || !is_over(c))
		return;
	c->busy = false;
	failed += c->got < strlen(begin) || memcmp(c->answer, begin, strlen(begin));
	latencies[answered++] = now() - c->due;
	if (memmem(c->answer, c->got, CLOSES, strlen(CLOSES)))
		close_connection(c);
}

static struct connection *idle_connection(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!connections[i].busy)
			return &connections[i];
	return NULL;
}

/* Requests without an answer for so long fail. */
static void give_up(unsigned count)
{
	uint64_t at = now();

	for (unsigned i = 0; i < count; i++) {
		struct connection *c = &connections[i];

		if (c->busy && at > c->due + PATIENCE_NS) {
			failed++;
			close_connection(c);
		}
	}
}

/* Until the next request is due, or something was read. */
static void wait_for(uint64_t due, bool is_free)
{
	struct epoll_event ready[CONNECTIONS_MOST];
	uint64_t at = now(), left = is_free && due > at ? due - at : is_free ? 0 : 1000000000u;
	struct timespec timeout = {(time_t)(left / 1000000000u), (long)(left % 1000000000u)};
	int n = epoll_pwait2(events, ready, CONNECTIONS_MOST, &timeout, NULL);

	if (n < 0 && errno != EINTR)
		die("load: epoll_pwait2");
	for (int i = 0; i < n; i++)
		read_answer(ready[i].data.ptr);
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void print_results(uint64_t nanoseconds)
{
	qsort(latencies, answered, sizeof(*latencies), by_size);
	if (!answered)
		latencies[0] = 0;
	printf("{\"requests\": %lu, \"failed\": %lu, \"seconds\": %.3f, \"p50\": %.1f, \"p99\": %.1f}\n",
	       answered, failed, (double)nanoseconds / 1e9, (double)latencies[answered / 2] / 1e3,
	       (double)latencies[answered * 99 / 100] / 1e3);
}

int main(int argc, char **argv)
{
	unsigned count;
	uint64_t started, distance, total;

	if (argc != 8) {
		fprintf(stderr, "usage: load PORT CONNECTIONS RATE SECONDS REQUEST BEGIN END\n");
		return 2;
	}
	server.sin_port = htons((uint16_t)atoi(argv[1]));
	server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	count = (unsigned)atoi(argv[2]);
	distance = (uint64_t)(1e9 / atof(argv[3]));
	total = (uint64_t)(atof(argv[4]) * 1e9) / distance;
	request = unescaped(argv[5]);
	begin = unescaped(argv[6]);
	end = unescaped(argv[7]);
	if (!count || count > CONNECTIONS_MOST || !total)
		return 2;
	latencies = calloc(total + 1, sizeof(*latencies));
	events = epoll_create1(EPOLL_CLOEXEC);
	if (!latencies || events < 0)
		die("load");
	prctl(PR_SET_TIMERSLACK, 1);
	signal(SIGTERM, on_sigterm);
	for (unsigned i = 0; i < count; i++)
		open_connection(&connections[i]);
	started = now();
	for (uint64_t sent = 0; answered + failed < total;) {
		struct connection *c;

		if (terminated)
			total = sent;
		c = sent < total ? idle_connection(count) : NULL;

		if (c && now() >= started + sent * distance) {
			send_request(c, started + sent * distance);
			sent++;
		} else {
			wait_for(started + sent * distance, c);
			give_up(count);
		}
	}
	print_results(now() - started);
	return 0;
}
