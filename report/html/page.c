/* SPDX-License-Identifier: MIT */
#include "report/html/page.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "page_css.h"
#include "page_js.h"
#include "report/demangle.h"

#define NAME_BYTES 60

/* A page of ours is known by its first lines. Its policy keeps it from loading anything, whatever
 * names and texts are in it. */
static const char head[] = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			   "<meta name=\"generator\" content=\"softlbr\">\n";
static const char rest_of_head[] =
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	"style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
	"<link rel=\"icon\" href=\"data:,\">\n<title>";

static bool is_page(const struct file_guard_kind *kind, const uint8_t *data, size_t size)
{
	(void)kind;
	return size >= sizeof(head) - 1 && !memcmp(data, head, sizeof(head) - 1);
}

const struct file_guard_kind page_kind = {.name = "a page of softlbr", .is = is_page};

void page_begin(FILE *out, const char *title)
{
	fputs(head, out);
	fputs(rest_of_head, out);
	page_put_text(out, title);
	fputs("</title>\n<style>\n", out);
	fwrite(page_css, 1, sizeof(page_css), out);
	fputs("</style>\n</head>\n<body>\n<div class=\"top\"><header><h1>", out);
	page_put_text(out, title);
	fputs("</h1><div class=\"tools\"></div></header></div>\n<main>\n", out);
}

void page_end(FILE *out)
{
	fputs("</main>\n<script>\n", out);
	fwrite(page_js, 1, sizeof(page_js), out);
	fputs("</script>\n</body>\n</html>\n", out);
}

/* "what, and how)" as a sentence. */
static void put_note(FILE *out, const char *inside)
{
	char text[256];

	snprintf(text, sizeof(text), "%.*s.", (int)strcspn(inside, ")"), inside);
	*text = (char)toupper((unsigned char)*text);
	fputs("<p class=\"note\">", out);
	page_put_text(out, text);
	fputs("</p>\n", out);
}

void page_begin_section(FILE *out, const char *id, const char *title)
{
	fprintf(out, "<section id=\"%s\">\n<h2 id=\"%s-title\">", id, id);
	page_put_title(out, title);
	fputs("</h2>\n", out);
	if (strchr(title, '('))
		put_note(out, strchr(title, '(') + 1);
}

void page_put_title(FILE *out, const char *title)
{
	const char *end = strchr(title, '(');
	char text[256];

	snprintf(text, sizeof(text), "%.*s", (int)(end ? end - title : (ptrdiff_t)strlen(title)),
		 title);
	page_put_text(out, text);
}

void page_end_section(FILE *out)
{
	fputs("</section>\n", out);
}

/* The bytes of the character at @text, by RFC 3629; 0: it is none. */
static size_t utf8_bytes(const char *text)
{
	const unsigned char *b = (const unsigned char *)text;
	size_t count = *b < 0x80   ? 1
		       : *b < 0xc2 ? 0
		       : *b < 0xe0 ? 2
		       : *b < 0xf0 ? 3
		       : *b < 0xf5 ? 4
				   : 0;

	for (size_t i = 1; i < count; i++)
		if (b[i] >> 6 != 2)
			return 0;
	/* too long, a surrogate, or beyond the last one */
	return (*b == 0xe0 && b[1] < 0xa0) || (*b == 0xed && b[1] > 0x9f) ||
			       (*b == 0xf0 && b[1] < 0x90) || (*b == 0xf4 && b[1] > 0x8f)
		       ? 0
		       : count;
}

size_t page_put_character(FILE *out, const char *text)
{
	size_t bytes = utf8_bytes(text);

	if (bytes)
		fwrite(text, 1, bytes, out);
	else
		fputs("\xef\xbf\xbd", out);
	return bytes ? bytes : 1;
}

void page_put_text(FILE *out, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\n':
		case '\t':
			fputc(*text, out);
			break;
		default:
			if ((unsigned char)*text < ' ' || *text == 0x7f)
				fputc('?', out);
			else
				text += page_put_character(out, text) - 1;
		}
}

void page_put_name(FILE *out, const char *name, bool mangled)
{
	char *demangled = mangled ? NULL : demangle_text(name), room[NAME_BYTES + 1];
	const char *whole = demangled ? demangled : name;
	const char *shown = demangle_shorten(whole, NAME_BYTES, room);

	fputs("<span class=\"name\"", out);
	if (shown != whole) {
		fputs(" title=\"", out);
		page_put_text(out, whole);
		fputc('"', out);
	}
	fputc('>', out);
	page_put_text(out, shown);
	fputs("</span>", out);
	memory_free(demangled);
}

void page_put_count(FILE *out, uint64_t count)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, count);

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			fputc(',', out);
		fputc(digits[i], out);
	}
}
