/* SPDX-License-Identifier: MIT */
#include "formats/perfscript_line.h"

#include <string.h>
#include <sys/mman.h>

#define WORDS_MOST 32
/* More samples than this that are all alike are damage. */
#define REPEAT_MOST 1000000000u

/* ---- words --------------------------------------------------------------------------------- */

static void skip_blanks(struct text *l)
{
	text_skip(l, " \t\r");
}

static bool take_hex(struct text *l, uint64_t *out)
{
	if (text_length(*l) > 2)
		text_take(l, "0x");
	return text_take_number(l, 16, out);
}

/* [BUILDID:]0xADDRESS, with (FILE) behind it if perf script was asked for dso too, and a slash. */
static bool take_place(struct perfscript_line *p, struct text *l, uint64_t *address)
{
	struct build_id id = {0};
	const char *end;
	size_t file;

	build_tags_take(l, &id);
	if (text_length(*l) < 3 || !text_begins(*l, "0x") || !take_hex(l, address))
		return false;
	if (id.size) {
		file = *address < BUILD_TAG_BYTES ? build_tags_add(&p->tags, &id, NULL)
						  : BUILD_TAGS_NONE;
		if (file == BUILD_TAGS_NONE)
			return false;
		*address += build_tags_begin(file);
	}
	if (!text_take(l, "("))
		return text_take(l, "/");
	end = memmem(l->at,
		     text_length(*l) < PERFSCRIPT_PATH_BYTES ? text_length(*l)
							     : PERFSCRIPT_PATH_BYTES,
		     ")/", 2);
	if (!end)
		return false;
	l->at = end + 2;
	return true;
}

/* What stands behind the places: P, M or - (predicted, mispredicted, not told), N behind it if the
 * branch was not taken, transaction and abort, cycles. */
static uint64_t read_flags(struct text l)
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
	return text_take_number(&l, 10, &cycles)
		       ? flags | (cycles & PERFDATA_CYCLES_MOST) << PERFDATA_CYCLES_SHIFT
		       : flags;
}

/* 0xFROM/0xTO/P/-/-/CYCLES, and of newer ones /TYPE/SPEC, where AMD says which were never done. */
static bool take_branch(struct perfscript_line *p, struct text *l, struct perfdata_branch *b)
{
	static const char wrong_path[] = "/SPEC_WRONG_PATH";
	struct text try = *l;
	const char *flags;

	if (!take_place(p, &try, &b->from) || !take_place(p, &try, &b->to) || try.at == try.end)
		return false;
	flags = try.at;
	while (try.at < try.end && *try.at != ' ' && *try.at != '\t')
		try.at++;
	b->flags = read_flags((struct text){flags, try.at});
	if (memmem(flags, (size_t)(try.at - flags), wrong_path, sizeof(wrong_path) - 1))
		b->flags |= (uint64_t)PERFDATA_SPEC_WRONG_PATH << PERFDATA_SPEC_SHIFT;
	*l = try;
	return true;
}

/* How many fields stand behind the two places of the branch that @l begins with? */
static unsigned count_fields(struct perfscript_line *p, struct text l)
{
	struct perfdata_branch b;
	unsigned fields = 1;

	if (!take_place(p, &l, &b.from) || !take_place(p, &l, &b.to))
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

static struct text take_word(struct text *l)
{
	struct text word;

	skip_blanks(l);
	word = (struct text){l->at, l->at};
	while (word.end < l->end && !is_blank(*word.end))
		word.end++;
	l->at = word.end;
	return word;
}

static bool ends_with(struct text word, char c)
{
	return word.end > word.at && word.end[-1] == c;
}

/* PID, or PID/TID; none of more than 32 bits. */
static bool is_process(struct text word, uint32_t *pid)
{
	uint64_t number, thread;

	if (!text_take_number(&word, 10, &number) || number > UINT32_MAX)
		return false;
	if (word.at < word.end && (!text_take(&word, "/") || !text_take_number(&word, 10, &thread)))
		return false;
	*pid = (uint32_t)number;
	return word.at == word.end;
}

/* 1234.567890: */
static bool is_time(struct text word)
{
	uint64_t number;

	return text_take_number(&word, 10, &number) && text_take(&word, ".") &&
	       text_take_number(&word, 10, &number) && text_take(&word, ":") && word.at == word.end;
}

/* [BUILDID:]ADDRESS */
static bool is_address(struct text word, uint64_t *address)
{
	struct build_id id;

	build_tags_take(&word, &id);
	return take_hex(&word, address) && word.at == word.end;
}

/* An address of a call stack: "4005d4 main+0x14 (app)". */
static bool is_frame(struct text l)
{
	uint64_t address;

	return is_address(take_word(&l), &address) && !text_find(l, " 0x");
}

/* A comment, another record, what stands before a call stack ("app 1234 5.678: 99 cycles:"), a
 * frame of one, or an indented field without an address. */
static bool is_other(struct text l, const char *begin)
{
	while (l.end > l.at && is_blank(l.end[-1]))
		l.end--;
	return *l.at == '#' || text_begins(l, "//") || text_find(l, "PERF_RECORD_") ||
	       ends_with(l, ':') || is_frame(l) || (l.at > begin && !text_find(l, "0x"));
}

/* A count is decimal digits alone, at the line's beginning; an address is indented. */
static void parse_short(struct text *l, const char *begin, struct perfscript_line *p)
{
	struct text count = {begin, l->end};
	bool indented = l->at > begin;

	if (!indented && text_take_number(&count, 10, &p->number)) {
		skip_blanks(&count);
		if (count.at == count.end) {
			p->kind = p->number <= REPEAT_MOST ? PERFSCRIPT_COUNT : PERFSCRIPT_DAMAGED;
			return;
		}
	}
	if (p->kind == PERFSCRIPT_DAMAGED && is_other(*l, begin))
		p->kind = PERFSCRIPT_OTHER;
	if (!take_hex(l, &p->number))
		return;
	skip_blanks(l);
	if (l->at == l->end)
		p->kind = PERFSCRIPT_ADDRESS;
}

/* Where does the first 0xFROM/0xTO/ of a line begin? NULL if there is none. */
static const char *find_branches(struct perfscript_line *p, struct text l)
{
	struct perfdata_branch b;

	while (l.at < l.end) {
		struct text word = take_word(&l), try = {word.at, l.end};

		if (take_branch(p, &try, &b))
			return word.at;
	}
	return NULL;
}

/* perf script prints an address right-aligned, behind a blank or two, and numbers of processes in
 * fewer places. */
#define ADDRESS_WIDTH 16

/*
 * Is the last word a process's number? There is no other number and no name of an event before it,
 * behind which it would be an address; @begin is where the field of the word before ended.
 */
static bool is_lone_process(const struct text *words, size_t count, const char *begin,
			    struct perfscript_line *p)
{
	const struct text *last = words + count - 1;

	for (size_t i = 0; i < count; i++)
		if (ends_with(words[i], ':'))
			return false;
	if (count > 1)
		begin = last[-1].end;
	return count && last->end - begin < ADDRESS_WIDTH && is_process(*last, &p->pid);
}

/* The process's number is the last number before the time, or else the first one that something
 * follows. */
static size_t find_process(const struct text *words, size_t count, size_t time,
			   struct perfscript_line *p)
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

static void set_event(struct perfscript_line *p, struct text name)
{
	p->event = name.at;
	p->event_length = (size_t)(name.end - name.at);
}

/*
 * [COMM] [PID[/TID]] [[CPU]] [TIME:] [PERIOD] [EVENT:] [ADDRESS [SYMBOL+0xOFFSET] [(FILE)]], as
 * perf script prints the fields that it was asked for. A command's name may be any words. A number
 * may be taken for what it is not: which processes there are is known by other lines.
 */
static bool take_prefix(struct text *l, const char *begin, struct perfscript_line *p)
{
	struct text rest = {l->at, find_branches(p, *l)}, words[WORDS_MOST];
	size_t count = 0, time, at;

	set_event(p, (struct text){l->at, l->at});
	if (!rest.end)
		return false;
	l->at = rest.end;
	for (struct text word; word = take_word(&rest), word.at < word.end; words[count++] = word)
		if (count == WORDS_MOST)
			return false;
	for (time = 0; time < count && !is_time(words[time]); time++)
		;
	at = find_process(words, count, time, p);
	p->has_pid |= time == count && !p->has_pid && is_lone_process(words, count, begin, p);
	if (time < count)
		at = time;
	for (size_t i = at < count ? at + 1 : 0; i < count; i++)
		if (ends_with(words[i], ':')) {
			set_event(p, (struct text){words[i].at, words[i].end - 1});
			at = i;
			break;
		}
	for (size_t i = at < count ? at + 1 : 0; i < count; i++)
		if (is_address(words[i], &p->number))
			return true;
	return !count || at < count || p->has_pid;
}

/* What perf script prints of branches if it is asked for something else. */
static enum perfscript_line_kind kind_of_other(struct text l)
{
	if (text_find(l, "branches:") && text_find(l, " => "))
		return PERFSCRIPT_TRACED;
	return text_find(l, "/P/-/-/") || text_find(l, "/M/-/-/") || text_find(l, "/-/-/-/")
		       ? PERFSCRIPT_SYMBOLS
		       : PERFSCRIPT_DAMAGED;
}

/* ---- mappings ------------------------------------------------------------------------------ */

static bool take_text(struct text *l, const char *text)
{
	skip_blanks(l);
	return text_take(l, text);
}

static bool parse_mmap(struct perfscript_line *p, struct text l)
{
	struct perfdata_mmap *m = &p->mmap;
	const char *close, *protection;
	uint64_t pid, tid;
	size_t length;

	*m = (struct perfdata_mmap){.protection = PROT_READ};
	take_text(&l, "PERF_RECORD_MMAP");
	text_take(&l, "2");
	skip_blanks(&l);
	if (text_take(&l, "-"))
		return false; /* the kernel's */
	if (!text_take_number(&l, 10, &pid) || !text_take(&l, "/") ||
	    !text_take_number(&l, 10, &tid) || !take_text(&l, ":") || !take_text(&l, "[") ||
	    !take_hex(&l, &m->start) || !text_take(&l, "(") || !take_hex(&l, &m->length) ||
	    !take_text(&l, ")") || !take_text(&l, "@"))
		return false;
	skip_blanks(&l);
	if (!take_hex(&l, &m->page_offset))
		return false;
	skip_blanks(&l);
	if (text_take(&l, "<")) /* where perf was told it */
		build_tags_take_digits(&l, &m->build_id);
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
	if (!length || length >= PERFSCRIPT_PATH_BYTES || memchr(l.at, 0, length))
		return false;
	memcpy(p->path, l.at, length);
	p->path[length] = '\0';
	m->path = p->path;
	m->pid = (uint32_t)pid;
	m->tid = (uint32_t)tid;
	return true;
}

/* ---- tasks --------------------------------------------------------------------------------- */

/* PID:TID or PID/TID */
static bool take_thread(struct text *l, uint32_t *pid, uint32_t *tid)
{
	uint64_t of_process, of_thread;

	if (!text_take_number(l, 10, &of_process) || (!text_take(l, ":") && !text_take(l, "/")) ||
	    !text_take_number(l, 10, &of_thread) || of_process > UINT32_MAX ||
	    of_thread > UINT32_MAX)
		return false;
	*pid = (uint32_t)of_process;
	*tid = (uint32_t)of_thread;
	return true;
}

/* FORK(PID:TID):(PPID:PTID), and EXIT in the same form */
static bool parse_fork(struct text l, struct perfdata_task *t)
{
	return text_take(&l, "(") && take_thread(&l, &t->pid, &t->tid) && take_text(&l, "):(") &&
	       take_thread(&l, &t->parent_pid, &t->parent_tid);
}

/* COMM: NAME:PID/TID, or COMM exec: NAME:PID/TID; the name may have colons in it */
static bool parse_comm(struct text l, struct perfdata_task *t)
{
	const char *colon = memrchr(l.at, ':', (size_t)(l.end - l.at));

	t->exec = text_length(l) > 6 && text_begins(l, " exec:");
	l.at = colon ? colon + 1 : l.end;
	return take_thread(&l, &t->pid, &t->tid);
}

/* A line of a task, from its PERF_RECORD_ on: false if it is another record's, or is damaged. */
static bool parse_task(struct perfscript_line *p, struct text l)
{
	static const struct {
		const char *name;
		uint32_t type;
	} tasks[] = {
		{"PERF_RECORD_FORK", PERF_RECORD_FORK},
		{"PERF_RECORD_EXIT", PERF_RECORD_EXIT},
		{"PERF_RECORD_COMM", PERF_RECORD_COMM},
	};

	for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++) {
		if (!take_text(&l, tasks[i].name))
			continue;
		p->task = (struct perfdata_task){.comm = ""};
		p->task_type = tasks[i].type;
		return p->task_type == PERF_RECORD_COMM ? parse_comm(l, &p->task)
							: parse_fork(l, &p->task);
	}
	return false;
}

/* ---- the line ------------------------------------------------------------------------------ */

static void parse_stack(struct perfscript_line *p, struct text l)
{
	unsigned fields = count_fields(p, l);
	struct text last = l;

	p->kind = PERFSCRIPT_STACK;
	for (p->branches = 0; p->branches < PERFSCRIPT_STACK_MOST && l.at < l.end; p->branches++) {
		last = l;
		if (!take_branch(p, &l, &p->stack[p->branches]))
			break;
		skip_blanks(&l);
	}
	if (l.at < l.end || count_fields(p, last) < fields)
		p->kind = PERFSCRIPT_DAMAGED; /* in the middle, or cut off */
}

void perfscript_line_deinit(struct perfscript_line *p)
{
	build_tags_deinit(&p->tags);
}

void perfscript_line_read(struct perfscript_line *p, struct text line)
{
	struct text l = line, try;
	const char *record;

	p->kind = PERFSCRIPT_DAMAGED;
	p->has_pid = false;
	p->number = 0;
	skip_blanks(&l);
	if (l.at == l.end) {
		p->kind = PERFSCRIPT_EMPTY;
		return;
	}
	record = text_find(l, "PERF_RECORD_");
	if (record && text_find((struct text){record, l.end}, "PERF_RECORD_MMAP")) {
		if (parse_mmap(p, (struct text){record, l.end}))
			p->kind = PERFSCRIPT_MMAP;
		else if (text_find(l, " -1/"))
			p->kind = PERFSCRIPT_KERNEL_MMAP;
		return;
	}
	if (record && parse_task(p, (struct text){record, l.end})) {
		p->kind = PERFSCRIPT_TASK;
		return;
	}
	try = l;
	if (take_prefix(&try, line.at, p)) {
		parse_stack(p, try);
		return;
	}
	p->kind = kind_of_other(l);
	p->has_pid = false;
	p->number = 0;
	parse_short(&l, line.at, p);
}
