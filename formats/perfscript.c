/* SPDX-License-Identifier: MIT */
#include "formats/perfscript.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/vector.h"
#include "formats/text_number.h"

#define STACK_MOST  2048
#define PATH_BYTES  4096
#define LINES_TRIED 64
#define WORDS_MOST  32
/* More samples than this that are all alike are damage. */
#define REPEAT_MOST 1000000000u
/* Of so many lines of branches one may be damaged. */
#define DAMAGED_ONE_IN 100u

struct line {
	const char *at, *end;
};

struct perfscript {
	const char *text, *end;
	const char *name;
	struct perfdata_info info;
	VECTOR(struct perfdata_event) events;
	struct perfscript_stats stats;
	uint32_t pid;	 /* of the first MMAP2 line */
	struct map pids; /* of all of them */
	struct perfdata_branch stack[STACK_MOST];
	char path[PATH_BYTES];
};

/* ---- lines --------------------------------------------------------------------------------- */

static bool next_line(const struct perfscript *s, const char **at, struct line *l)
{
	const char *newline;

	if (*at >= s->end)
		return false;
	newline = memchr(*at, '\n', (size_t)(s->end - *at));
	l->at = *at;
	l->end = newline ? newline : s->end;
	*at = l->end + 1;
	return true;
}

static void skip_blanks(struct line *l)
{
	while (l->at < l->end && (*l->at == ' ' || *l->at == '\t' || *l->at == '\r'))
		l->at++;
}

static bool take_char(struct line *l, char c)
{
	if (l->at == l->end || *l->at != c)
		return false;
	l->at++;
	return true;
}

static bool take_number(struct line *l, unsigned base, uint64_t *out)
{
	return text_number_read(&l->at, l->end, base, out);
}

static bool take_hex(struct line *l, uint64_t *out)
{
	if (l->end - l->at > 2 && l->at[0] == '0' && l->at[1] == 'x')
		l->at += 2;
	return take_number(l, 16, out);
}

/* 0xADDRESS, with (FILE) behind it if perf script was asked for dso too, and a slash. */
static bool take_place(struct line *l, uint64_t *address)
{
	const char *end;

	if (l->end - l->at < 3 || l->at[0] != '0' || l->at[1] != 'x' || !take_hex(l, address))
		return false;
	if (!take_char(l, '('))
		return take_char(l, '/');
	end = memmem(l->at, l->end - l->at < PATH_BYTES ? (size_t)(l->end - l->at) : PATH_BYTES,
		     ")/", 2);
	if (!end)
		return false;
	l->at = end + 2;
	return true;
}

/* What stands behind the places: P, M or - (predicted, mispredicted, not told), N behind it if the
 * branch was not taken, transaction and abort, cycles. */
static uint64_t read_flags(struct line l)
{
	uint64_t cycles, flags = 0;

	if (l.at < l.end && *l.at == 'M')
		flags = PERFDATA_BRANCH_MISPREDICTED;
	else if (l.at < l.end && *l.at == 'P')
		flags = PERFDATA_BRANCH_PREDICTED;
	if (l.end - l.at > 1 && l.at[1] == 'N')
		flags |= PERFDATA_BRANCH_NOT_TAKEN;
	for (unsigned field = 0; field < 3; l.at++) {
		if (l.at == l.end)
			return flags;
		field += *l.at == '/';
	}
	return take_number(&l, 10, &cycles)
		       ? flags | (cycles & PERFDATA_CYCLES_MOST) << PERFDATA_CYCLES_SHIFT
		       : flags;
}

/* 0xFROM/0xTO/P/-/-/CYCLES, and of newer ones /TYPE/SPEC, where AMD says which were never done. */
static bool take_branch(struct line *l, struct perfdata_branch *b)
{
	static const char wrong_path[] = "/SPEC_WRONG_PATH";
	struct line try = *l;
	const char *flags;

	if (!take_place(&try, &b->from) || !take_place(&try, &b->to) || try.at == try.end)
		return false;
	flags = try.at;
	while (try.at < try.end && *try.at != ' ' && *try.at != '\t')
		try.at++;
	b->flags = read_flags((struct line){flags, try.at});
	if (memmem(flags, (size_t)(try.at - flags), wrong_path, sizeof(wrong_path) - 1))
		b->flags |= (uint64_t)PERFDATA_SPEC_WRONG_PATH << PERFDATA_SPEC_SHIFT;
	*l = try;
	return true;
}

/* How many fields stand behind the two places of the branch that @l begins with? */
static unsigned count_fields(struct line l)
{
	struct perfdata_branch b;
	unsigned fields = 1;

	if (!take_place(&l, &b.from) || !take_place(&l, &b.to))
		return 0;
	for (; l.at < l.end && *l.at != ' ' && *l.at != '\t'; l.at++)
		fields += *l.at == '/';
	return fields;
}

/* ---- what comes before a sample's branches ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct line take_word(struct line *l)
{
	struct line word;

	skip_blanks(l);
	word = (struct line){l->at, l->at};
	while (word.end < l->end && !is_blank(*word.end))
		word.end++;
	l->at = word.end;
	return word;
}

static bool ends_with(struct line word, char c)
{
	return word.end > word.at && word.end[-1] == c;
}

/* PID, or PID/TID; none of more than 32 bits. */
static bool is_process(struct line word, uint32_t *pid)
{
	uint64_t number, thread;

	if (!take_number(&word, 10, &number) || number > UINT32_MAX)
		return false;
	if (word.at < word.end && (!take_char(&word, '/') || !take_number(&word, 10, &thread)))
		return false;
	*pid = (uint32_t)number;
	return word.at == word.end;
}

/* 1234.567890: */
static bool is_time(struct line word)
{
	uint64_t number;

	return take_number(&word, 10, &number) && take_char(&word, '.') &&
	       take_number(&word, 10, &number) && take_char(&word, ':') && word.at == word.end;
}

static bool is_address(struct line word, uint64_t *address)
{
	return take_hex(&word, address) && word.at == word.end;
}

enum line_kind {
	LINE_EMPTY,
	LINE_MMAP,
	LINE_COUNT,
	LINE_ADDRESS,
	LINE_STACK,
	LINE_OTHER,   /* which perf script prints as well */
	LINE_SYMBOLS, /* branches between symbols (-F brstacksym): known, not read */
	LINE_TRACED,  /* a branch of a hardware trace: known, not read */
	LINE_DAMAGED
};

struct parsed {
	enum line_kind kind;
	struct line event;
	bool has_pid;
	uint32_t pid;
	uint64_t number; /* of a count line; of a sample its address */
	size_t branches;
	struct line rest; /* of a mapping */
};

static bool holds(struct line l, const char *text)
{
	return memmem(l.at, (size_t)(l.end - l.at), text, strlen(text));
}

/* An address of a call stack: "4005d4 main+0x14 (app)". */
static bool is_frame(struct line l)
{
	uint64_t address;

	return is_address(take_word(&l), &address) && !holds(l, " 0x");
}

/* A comment, another record, what stands before a call stack ("app 1234 5.678: 99 cycles:"), a
 * frame of one, or an indented field without an address. */
static bool is_other(struct line l, const char *begin)
{
	while (l.end > l.at && is_blank(l.end[-1]))
		l.end--;
	return *l.at == '#' || (l.end - l.at > 1 && !memcmp(l.at, "//", 2)) ||
	       holds(l, "PERF_RECORD_") || ends_with(l, ':') || is_frame(l) ||
	       (l.at > begin && !holds(l, "0x"));
}

/* A count is decimal digits alone, at the line's beginning; an address is indented. */
static void parse_short(struct line *l, const char *begin, struct parsed *p)
{
	struct line count = {begin, l->end};
	bool indented = l->at > begin;

	if (!indented && take_number(&count, 10, &p->number)) {
		skip_blanks(&count);
		if (count.at == count.end) {
			p->kind = p->number <= REPEAT_MOST ? LINE_COUNT : LINE_DAMAGED;
			return;
		}
	}
	if (p->kind == LINE_DAMAGED && is_other(*l, begin))
		p->kind = LINE_OTHER;
	if (!take_hex(l, &p->number))
		return;
	skip_blanks(l);
	if (l->at == l->end)
		p->kind = LINE_ADDRESS;
}

/* Where does the first 0xFROM/0xTO/ of a line begin? NULL if there is none. */
static const char *find_branches(struct line l)
{
	struct perfdata_branch b;

	while (l.at < l.end) {
		struct line word = take_word(&l), try = {word.at, l.end};

		if (take_branch(&try, &b))
			return word.at;
	}
	return NULL;
}

/* The process's number is the last number before the time, or else the first one that something
 * follows. */
static size_t find_process(const struct line *words, size_t count, size_t time, struct parsed *p)
{
	size_t at = count;
	uint32_t pid;

	for (size_t i = 0; i < count && (time < count ? i < time : i + 1 < count && at == count);
	     i++)
		if (is_process(words[i], &pid)) {
			p->pid = pid;
			p->has_pid = true;
			at = i;
		}
	return at;
}

/*
 * [COMM] [PID[/TID]] [[CPU]] [TIME:] [PERIOD] [EVENT:] [ADDRESS [SYMBOL+0xOFFSET] [(FILE)]], as
 * perf script prints the fields that it was asked for. A command's name may be any words. A number
 * may be taken for what it is not: processes without a map are therefore none.
 */
static bool take_prefix(struct line *l, struct parsed *p)
{
	struct line rest = {l->at, find_branches(*l)}, words[WORDS_MOST];
	size_t count = 0, time, at;

	p->event = (struct line){l->at, l->at};
	if (!rest.end)
		return false;
	l->at = rest.end;
	for (struct line word; word = take_word(&rest), word.at < word.end; words[count++] = word)
		if (count == WORDS_MOST)
			return false;
	for (time = 0; time < count && !is_time(words[time]); time++)
		;
	at = find_process(words, count, time, p);
	if (time < count)
		at = time;
	for (size_t i = at < count ? at + 1 : 0; i < count; i++)
		if (ends_with(words[i], ':')) {
			p->event = (struct line){words[i].at, words[i].end - 1};
			at = i;
			break;
		}
	for (size_t i = at < count ? at + 1 : 0; i < count; i++)
		if (is_address(words[i], &p->number))
			return true;
	return !count || at < count;
}

/* What perf script prints of branches if it is asked for something else. */
static enum line_kind kind_of_other(struct line l)
{
	if (holds(l, "branches:") && holds(l, " => "))
		return LINE_TRACED;
	return holds(l, "/P/-/-/") || holds(l, "/M/-/-/") || holds(l, "/-/-/-/") ? LINE_SYMBOLS
										 : LINE_DAMAGED;
}

static void parse_line(struct perfscript *s, struct line l, struct parsed *p)
{
	const char *begin = l.at, *mmap;
	struct line try, last;
	unsigned fields;

	*p = (struct parsed){.kind = LINE_DAMAGED};
	skip_blanks(&l);
	if (l.at == l.end) {
		p->kind = LINE_EMPTY;
		return;
	}
	mmap = memmem(l.at, (size_t)(l.end - l.at), "PERF_RECORD_MMAP", 16);
	if (mmap) {
		p->kind = LINE_MMAP;
		p->rest = (struct line){mmap, l.end};
		return;
	}
	try = l;
	if (!take_prefix(&try, p)) {
		*p = (struct parsed){.kind = kind_of_other(l)};
		parse_short(&l, begin, p);
		return;
	}
	fields = count_fields(try);
	last = try;
	p->kind = LINE_STACK;
	for (p->branches = 0; p->branches < STACK_MOST && try.at < try.end; p->branches++) {
		last = try;
		if (!take_branch(&try, &s->stack[p->branches]))
			break;
		skip_blanks(&try);
	}
	if (try.at < try.end || count_fields(last) < fields)
		p->kind = LINE_DAMAGED; /* in the middle, or cut off */
}

/* ---- mappings ------------------------------------------------------------------------------ */

static bool take_text(struct line *l, const char *text)
{
	size_t n = strlen(text);

	skip_blanks(l);
	if ((size_t)(l->end - l->at) < n || memcmp(l->at, text, n))
		return false;
	l->at += n;
	return true;
}

/* <BUILD-ID> behind the offset, where perf was told them */
static void take_build_id(struct line l, struct build_id *id)
{
	skip_blanks(&l);
	if (!take_char(&l, '<'))
		return;
	while (id->size < sizeof(id->bytes) && l.end - l.at >= 2 &&
	       text_number_digit(l.at[0]) < 16 && text_number_digit(l.at[1]) < 16) {
		id->bytes[id->size++] = (uint8_t)(text_number_digit(l.at[0]) << 4 |
						  text_number_digit(l.at[1]));
		l.at += 2;
	}
}

static bool parse_mmap(struct perfscript *s, struct line l, struct perfdata_mmap *m)
{
	const char *close, *protection;
	uint64_t pid, tid;
	size_t length;

	*m = (struct perfdata_mmap){.protection = PROT_READ};
	take_text(&l, "PERF_RECORD_MMAP");
	take_char(&l, '2');
	skip_blanks(&l);
	if (take_char(&l, '-'))
		return false; /* the kernel's */
	if (!take_number(&l, 10, &pid) || !take_char(&l, '/') || !take_number(&l, 10, &tid) ||
	    !take_text(&l, ":") || !take_text(&l, "[") || !take_hex(&l, &m->start) ||
	    !take_char(&l, '(') || !take_hex(&l, &m->length) || !take_text(&l, ")") ||
	    !take_text(&l, "@"))
		return false;
	skip_blanks(&l);
	if (!take_hex(&l, &m->page_offset))
		return false;
	take_build_id(l, &m->build_id);
	close = memchr(l.at, ']', (size_t)(l.end - l.at));
	if (!close)
		return false;
	l.at = close + 1;
	if (!take_text(&l, ":"))
		return false;
	skip_blanks(&l);
	protection = l.at;
	while (l.at < l.end && *l.at != ' ')
		l.at++;
	if (memchr(protection, 'x', (size_t)(l.at - protection)))
		m->protection |= PROT_EXEC;
	skip_blanks(&l);
	while (l.end > l.at && (l.end[-1] == ' ' || l.end[-1] == '\r'))
		l.end--;
	length = (size_t)(l.end - l.at);
	if (!length || length >= PATH_BYTES || memchr(l.at, 0, length))
		return false;
	memcpy(s->path, l.at, length);
	s->path[length] = '\0';
	m->path = s->path;
	m->pid = (uint32_t)pid;
	m->tid = (uint32_t)tid;
	return true;
}

/* ---- events -------------------------------------------------------------------------------- */

static struct perfdata_event *event_named(struct perfscript *s, struct line name)
{
	size_t length = (size_t)(name.end - name.at);
	struct perfdata_event *event;

	if (length >= sizeof(event->name))
		length = sizeof(event->name) - 1;
	length = strnlen(name.at, length); /* a name ends at a NUL, in the table too */
	vector_each (&s->events, event)
		if (strlen(event->name) == length && !memcmp(event->name, name.at, length))
			return event;
	event = vector_push(&s->events);
	if (!event)
		return NULL;
	memcpy(event->name, name.at, length);
	event->attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_BRANCH_STACK;
	event->attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	return event;
}

#define PRINT_SO "`perf script -F ip,brstack --show-mmap-events`"

/* What it holds instead of branch stacks. */
static int no_stacks(const struct perfscript *s, enum line_kind instead, struct softlbr_error *e)
{
	if (instead == LINE_TRACED)
		return error_set(e, SOFTLBR_E_INPUT, s->name,
				 "%s holds the single branches of a hardware trace (Intel PT), not "
				 "stacks; print these with `perf script --itrace=i100usle -F "
				 "ip,brstack --show-mmap-events`, or give the perf.data that `perf "
				 "inject -i perf.data -o branches.data --itrace=i100usle --strip` "
				 "makes",
				 s->name);
	if (instead == LINE_SYMBOLS)
		return error_set(
			e, SOFTLBR_E_INPUT, s->name,
			"%s has symbols in place of the branches' addresses (-F brstacksym); "
			"print it with " PRINT_SO,
			s->name);
	return error_set(e, SOFTLBR_E_INPUT, s->name,
			 "%s holds no line of branches; make it with " PRINT_SO, s->name);
}

/* A last line without a line feed is cut off, though it may look whole: it is left out, unless it
 * is blank. */
static void find_end(struct perfscript *s)
{
	while (s->end > s->text && s->end[-1] != '\n')
		s->stats.cut |= !is_blank(*--s->end);
}

/* What readers are told after all that is whole. */
static int check_damage(const struct perfscript *s, struct softlbr_error *e)
{
	const struct perfscript_stats *t = &s->stats;

	if (t->cut)
		return error_set_at(
			e, SOFTLBR_E_INPUT, s->name, (uint64_t)(s->end - s->text),
			"%s is cut off: there is no line feed at its end, after line "
			"%" PRIu64
			"; print or copy it again, or take the rest with convert --force",
			s->name, t->lines);
	if (t->lines_damaged * DAMAGED_ONE_IN <= t->lines_damaged + t->samples)
		return 0;
	return error_set_at(
		e, SOFTLBR_E_INPUT, s->name, t->first_damaged,
		"%s: %" PRIu64 " lines of %" PRIu64 " are damaged, first line %" PRIu64
		", more than 1 %%; print or copy it again, or take the rest with convert --force",
		s->name, t->lines_damaged, t->lines_damaged + t->samples, t->first_damaged);
}

static int note_mapping(struct perfscript *s, uint32_t pid, struct softlbr_error *e)
{
	if (!s->stats.has_maps)
		s->pid = pid;
	s->stats.has_maps = true;
	return map_at(&s->pids, pid, 0) ? 0 : error_set_nomem(e);
}

static void note_damage(struct perfscript *s)
{
	if (!s->stats.lines_damaged++)
		s->stats.first_damaged = s->stats.lines;
}

/* The first walk: events, damage, and whether there is anything at all. */
static int survey(struct perfscript *s, struct softlbr_error *e)
{
	enum line_kind instead = LINE_OTHER;
	const char *at = s->text;
	struct perfdata_mmap m;
	struct parsed p;
	struct line l;
	int rc = 0;

	while (!rc && next_line(s, &at, &l)) {
		s->stats.lines++;
		parse_line(s, l, &p);
		if ((p.kind == LINE_SYMBOLS || p.kind == LINE_TRACED) && instead == LINE_OTHER)
			instead = p.kind;
		if (p.kind == LINE_MMAP && parse_mmap(s, p.rest, &m)) {
			rc = note_mapping(s, m.pid, e);
		} else if (p.kind == LINE_STACK) {
			s->stats.samples++;
			rc = event_named(s, p.event) ? 0 : error_set_nomem(e);
		} else if (p.kind == LINE_DAMAGED ||
			   (p.kind == LINE_MMAP && !holds(p.rest, " -1/"))) { /* the kernel's */
			note_damage(s);
		}
	}
	if (!rc && !s->stats.samples)
		rc = s->stats.cut ? check_damage(s, e) : no_stacks(s, instead, e);
	return rc;
}

/* ---- the calls ----------------------------------------------------------------------------- */

bool perfscript_is(const uint8_t *data, size_t size)
{
	struct perfscript *s = memory_alloc(sizeof(*s));
	const char *at = (const char *)data;
	bool found = false;
	struct parsed p;
	struct line l;

	if (!s)
		return false;
	s->end = at + size;
	for (unsigned i = 0; !found && i < LINES_TRIED && next_line(s, &at, &l); i++) {
		parse_line(s, l, &p);
		found = p.kind == LINE_MMAP || p.kind == LINE_STACK || p.kind == LINE_SYMBOLS ||
			p.kind == LINE_TRACED;
	}
	memory_free(s);
	return found;
}

struct perfscript *perfscript_open(const uint8_t *data, size_t size, const char *name,
				   struct softlbr_error *e)
{
	struct perfscript *s = memory_alloc(sizeof(*s));

	if (!s) {
		error_set_nomem(e);
		return NULL;
	}
	s->text = (const char *)data;
	s->end = s->text + size;
	s->name = name;
	find_end(s);
	if (survey(s, e)) {
		perfscript_close(s);
		return NULL;
	}
	s->info = (struct perfdata_info){
		.events = s->events.items,
		.event_count = s->events.count,
		.truncated_at = check_damage(s, NULL) ? (uint64_t)(s->end - s->text) : UINT64_MAX};
	return s;
}

void perfscript_close(struct perfscript *s)
{
	if (!s)
		return;
	vector_deinit(&s->events);
	map_deinit(&s->pids);
	memory_free(s);
}

const struct perfdata_info *perfscript_info(const struct perfscript *s)
{
	return &s->info;
}

const struct perfscript_stats *perfscript_stats(const struct perfscript *s)
{
	return &s->stats;
}

static int deliver_sample(struct perfscript *s, const struct parsed *p, uint64_t offset,
			  uint64_t times, perfdata_handler *handler, void *context,
			  struct softlbr_error *e)
{
	struct perfdata_record r = {
		.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER, .offset = offset};
	uint32_t pid = p->has_pid && map_find(&s->pids, p->pid, 0) ? p->pid : s->pid;

	r.sample = (struct perfdata_sample){.pid = pid,
					    .tid = pid,
					    .ip = p->number,
					    .period = 1,
					    .repeats = times - 1,
					    .has_branches = true,
					    .branches = s->stack,
					    .branch_count = p->branches};
	r.sample.event = (unsigned)(event_named(s, p->event) - s->events.items);
	return times ? handler(context, &s->info, &r, e) : 0;
}

int perfscript_each(struct perfscript *s, perfdata_handler *handler, void *context,
		    struct softlbr_error *e)
{
	const char *at = s->text;
	uint64_t times = 1;
	struct parsed p;
	struct line l;
	int rc = 0;

	while (!rc && next_line(s, &at, &l)) {
		struct perfdata_record r = {.type = PERF_RECORD_MMAP2,
					    .misc = PERF_RECORD_MISC_USER,
					    .offset = (uint64_t)(l.at - s->text)};

		parse_line(s, l, &p);
		if (p.kind == LINE_MMAP && parse_mmap(s, p.rest, &r.mmap)) {
			rc = handler(context, &s->info, &r, e);
		} else if (p.kind == LINE_COUNT) {
			times = p.number;
		} else if (p.kind == LINE_STACK) {
			rc = deliver_sample(s, &p, r.offset, times, handler, context, e);
			times = 1;
		} else if (p.kind == LINE_DAMAGED) {
			times = 1; /* which were the damaged one's */
		}
	}
	return rc ? rc : check_damage(s, e);
}
