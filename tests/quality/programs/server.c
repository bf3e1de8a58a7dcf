/* SPDX-License-Identifier: MIT */
/* server CONNECTIONS, requests as lines on standard input: a thread for each connection reads
 * requests from its socket and answers them; the first thread is the clients, who send the lines in
 * turns, each its next one when it has the answer to the one before. Requests: set KEY TEXT, get
 * KEY, count WORD, sum KEY. Prints a checksum of the answers, which does not depend on how threads
 * run. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS 16
#define BUCKETS	    4096
#define LINE	    512

struct entry {
	struct entry *next;
	char *key, *text;
};

/* Of all connections; keys begin with the connection's number, so answers are its own affair. */
static struct entry *table[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static unsigned hash(const char *key)
{
	unsigned h = 2166136261u;

	while (*key)
		h = (h ^ (unsigned char)*key++) * 16777619u;
	return h % BUCKETS;
}

static struct entry **find(const char *key)
{
	struct entry **e = &table[hash(key)];

	while (*e && strcmp((*e)->key, key))
		e = &(*e)->next;
	return e;
}

static const char *set(const char *key, const char *text)
{
	struct entry **e = find(key);

	if (!*e) {
		*e = calloc(1, sizeof(**e));
		(*e)->key = strdup(key);
	}
	free((*e)->text);
	(*e)->text = strdup(text);
	return "ok";
}

static int count_word(const char *text, const char *word)
{
	size_t length = strlen(word);
	int count = 0;

	while (*text) {
		while (*text == ' ')
			text++;
		count += !strncmp(text, word, length) && (!text[length] || text[length] == ' ');
		while (*text && *text != ' ')
			text++;
	}
	return count;
}

static int count_words(const char *word, int connection)
{
	int count = 0;

	for (int i = 0; i < BUCKETS; i++)
		for (const struct entry *e = table[i]; e; e = e->next)
			if (e->key[0] == 'a' + connection)
				count += count_word(e->text, word);
	return count;
}

static uint64_t sum_of(const char *text)
{
	uint64_t sum = 0;

	for (int round = 0; round < 20; round++)
		for (const char *c = text; *c; c++)
			sum = sum * 31 + (*c >= 'a' && *c <= 'm' ? *c * 7 : *c ^ round);
	return sum;
}

static void answer(char *request, int connection, char *out)
{
	char *rest = NULL, *verb = strtok_r(request, " ", &rest), *key = strtok_r(NULL, " ", &rest);
	struct entry *e;

	pthread_mutex_lock(&lock);
	e = key ? *find(key) : NULL;
	if (!verb || !key)
		snprintf(out, LINE, "what?");
	else if (!strcmp(verb, "set"))
		snprintf(out, LINE, "%s", set(key, rest ? rest : ""));
	else if (!strcmp(verb, "count"))
		snprintf(out, LINE, "%d", count_words(key, connection));
	else if (!strcmp(verb, "sum"))
		snprintf(out, LINE, "%llu", (unsigned long long)(e ? sum_of(e->text) : 0));
	else
		snprintf(out, LINE, "%s", e ? e->text : "none");
	pthread_mutex_unlock(&lock);
}

static int sockets[CONNECTIONS][2];

static void *serve(void *argument)
{
	int connection = (int)(intptr_t)argument, fd = sockets[connection][1];
	char request[LINE], out[LINE];

	for (;;) {
		ssize_t bytes = recv(fd, request, LINE - 1, 0);

		if (bytes <= 0)
			return NULL;
		request[bytes] = 0;
		answer(request, connection, out);
		if (send(fd, out, strlen(out), 0) < 0)
			return NULL;
	}
}

int main(int argc, char **argv)
{
	int connections = argc > 1 ? atoi(argv[1]) : 4, waits[CONNECTIONS] = {0};
	pthread_t threads[CONNECTIONS];
	char line[LINE], out[LINE];
	uint64_t checksum = 0;

	if (connections < 1 || connections > CONNECTIONS)
		return 2;
	for (int i = 0; i < connections; i++)
		if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets[i]) ||
		    pthread_create(&threads[i], NULL, serve, (void *)(intptr_t)i))
			return 1;
	for (int c = 0, idle = 0; idle < connections; c = (c + 1) % connections) {
		if (waits[c]) {
			ssize_t bytes = recv(sockets[c][0], out, LINE - 1, 0);

			for (ssize_t at = 0; at < bytes; at++)
				checksum = checksum * 131 + (unsigned char)out[at];
			waits[c] = 0;
		}
		idle++;
		if (!fgets(line, sizeof(line), stdin))
			continue;
		idle = 0;
		line[strcspn(line, "\n")] = 0;
		waits[c] = send(sockets[c][0], line, strlen(line), 0) > 0;
	}
	for (int i = 0; i < connections; i++) {
		shutdown(sockets[i][0], SHUT_RDWR);
		pthread_join(threads[i], NULL);
	}
	printf("%016llx\n", (unsigned long long)checksum);
	return 0;
}
