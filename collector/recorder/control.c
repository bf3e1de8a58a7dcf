/* SPDX-License-Identifier: MIT */
#include "collector/recorder/control.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "collector/kernel/clock.h"

/* One who connects and says nothing is heard so long: on a busy machine what he says comes late. */
#define PATIENCE_NS UINT64_C(5000000000)
/* An answer is waited for so long: others may be heard before. */
#define ANSWER_MS  20000
#define LINE_BYTES 128

/* ---- the socket ---------------------------------------------------------------------------- */

static int make_address(const char *path, struct sockaddr_un *a, struct softlbr_error *e)
{
	*a = (struct sockaddr_un){.sun_family = AF_UNIX};
	if (strlen(path) >= sizeof(a->sun_path))
		return error_set(e, SOFTLBR_E_USAGE, path,
				 "control socket %s: a socket's path has %zu bytes at most", path,
				 sizeof(a->sun_path) - 1);
	strcpy(a->sun_path, path);
	return 0;
}

/* Connecting to what is no socket is refused, too. */
static bool is_socket(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISSOCK(st.st_mode);
}

/* For the owner only; one that nobody listens to any more is replaced. */
static int listen_at(const char *path, struct softlbr_error *e)
{
	struct sockaddr_un a;
	mode_t mask;
	int fd, rc;

	if (make_address(path, &a, e))
		return -SOFTLBR_E_USAGE;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return error_set_errno(e, path, "cannot make a socket");
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) && errno == ECONNREFUSED &&
	    is_socket(path))
		unlink(path);
	mask = umask(077);
	rc = bind(fd, (struct sockaddr *)&a, sizeof(a)) || listen(fd, 8);
	umask(mask);
	if (!rc)
		return fd;
	error_set_errno(e, path, "cannot listen at the control socket %s", path);
	close(fd);
	return -SOFTLBR_E_SYSTEM;
}

static void obey(struct control *s, const char *command, uint64_t bytes, char *answer,
		 size_t answer_bytes)
{
	static const char *const names[] = {
		[SESSION_WAIT] = "off", [SESSION_RUN] = "on", [SESSION_STOP] = "over"};

	snprintf(answer, answer_bytes, "ok\n");
	if (!strcmp(command, "start"))
		s->off = false;
	else if (!strcmp(command, "stop"))
		s->off = true;
	else if (!strcmp(command, "rotate"))
		s->rotate = true;
	else if (!strcmp(command, "status"))
		snprintf(answer, answer_bytes, "ok %s, %llu bytes\n", names[control_state(s)],
			 (unsigned long long)bytes);
	else
		snprintf(answer, answer_bytes,
			 "error: give start, stop, rotate or status, not %.40s\n", command);
}

static void hang_up(struct control *s, size_t number)
{
	close(s->askers[number].fd);
	s->asking--;
	for (size_t i = number; i < s->asking; i++)
		s->askers[i] = s->askers[i + 1];
}

/* False as long as there is nothing to hear yet: nobody is waited for. */
static bool hear(struct control *s, const struct control_asker *asker, uint64_t bytes)
{
	char line[LINE_BYTES], answer[LINE_BYTES];
	ssize_t got = read(asker->fd, line, sizeof(line) - 1);

	if (got < 0 && errno == EAGAIN && clock_now_ns() - asker->since_ns < PATIENCE_NS)
		return false;
	if (got > 0) {
		line[got] = 0;
		line[strcspn(line, "\r\n")] = 0;
		obey(s, line, bytes, answer, sizeof(answer));
		send(asker->fd, answer, strlen(answer), MSG_NOSIGNAL | MSG_DONTWAIT);
	}
	return true;
}

/* Who says nothing keeps no other waiting. */
static void hear_all(struct control *s, uint64_t bytes)
{
	for (size_t i = 0; i < s->asking;)
		if (hear(s, &s->askers[i], bytes))
			hang_up(s, i);
		else
			i++;
}

void control_attend(struct control *s, uint64_t bytes)
{
	int fd;

	if (s->socket < 0)
		return;
	hear_all(s, bytes);
	while ((fd = accept4(s->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		if (s->asking == CONTROL_ASKERS)
			hang_up(s, 0);
		s->askers[s->asking++] = (struct control_asker){fd, clock_now_ns()};
		hear_all(s, bytes);
	}
}

int control_ask(const char *path, const char *command, char *answer, size_t answer_bytes,
		struct softlbr_error *e)
{
	struct sockaddr_un a;
	int fd, rc = 0;

	if (make_address(path, &a, e))
		return -SOFTLBR_E_USAGE;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return error_set_errno(e, path, "cannot make a socket");
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)))
		rc = error_set_errno(e, path, "cannot reach a recording at %s", path);
	else if (send(fd, command, strlen(command), MSG_NOSIGNAL) < 0 || shutdown(fd, SHUT_WR))
		rc = error_set_errno(e, path, "cannot send to %s", path);
	else {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		ssize_t got = poll(&p, 1, ANSWER_MS) > 0 ? read(fd, answer, answer_bytes - 1) : -1;

		answer[got > 0 ? got : 0] = 0;
		answer[strcspn(answer, "\n")] = 0;
		if (got <= 0)
			rc = error_set(e, SOFTLBR_E_SYSTEM, path, "no answer from %s", path);
	}
	close(fd);
	return rc;
}

/* ---- the whole ----------------------------------------------------------------------------- */

int control_open(struct control *s, const struct control_options *o, struct softlbr_error *e)
{
	*s = (struct control){.options = *o, .begin_ns = clock_now_ns(), .socket = -1};
	if (!o->socket_path)
		return 0;
	s->socket = listen_at(o->socket_path, e);
	return s->socket < 0 ? s->socket : 0;
}

void control_close(struct control *s)
{
	if (s->socket < 0)
		return;
	while (s->asking)
		hang_up(s, 0);
	close(s->socket);
	unlink(s->options.socket_path);
	s->socket = -1;
}

/* What the recording should be now, and for how long that stays so by itself. */
static enum session_state look_at_clock(const struct control *s, uint64_t *steady_ns)
{
	const struct control_options *o = &s->options;
	uint64_t elapsed = clock_now_ns() - s->begin_ns, phase, left;

	*steady_ns = UINT64_MAX;
	if (s->over)
		return SESSION_STOP;
	if (elapsed < o->delay_ns) {
		*steady_ns = o->delay_ns - elapsed;
		return SESSION_WAIT;
	}
	elapsed -= o->delay_ns;
	if (o->duration_ns && elapsed >= o->duration_ns)
		return SESSION_STOP;
	if (o->duration_ns)
		*steady_ns = o->duration_ns - elapsed;
	if (!o->on_ns)
		return s->off ? SESSION_WAIT : SESSION_RUN;
	phase = elapsed % (o->on_ns + o->off_ns);
	left = (phase < o->on_ns ? o->on_ns : o->on_ns + o->off_ns) - phase;
	if (left < *steady_ns)
		*steady_ns = left;
	return s->off || phase >= o->on_ns ? SESSION_WAIT : SESSION_RUN;
}

enum session_state control_state(const struct control *s)
{
	uint64_t steady_ns;

	return look_at_clock(s, &steady_ns);
}

uint64_t control_steady_ns(const struct control *s)
{
	uint64_t steady_ns;

	look_at_clock(s, &steady_ns);
	return steady_ns;
}

void control_listen(const struct control *s, struct pollfd ears[CONTROL_EARS])
{
	ears[0] = (struct pollfd){.fd = s->socket, .events = POLLIN};
	for (size_t i = 0; i < CONTROL_ASKERS; i++)
		ears[1 + i] = (struct pollfd){.fd = i < s->asking ? s->askers[i].fd : -1,
					      .events = POLLIN};
}

bool control_signal(struct control *s, int number)
{
	if (!s->options.signals || (number != SIGUSR1 && number != SIGUSR2))
		return false;
	if (number == SIGUSR1)
		s->off = !s->off;
	else
		s->rotate = true;
	return true;
}

void control_end(struct control *s)
{
	s->over = true;
}

bool control_take_rotation(struct control *s)
{
	bool asked = s->rotate;

	s->rotate = false;
	return asked;
}
