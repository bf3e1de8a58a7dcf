/* SPDX-License-Identifier: MIT */
#include "converter/update/function_names.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* C++: the Itanium C++ ABI; names of C are not mangled. */
static bool is_mangled(const char *name)
{
	return !strncmp(name, "_Z", 2);
}

size_t function_name_length(const char *name)
{
	const char *dot = *name ? strchr(name + 1, '.') : NULL;

	return dot ? (size_t)(dot - name) : strlen(name);
}

static char *copy_of(const char *text, size_t length)
{
	return memory_format("%.*s", (int)length, text);
}

const char *function_name_plain(const char *name)
{
	const char *plain = name;

	for (const char *at = name; (at = strstr(at, "::"));)
		plain = at += 2;
	return plain;
}

/* Behind the bracket that closes the one at @at. */
static const char *behind_bracket(const char *at, char open, char close)
{
	int depth = 0;

	for (; *at; at++) {
		depth += *at == open;
		if (*at == close && !--depth)
			return at + 1;
	}
	return at;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* In place. False if it is a name that sources do not have. */
static bool simplify(char *name)
{
	static const char unnamed[] = "(anonymous namespace)::";
	const char *from = name;
	char *to = name;

	while (*from) {
		if (begins(from, unnamed)) {
			from += strlen(unnamed);
		} else if (begins(from, "operator") && (from == name || from[-1] == ':')) {
			while (*from) /* with the marks of its own */
				*to++ = *from++;
		} else if (*from == '<') {
			from = behind_bracket(from, '<', '>');
		} else if (*from == '[') {
			from = behind_bracket(from, '[', ']');
		} else if (*from == '(' || *from == '{') {
			return false;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	return *name;
}

char *function_name_spell(const char *name, char *(*demangle)(const char *name, bool arguments))
{
	char *whole = copy_of(name, function_name_length(name)), *spelled;

	if (!whole || !is_mangled(whole))
		return whole;
	spelled = demangle(whole, false);
	memory_free(whole);
	if (spelled && simplify(spelled))
		return spelled;
	memory_free(spelled);
	return NULL;
}

int function_name_parameters(const char *name, char *(*demangle)(const char *name, bool arguments))
{
	char *whole = copy_of(name, function_name_length(name));
	char *spelled = whole && is_mangled(whole) ? demangle(whole, true) : NULL;
	const char *at = spelled ? strrchr(spelled, ')') : NULL;
	int count = at ? 1 : -1, depth = 0;

	for (; at && at >= spelled; at--) {
		depth += *at == ')' || *at == '>';
		count += *at == ',' && depth == 1;
		depth -= *at == '<' || *at == '(';
		if (!depth) {
			count -= at[1] == ')';
			break;
		}
	}
	memory_free(spelled);
	memory_free(whole);
	return count;
}

bool function_name_agrees(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	const char *longer = n > m ? a : b, *shorter = n > m ? b : a;
	size_t more = n > m ? n - m : m - n;

	if (strcmp(longer + more, shorter))
		return false;
	return !more || (more >= 2 && !memcmp(longer + more - 2, "::", 2));
}

/* ---- renaming ------------------------------------------------------------------------------- */

/* The next of the words between "::", without "~". */
static bool take_word(const char **rest, const char **word, size_t *length)
{
	const char *end;

	if (!*rest)
		return false;
	*word = *rest + (**rest == '~');
	end = strstr(*rest, "::");
	*length = end ? (size_t)(end - *word) : strlen(*word);
	*rest = end ? end + 2 : NULL;
	return true;
}

/* @mangled with <length><word> replaced wherever it stands; freed. NULL if it stands nowhere. */
static char *replace_word(char *mangled, const char *word, size_t length, const char *with,
			  size_t with_length)
{
	char *from = memory_format("%zu%.*s", length, (int)length, word), *out = NULL;
	size_t size;
	FILE *stream = from ? open_memstream(&out, &size) : NULL;
	bool found = false;

	for (const char *at = mangled; stream && *at;) {
		bool digit_before = at > mangled && at[-1] >= '0' && at[-1] <= '9';

		if (begins(at, from) && !digit_before) {
			fprintf(stream, "%zu%.*s", with_length, (int)with_length, with);
			at += strlen(from);
			found = true;
		} else {
			fputc(*at++, stream);
		}
	}
	if ((stream && fclose(stream)) || !found) {
		memory_free(out);
		out = NULL;
	}
	memory_free(from);
	memory_free(mangled);
	return out;
}

char *function_name_rename(const char *linkage, const char *before, const char *after)
{
	const char *old_word, *new_word, *last = "";
	size_t old_length, new_length;
	char *name;

	if (!is_mangled(linkage))
		return memory_format("%s%s", function_name_plain(after),
				     linkage + function_name_length(linkage));
	name = memory_copy_string(linkage);
	while (name && take_word(&before, &old_word, &old_length)) {
		if (!take_word(&after, &new_word, &new_length)) {
			memory_free(name);
			return NULL;
		}
		if (strncmp(old_word, last, old_length) && /* a class's and its constructor's */
		    (old_length != new_length || memcmp(old_word, new_word, old_length)))
			name = replace_word(name, old_word, old_length, new_word, new_length);
		last = old_word;
	}
	if (name && after) {
		memory_free(name);
		return NULL;
	}
	return name;
}
