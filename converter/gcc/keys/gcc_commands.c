/* SPDX-License-Identifier: MIT */
#include "converter/gcc/keys/gcc_commands.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

void gcc_command_deinit(struct gcc_command *c)
{
	char **word;

	vector_each (&c->words, word)
		memory_free(*word);
	vector_deinit(&c->words);
}

void gcc_commands_deinit(struct gcc_commands *c)
{
	struct gcc_command *one;

	vector_each (&c->items, one)
		gcc_command_deinit(one);
	vector_deinit(&c->items);
}

/* Takes @word over. The NULL behind the last is not counted. */
static int command_take_word(struct gcc_command *c, char *word)
{
	if (!word || vector_reserve(&c->words, 2)) {
		memory_free(word);
		return -1;
	}
	c->words.items[c->words.count++] = word;
	c->words.items[c->words.count] = NULL;
	return 0;
}

int gcc_command_add(struct gcc_command *c, const char *word)
{
	return command_take_word(c, memory_copy_string(word));
}

/* Behind the word at @at, quoted or not. */
static const char *word_end(const char *at)
{
	if (*at != '"')
		return at + strcspn(at, " \n");
	for (at++; *at && *at != '"'; at++)
		if (*at == '\\' && at[1])
			at++;
	return at + (*at == '"');
}

/* The word at *at, which is moved behind it; NULL without memory. */
static char *parse_word(const char **at)
{
	const char *a = *at, *end = word_end(a);
	bool quoted = *a == '"';
	char *word = memory_alloc((size_t)(end - a) + 1);
	size_t length = 0;

	if (!word)
		return NULL;
	*at = end;
	end -= quoted && end - a > 1 && end[-1] == '"';
	for (a += quoted; a < end; a++) {
		if (quoted && *a == '\\' && a + 1 < end)
			a++;
		word[length++] = *a;
	}
	return word;
}

static int parse_line(struct gcc_commands *c, const char **at)
{
	struct gcc_command *one = vector_push(&c->items);

	if (!one)
		return -1;
	while (**at && **at != '\n') {
		if (**at == ' ' || (**at == '|' && (*at)[1] == '\n')) /* a pipe to the next one */
			(*at)++;
		else if (command_take_word(one, parse_word(at)))
			return -1;
	}
	return 0;
}

int gcc_commands_parse(struct gcc_commands *c, const char *text)
{
	while (*text) {
		if (*text == ' ' && parse_line(c, &text))
			return -1;
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return 0;
}

bool gcc_command_runs(const struct gcc_command *c, const char *name)
{
	return c->words.count && !strcmp(file_base_name(c->words.items[0]), name);
}

const char *gcc_command_value(const struct gcc_command *c, const char *option)
{
	for (size_t i = 1; i + 1 < c->words.count; i++)
		if (!strcmp(c->words.items[i], option))
			return c->words.items[i + 1];
	return NULL;
}

bool gcc_command_has(const struct gcc_command *c, const char *option)
{
	for (size_t i = 1; i < c->words.count; i++)
		if (!strcmp(c->words.items[i], option))
			return true;
	return false;
}

/* Files may name files, but not without end. */
#define DEPTH_MOST 50

static bool is_blank(char c)
{
	return c && strchr(" \t\n\r\v\f", c);
}

/* The word at *at, unquoted in place, and *at behind it. */
static char *cut_word(char **at)
{
	char *word = *at, *to = word, *from = word;
	char quote = 0;

	for (; *from && (quote || !is_blank(*from)); from++) {
		if (*from == '\\' && from[1])
			*to++ = *++from;
		else if (quote ? *from == quote : *from == '\'' || *from == '"')
			quote = quote ? 0 : *from;
		else
			*to++ = *from;
	}
	*at = *from ? from + 1 : from;
	*to = 0;
	return word;
}

static int response_file_add_word(struct gcc_command *c, const char *word, unsigned depth);

static int response_file_add_words(struct gcc_command *c, char *text, unsigned depth)
{
	int rc = 0;

	while (!rc) {
		while (is_blank(*text))
			text++;
		if (!*text)
			break;
		rc = response_file_add_word(c, cut_word(&text), depth + 1);
	}
	return rc;
}

static int response_file_add_word(struct gcc_command *c, const char *word, unsigned depth)
{
	struct softlbr_error ignored = {0};
	struct file_view v;
	char *text;
	int rc;

	if (*word != '@' || depth == DEPTH_MOST || file_view_open(&v, word + 1, &ignored))
		return gcc_command_add(c, word);
	text = memory_alloc(v.size + 1);
	if (text)
		memcpy(text, v.data, v.size);
	file_view_close(&v);
	rc = text ? response_file_add_words(c, text, depth) : -1;
	memory_free(text);
	return rc;
}

int gcc_command_add_expanded(struct gcc_command *c, const char *word)
{
	return response_file_add_word(c, word, 0);
}

static void child_take(int fd, int as)
{
	if (fd >= 0 && dup2(fd, as) < 0)
		_exit(126);
}

int gcc_command_execute(char *const argv[], int in, int out, int err)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return -1;
	if (!pid) {
		child_take(in, STDIN_FILENO);
		child_take(out, STDOUT_FILENO);
		child_take(err, STDERR_FILENO);
		execvp(argv[0], argv);
		_exit(errno == ENOENT ? 127 : 126);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

int gcc_command_end_as(int status)
{
	if (status != -1 && WIFSIGNALED(status)) {
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
	}
	return status != -1 && WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

static char *read_all(int fd)
{
	struct stat s;
	char *text = fstat(fd, &s) ? NULL : memory_alloc((size_t)s.st_size + 1);
	size_t have = 0;

	while (text && have < (size_t)s.st_size) {
		ssize_t n = pread(fd, text + have, (size_t)s.st_size - have, (off_t)have);

		if (n <= 0)
			break;
		have += (size_t)n;
	}
	if (text)
		text[have] = 0;
	return text;
}

char *gcc_command_errors(char *const argv[], int *status)
{
	int errors = memfd_create("errors", MFD_CLOEXEC);
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	char *text = NULL;

	*status = -1;
	if (errors >= 0 && nothing >= 0)
		*status = gcc_command_execute(argv, nothing, nothing, errors);
	if (*status != -1)
		text = read_all(errors);
	if (errors >= 0)
		close(errors);
	if (nothing >= 0)
		close(nothing);
	return text;
}
