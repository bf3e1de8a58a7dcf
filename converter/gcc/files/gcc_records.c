/* SPDX-License-Identifier: MIT */
#include "converter/gcc/files/gcc_records.h"

#include "base/error.h"

/* In characters from the highest byte down: "B22*" is gcc 12.2; the last is the first letter of its
 * status, as in "B70 " of a snapshot (gcc/gcov-iov.cc). autofdo's gcov has a small number there, or
 * "*704" with its bytes the other way round. */
unsigned gcc_records_compiler(uint32_t version)
{
	unsigned first = version >> 24, second = version >> 16 & 0xff, status = version & 0xff;

	if (status < ' ' || status > '~' || second < '0' || second > '9')
		return 0;
	return first >= 'A' && first <= 'Z' ? (first - 'A') * 10 + second - '0' : 0;
}

/* As a number of this byte order, the magic is text from its highest byte down. */
static void begin(struct cursor *c, const uint8_t *data, size_t size, uint32_t magic)
{
	cursor_init(c, data, size, size && data[0] == magic >> 24);
}

bool gcc_records_is(const uint8_t *data, size_t size, uint32_t magic)
{
	struct cursor c;

	begin(&c, data, size, magic);
	return cursor_u32(&c) == magic && gcc_records_compiler(cursor_u32(&c)) && !c.failed;
}

int gcc_records_malformed(struct gcc_records *r, const char *what)
{
	return error_set_at(r->e, SOFTLBR_E_INPUT, r->name, r->in.at,
			    "%s is not a whole %s: %s at byte %zu of %zu", r->name, r->format, what,
			    r->in.at, r->in.size);
}

int gcc_records_open(struct gcc_records *r, const uint8_t *data, size_t size, uint32_t magic,
		     struct softlbr_error *e)
{
	unsigned gcc;

	r->e = e;
	begin(&r->in, data, size, magic);
	if (!gcc_records_is(data, size, magic))
		return error_set_at(e, SOFTLBR_E_INPUT, r->name, 0,
				    "%s is no %s file: it does not begin with \"%s\" and the "
				    "version of a gcc",
				    r->name, r->format, r->format + 1);
	cursor_skip(&r->in, 4);
	r->version = cursor_u32(&r->in);
	gcc = gcc_records_compiler(r->version);
	if (gcc < GCC_RECORDS_OLDEST)
		return error_set_at(e, SOFTLBR_E_INPUT, r->name, 4,
				    "%s was written by gcc %u; %s files of gcc %u and newer can be "
				    "read",
				    r->name, gcc, r->format, GCC_RECORDS_OLDEST);
	r->unit = gcc < GCC_RECORDS_BYTES ? 4 : 1;
	r->stamp = cursor_u32(&r->in);
	r->checksum = gcc < GCC_RECORDS_BYTES ? 0 : cursor_u32(&r->in);
	return r->in.failed ? gcc_records_malformed(r, "it ends") : 0;
}
