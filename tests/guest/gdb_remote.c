/* SPDX-License-Identifier: MIT */
#include "tests/guest/gdb_remote.h"
#include "tests/snapshot.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* QEMU's numbers: x0 to x30, sp, pc, cpsr, v0 to v31, fpsr, fpcr; of SVE p0 to p15, ffr, vg. */
#define FIRST_VECTOR 34u
#define FPCR	     67u
#define VG	     85u /* how long vectors are, in 8 bytes */
#define CORE_BYTES   (33 * 8 + 4)
#define ADDRESS_BITS 48 /* of a pointer, below its authentication code */

static bool receive(struct gdb_remote *g, char *c)
{
	if (g->at == g->end) {
		ssize_t count = read(g->fd, g->input, sizeof(g->input));

		if (count <= 0)
			return false;
		g->at = 0;
		g->end = (size_t)count;
	}
	*c = g->input[g->at++];
	return true;
}

/* The next packet's text; what is not one (an acknowledgement) is passed over. */
static bool receive_packet(struct gdb_remote *g)
{
	size_t count = 0;
	char c = 0;

	while (c != '$') {
		if (!receive(g, &c))
			return false;
	}
	while (receive(g, &c) && c != '#' && count < sizeof(g->answer) - 1)
		g->answer[count++] = c;
	g->answer[count] = '\0';
	return c == '#' && receive(g, &c) && receive(g, &c);
}

/* Together with the acknowledgement of the answer before. */
static bool send_packet(struct gdb_remote *g, const char *text)
{
	char packet[256];
	uint8_t sum = 0;
	int length;

	for (const char *c = text; *c; c++)
		sum = (uint8_t)(sum + (uint8_t)*c);
	length = snprintf(packet, sizeof(packet), "+$%s#%02x", text, sum);
	return write(g->fd, packet, (size_t)length) == length;
}

static __attribute__((format(printf, 2, 3))) bool ask(struct gdb_remote *g, const char *format, ...)
{
	char text[200];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return send_packet(g, text) && receive_packet(g);
}

static unsigned digit(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a' + 10);
}

/* The bytes that the answer writes in hexadecimal; how many there are, at most @most. */
static size_t bytes_of(const char *text, void *out, size_t most)
{
	size_t count = 0;

	for (; count < most && text[0] && text[1]; text += 2)
		((uint8_t *)out)[count++] = (uint8_t)(digit(text[0]) << 4 | digit(text[1]));
	return count;
}

/* The number of the register that QEMU's description has under one of these names. */
static unsigned number_of(const char *description, const char *name)
{
	char wanted[64];
	const char *at;

	snprintf(wanted, sizeof(wanted), "name=\"%s\"", name);
	at = strstr(description, wanted);
	at = at ? strstr(at, "regnum=\"") : NULL;
	return at ? (unsigned)strtoul(at + strlen("regnum=\""), NULL, 10) : 0;
}

static bool find_system_registers(struct gdb_remote *g)
{
	static char description[1 << 17];
	size_t count = 0;

	/* QEMU tells of vectors only those who have asked for its descriptions */
	if (!ask(g, "qXfer:features:read:target.xml:0,ff0"))
		return false;
	do {
		size_t length;

		if (!ask(g, "qXfer:features:read:system-registers.xml:%zx,800", count))
			return false;
		length = strlen(g->answer);
		if (!length || count + length >= sizeof(description))
			return false;
		memcpy(description + count, g->answer + 1, length);
		count += length - 1;
	} while (g->answer[0] == 'm');
	g->thread_pointer = number_of(description, "TPIDR_EL0");
	g->cache_type = number_of(description, "CTR_EL0");
	return g->thread_pointer;
}

static bool connect_to(struct gdb_remote *g, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct timeval patience = {.tv_sec = 60};

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	for (unsigned tries = 0; tries < 2000; tries++) {
		g->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (!connect(g->fd, (struct sockaddr *)&address, sizeof(address)))
			return !setsockopt(g->fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
					   sizeof(patience));
		close(g->fd);
		usleep(5000);
	}
	return false;
}

bool gdb_remote_start(struct gdb_remote *g, char **argv)
{
	unlink(argv[2]);
	g->at = g->end = 0;
	g->pid = fork();
	if (!g->pid) {
		int null = open("/dev/null", O_RDWR);

		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		execvp(argv[0], argv);
		_exit(127);
	}
	if (g->pid < 0 || !connect_to(g, argv[2]) || !find_system_registers(g)) {
		gdb_remote_kill(g);
		return false;
	}
	return true;
}

void gdb_remote_kill(struct gdb_remote *g)
{
	if (g->pid <= 0)
		return;
	close(g->fd);
	kill(g->pid, SIGKILL);
	waitpid(g->pid, NULL, 0);
	g->pid = 0;
}

/* Did it stop, and not end? */
static bool has_stopped(struct gdb_remote *g, bool answered)
{
	if (answered && (g->answer[0] == 'T' || g->answer[0] == 'S'))
		return true;
	gdb_remote_kill(g);
	return false;
}

bool gdb_remote_step(struct gdb_remote *g)
{
	return has_stopped(g, ask(g, "s"));
}

bool gdb_remote_run_to(struct gdb_remote *g, uint64_t address)
{
	return ask(g, "Z0,%" PRIx64 ",4", address) && has_stopped(g, ask(g, "c")) &&
	       ask(g, "z0,%" PRIx64 ",4", address);
}

void gdb_remote_continue(struct gdb_remote *g)
{
	send_packet(g, "c");
}

bool gdb_remote_interrupt(struct gdb_remote *g)
{
	kill(g->pid, SIGUSR1);
	return has_stopped(g, receive_packet(g));
}

static bool read_register(struct gdb_remote *g, unsigned number, void *out, size_t bytes)
{
	return ask(g, "p%x", number) && bytes_of(g->answer, out, bytes) == bytes;
}

/* Where there is SVE, they are told as the longest that there could be. */
static bool read_vectors(struct gdb_remote *g, struct snapshot *out)
{
	uint8_t all[256];
	size_t bytes = 0;

	for (unsigned i = 0; i < 32; i++) {
		if (!ask(g, "p%x", FIRST_VECTOR + i))
			return false;
		bytes = bytes_of(g->answer, all, sizeof(all));
		if (bytes < sizeof(out->vector[i]))
			return false;
		memcpy(&out->vector[i], all, sizeof(out->vector[i]));
	}
	if (bytes > sizeof(out->vector[0])) {
		if (!read_register(g, VG, &out->sve_bytes, 8))
			return false;
		out->sve_bytes *= 8;
	}
	return read_register(g, FPCR, &out->fpcr, 4);
}

bool gdb_remote_registers(struct gdb_remote *g, struct snapshot *out)
{
	uint8_t core[CORE_BYTES];

	memset(out, 0, sizeof(*out));
	if (!ask(g, "g") || bytes_of(g->answer, core, sizeof(core)) != sizeof(core))
		return false;
	memcpy(out->x, core, sizeof(out->x));
	memcpy(&out->sp, core + 31 * 8, 8);
	memcpy(&out->pc, core + 32 * 8, 8);
	memcpy(&out->pstate, core + 33 * 8, 4);
	out->pointer_bits = ADDRESS_BITS;
	if (g->cache_type)
		read_register(g, g->cache_type, &out->cache_type, 8);
	return read_register(g, g->thread_pointer, &out->thread_pointer, 8) && read_vectors(g, out);
}

bool gdb_remote_memory(struct gdb_remote *g, uint64_t address, void *out, size_t bytes)
{
	return ask(g, "m%" PRIx64 ",%zx", address, bytes) && g->answer[0] != 'E' &&
	       bytes_of(g->answer, out, bytes) == bytes;
}
