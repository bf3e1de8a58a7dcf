/* SPDX-License-Identifier: MIT */
/* A process in a recording: it joins, is switched off and on, forks, sandboxes itself, and leaves.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/inside/handler/handler_state.h"
#include "collector/inside/life/exclusion_checks.h"
#include "collector/inside/life/process_life.h"
#include "collector/kernel/syscall.h"
#include "tests/unit/fake_kernel.h"

static char directory[64];
static struct session_control *control;

static void *make_page(const char *name, const void *begin, size_t bytes)
{
	char path[128];
	void *page;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_RDWR | O_CREAT, 0600);
	assert_true(fd >= 0 && !ftruncate(fd, SESSION_PAGE));
	assert_int_equal(pwrite(fd, begin, bytes, 0), (ssize_t)bytes);
	page = mmap(NULL, SESSION_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(page != MAP_FAILED);
	close(fd);
	return page;
}

static int begin(void **state)
{
	struct session_control c = {.magic = SESSION_MAGIC, .state = SESSION_RUN};

	fake_kernel_reset(state);
	strcpy(directory, "/tmp/softlbr-unit-XXXXXX");
	assert_non_null(mkdtemp(directory));
	c.options.depth = 64;
	c.options.period = 1000000;
	c.options.chunk_count = 64;
	session_fit_buffers(&c.options);
	control = make_page("control", &c, sizeof(c));
	return 0;
}

static int end(void **state)
{
	char command[96];

	(void)state;
	munmap(control, SESSION_PAGE);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return system(command);
}

static void join(void)
{
	assert_int_equal(process_join(directory), 0);
}

static unsigned count_open(void)
{
	unsigned n = 0;

	for (unsigned fd = 0; fd < FAKE_KERNEL_FDS; fd++)
		n += fake_kernel.open[fd];
	return n;
}

static struct process *process(void)
{
	return &handler_state.process;
}

static void it_joins_and_leaves(void **state)
{
	(void)state;
	join();
	assert_int_equal(process()->pid, fake_kernel.pid);
	assert_int_equal(process()->file.header->magic, SESSION_MAGIC);
	assert_int_equal(process()->file.header->counters[COUNTER_THREADS], 1);
	assert_ptr_equal(fake_kernel.actions[SIGTRAP].handler, trap_entry);
	assert_non_null(thread_current());
	assert_int_equal(count_open(), 1); /* no breakpoint before the first is set */
	process_leave();
	assert_int_equal(process()->pid, 0);
	assert_int_equal(count_open(), 0);
	assert_ptr_equal(fake_kernel.actions[SIGTRAP].handler, SIG_DFL);
	assert_null(altstack_current());
	join(); /* again */
	assert_int_equal(process()->file_number, 1);
	process_end();
}

/* Memory for the records of as many threads as there are, in pieces that its file has more of. */
static void its_file_grows(void **state)
{
	struct process *p = process();
	uint32_t used, first;

	(void)state;
	join();
	used = p->slots_used;
	first = p->pieces.first;
	assert_true(p->file.header->chunk_count <= first);
	p->slots_used = first;
	fake_kernel_answer(SYS_fallocate, -ENOSPC);
	process_file_fit(p);
	assert_true(p->file.header->chunk_count <= first);
	assert_null(p->pieces.more[0]);
	fake_kernel.answered[SYS_fallocate] = false;
	process_file_fit(p);
	assert_true(p->file.header->chunk_count >= 2 * first);
	assert_int_equal(p->growing, 0);
	/* it can be written to */
	memset(p->pieces.more[0], 0xff, (size_t)BUFFER_PIECE_CHUNKS * p->options.chunk_bytes);
	p->slots_used = used;
	process_end();
}

static void there_is_no_session(void **state)
{
	char path[300] = "/";

	(void)state;
	memset(path + 1, 'a', sizeof(path) - 2);
	assert_int_equal(process_join(path), -ENAMETOOLONG);
	assert_int_equal(process_join("/nowhere"), -ENOENT);
	control->state = SESSION_STOP;
	assert_int_equal(process_join(directory), -ECANCELED);
	control->state = SESSION_RUN;
	control->options.depth = 0;
	assert_int_equal(process_join(directory), -EPROTO);
	assert_int_equal(process()->pid, 0);
}

static void events_are_refused(void **state)
{
	(void)state;
	fake_kernel_answer(SYS_perf_event_open, -EACCES);
	assert_int_equal(process_join(directory), -EACCES);
	assert_int_equal(process()->pid, 0);
	assert_int_equal(process()->file.header->refused, EACCES);
	assert_int_equal(process()->file.header->counters[COUNTER_THREADS_FAILED], 1);
}

static void it_is_switched(void **state)
{
	(void)state;
	join();
	process_pause(false); /* it is on */
	assert_int_equal(count_open(), 1);
	process_pause(true);
	assert_int_equal(count_open(), 0);
	process_begin_thread(thread_take(process()));
	assert_int_equal(count_open(), 0);
	process()->switch_tid = 12345;
	process_pause(false);
	assert_ptr_equal(fake_kernel.actions[SIGTRAP].handler, trap_entry);
	assert_true(count_open() >= 1); /* the real process's thread */
	process_end();
	assert_int_equal(count_open(), 0);
}

/* It opens nothing, which would cost more than many children do: its file comes with its first
 * sample, and its counts are in its parent's until then. */
static void it_forks(void **state)
{
	const struct process_header *parents;
	unsigned number, opened;

	(void)state;
	join();
	parents = process()->file.header;
	number = process()->file_number;
	opened = fake_kernel.calls[SYS_openat];
	fake_kernel.pid = 200;
	process_after_fork();
	assert_int_equal(fake_kernel.calls[SYS_openat], opened);
	assert_int_equal(process()->pid, 200);
	assert_int_equal(parents->counters[COUNTER_FORKS], 1);
	assert_ptr_equal(process()->file.header, parents);
	assert_true(process_file_own(process()));
	assert_true(process_file_own(process()));
	assert_int_equal(fake_kernel.calls[SYS_openat] - opened, 1);
	assert_int_equal(process()->file.header->pid, 200);
	assert_int_equal(process()->file.header->counters[COUNTER_FORKS_SAMPLED], 1);
	assert_int_equal(parents->pid, 100); /* still there, for threads that count in it */
	assert_int_equal(process()->file_number, number);
	assert_int_equal(altstack_current()->tid, 200);
	assert_int_equal(thread_current()->tid, 200);
	control->state = SESSION_STOP;
	fake_kernel.pid = 201;
	process_after_fork();
	assert_int_equal(process()->pid, 0);
	process_after_fork();
}

/* No file can be made: samples are lost, the process goes on, and tries again. */
static void a_child_gets_no_file(void **state)
{
	const struct process_header *parents;

	(void)state;
	join();
	parents = process()->file.header;
	fake_kernel.pid = 200;
	process_after_fork();
	fake_kernel.limits[RLIMIT_FSIZE] = (struct rlimit){0, 0};
	assert_false(process_file_own(process()));
	assert_ptr_equal(process()->file.header, parents);
	fake_kernel.limits[RLIMIT_FSIZE] = (struct rlimit){RLIM_INFINITY, RLIM_INFINITY};
	process()->growing = 1; /* by another thread */
	assert_false(process_file_own(process()));
	process()->growing = 0;
	assert_true(process_file_own(process()));
	fake_kernel.pid = 201;
	process_after_fork();
	assert_null(process()->lender);
	process_end();
}

static void it_wants_its_breakpoints(void **state)
{
	(void)state;
	assert_false(process_give_up_breakpoints());
	join();
	process()->switch_tid =
		(uint32_t)getpid(); /* the real thread is none of the fake process */
	assert_true(process_give_up_breakpoints());
	assert_int_equal(count_open(), 0);
	assert_false(process_give_up_breakpoints());
	process_end();
}

static void it_wants_a_number(void **state)
{
	int fd;

	(void)state;
	join();
	assert_true(thread_set_breakpoint(thread_current(), 0x1000, HW_BREAKPOINT_X, 0));
	fd = thread_current()->break_fd;
	process_move_descriptor(fd);
	assert_true(thread_current()->break_fd != fd);
	fd = thread_current()->sampler.fd;
	process_move_descriptor(fd);
	assert_true(thread_current()->sampler.fd != fd);
	assert_false(descriptors_contain(fd));
	process_end();
}

static void thread_sets_breakpoints(void **state)
{
	struct thread *t;

	(void)state;
	join();
	t = thread_current();
	assert_true(thread_set_breakpoint(t, 0x1000, HW_BREAKPOINT_X, 0));
	t->drive.armed = true;
	assert_int_equal(t->break_attr.bp_addr, 0x1000);
	thread_note_signal_current(0x1000);
	thread_clear_breakpoint(t);
	assert_false(t->drive.armed);
	thread_clear_breakpoint(t);
	assert_true(thread_is_slot(process(), t));
	assert_false(thread_is_slot(process(), (char *)t + 8));
	assert_int_equal(thread_interval_ns(t), 1000000);
	thread_end_current(process());
	assert_null(thread_current());
	assert_int_equal(count_open(), 0);
	process_end();
}

/* ---- sandboxing ---------------------------------------------------------------------------- */

static void call(long number, uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t arguments[6] = {a, b, c};

	sandboxing_before(number, arguments);
	sandboxing_after(number, arguments);
}

static bool is_left(enum exclusion reason)
{
	return process()->excluded & 1u << reason;
}

/* It leaves for good: no event, no descriptor, no memory but what late signals look at. */
static void it_sandboxes_itself(void **state)
{
	const struct exclusions *r;

	(void)state;
	join();
	r = &process()->file.header->exclusions;
	call(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, 0);
	call(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, 0);
	call(SYS_prctl, PR_SET_NAME, 1, 0);
	assert_false(process_is_excluded(process()));
	call(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, 1);
	assert_true(is_left(EXCLUSION_SECCOMP));
	assert_int_equal(r->programs[0].reason, EXCLUSION_SECCOMP);
	assert_true(exec_guard_here.filtered);
	assert_int_equal(process_exclusion(process()), EXCLUSION_SECCOMP);
	assert_int_equal(process()->pid, 0);
	assert_int_equal(count_open(), 0);
	assert_false(process()->made);
	assert_null(process()->cache.slots);
	assert_int_equal(process()->file.bytes, SESSION_PAGE);
	assert_null(thread_take(process()));
	call(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0); /* one more reason, without a system call */
	assert_true(is_left(EXCLUSION_CLOCK));
}

static void one_of_many_reasons(void **state)
{
	struct {
		long number;
		uint64_t a, b, c;
		enum exclusion reason;
	} calls[] = {
		{SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, 0, EXCLUSION_SECCOMP},
		{SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, 8, EXCLUSION_SECCOMP},
		{SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, EXCLUSION_CLOCK},
		{SYS_prctl, 59 /* PR_SET_SYSCALL_USER_DISPATCH */, 1, 0, EXCLUSION_DISPATCH},
		{SYS_ptrace, PTRACE_TRACEME, 0, 0, EXCLUSION_TRACED},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		process()->excluded = 0;
		join();
		call(calls[i].number, calls[i].a, calls[i].b, calls[i].c);
		assert_true(is_left(calls[i].reason));
		assert_int_equal(process()->pid, 0);
	}
}

static void limits_that_leave_no_room(void **state)
{
	struct rlimit much = {RLIM_INFINITY, RLIM_INFINITY}, little = {1u << 20, RLIM_INFINITY};

	(void)state;
	join();
	call(SYS_prlimit64, 0, RLIMIT_AS, (uintptr_t)&much);
	call(SYS_prlimit64, 0, RLIMIT_NOFILE, (uintptr_t)&little);
	call(SYS_prlimit64, 77, RLIMIT_AS, (uintptr_t)&little); /* another process's */
	call(SYS_prlimit64, 0, RLIMIT_AS, 0);
	call(SYS_prlimit64, 0, RLIMIT_AS, 8); /* EFAULT */
	call(SYS_mlockall, MCL_CURRENT, 0, 0);
	assert_false(process_is_excluded(process()));
	call(SYS_prlimit64, 0, RLIMIT_DATA, (uintptr_t)&little);
	assert_true(is_left(EXCLUSION_MEMORY));
	assert_true(process()->made); /* addresses stay: the limit may be of what was there */
}

static void locked_memory(void **state)
{
	(void)state;
	join();
	fake_kernel.limits[RLIMIT_MEMLOCK] = (struct rlimit){65536, 65536};
	fake_kernel_answer(SYS_munlock, 0);
	call(SYS_mlockall, 0, 0, 0);
	assert_false(process_is_excluded(process()));
	fake_kernel_answer(SYS_mmap, -EAGAIN);
	call(SYS_mlockall, MCL_FUTURE, 0, 0);
	fake_kernel.answered[SYS_mmap] = false;
	assert_true(is_left(EXCLUSION_LOCKED));
	assert_int_equal(fake_kernel.calls[SYS_munlock], 1);
}

static void watchpoints(void **state)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_BREAKPOINT, .bp_type = HW_BREAKPOINT_X};

	(void)state;
	join();
	call(SYS_perf_event_open, (uintptr_t)&attr, 0, 0);
	assert_false(process_is_excluded(process()));
	attr.bp_type = HW_BREAKPOINT_RW;
	call(SYS_perf_event_open, (uintptr_t)&attr, 0, 0);
	assert_true(is_left(EXCLUSION_WATCHED));
}

/* The child of a fork by a bare system call has a copy, in which nobody has told us. */
static void a_fork_that_nobody_told_of(void **state)
{
	(void)state;
	join();
	fake_kernel.pid = 300;
	sandboxing_begin(EXCLUSION_CLOCK);
	assert_true(process()->pid == 0 || !process_is_excluded(process()));
	fake_kernel.pid = 100;
	process_end();
}

/* Another process is silenced before this one traces it. */
static void it_traces_another(void **state)
{
	struct process_header h = {.magic = SESSION_MAGIC}, *other;

	(void)state;
	join();
	fake_kernel.status = "Tgid:\t555\n";
	other = make_page("555.0", &h, sizeof(h));
	call(SYS_ptrace, PTRACE_ATTACH, 555, 0);
	assert_int_equal(other->traced, 1);
	assert_false(process_is_excluded(process()));
	munmap(other, SESSION_PAGE);
	process_end();
}

/* Waits until it is told. */
static void live_as_a_child(int tell)
{
	process()->pid = (uint32_t)getpid();
	if (write(tell, "", 1) != 1)
		_exit(2);
	for (unsigned i = 0; i < 5000 && !process_is_traced(process()); i++)
		usleep(1000);
	_exit(!process_is_traced(process()));
}

/* One that has no file yet is found by its parent's, which goes on. */
static void it_traces_a_fork(void **state)
{
	char text[64], byte;
	int ends[2], status;
	pid_t child;

	(void)state;
	join();
	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child)
		live_as_a_child(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 1);
	snprintf(text, sizeof(text), "Tgid:\t%d\nPPid:\t%u\n", (int)child, fake_kernel.pid);
	fake_kernel.status = text;
	call(SYS_ptrace, PTRACE_ATTACH, (uint64_t)child, 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_false(process_is_traced(process()));
	close(ends[0]);
	close(ends[1]);
	process_end();
}

/* ---- before it begins ---------------------------------------------------------------------- */

static void entry(void **state)
{
	struct task_status status = {0};
	struct exclusions none = {0}, *excluded = make_page(SESSION_EXCLUDED, &none, sizeof(none));

	(void)state;
	assert_int_equal(entry_check(directory, &status), EXCLUSION_NONE);
	status.tracer = 1;
	assert_int_equal(entry_check(directory, &status), EXCLUSION_TRACED);
	status.filters = 1;
	assert_int_equal(entry_check(directory, &status), EXCLUSION_SECCOMP);
	control->options.filters = 1;
	assert_int_equal(entry_check(directory, &status), EXCLUSION_TRACED);
	assert_int_equal(entry_check("/nowhere", &status), EXCLUSION_TRACED);
	entry_check_note("/nowhere", EXCLUSION_GO);
	entry_check_note(directory, EXCLUSION_GO);
	assert_int_equal(excluded->programs[0].reason, EXCLUSION_GO);
	assert_false(entry_check_is_go((const void *)(uintptr_t)entry));
	assert_false(entry_check_is_go((const void *)(uintptr_t)printf));
	assert_false(entry_check_is_go(&status));
	munmap(excluded, SESSION_PAGE);
}

static void no_thread_has_a_signal_under_way(void **state)
{
	(void)state;
	fake_thread.tid = (uint32_t)getpid();
	assert_true(quiescence_wait(0));
	fake_thread.tid = 0; /* so that the real thread is another */
	fake_kernel.status = "State:\tS (sleeping)\nSigPnd:\t0000000000000000\n";
	assert_true(quiescence_wait(0));
	fake_kernel.status = "State:\tS (sleeping)\nSigPnd:\t0000000000000010\n";
	assert_false(quiescence_wait(0));
	assert_true(quiescence_wait(4000000)); /* there is none */
}

static enum exclusion ask_with(const char *path, bool search, const char *preload)
{
	struct exec_guard g = {.library = "/bin/sh"};
	char *const environment[] = {"HOME=/", (char *)preload, NULL};
	struct exec_target t = {
		.directory = AT_FDCWD, .path = path, .search = search, .environment = environment};
	struct exec_answer a;

	snprintf(g.control, sizeof(g.control), "%s/control", directory);
	exec_guard_ask(&g, &t, &a);
	return a.reason;
}

static enum exclusion ask(const char *path, bool search)
{
	return ask_with(path, search, "LD_PRELOAD=libother.so:/bin/sh");
}

static void what_is_executed(void **state)
{
	struct exec_guard g = {.filtered = 1};
	struct exec_target t = {.directory = AT_FDCWD, .path = "/bin/sh"};
	struct exec_answer a;
	char path[128];
	int fd;

	(void)state;
	assert_int_equal(ask("/bin/sh", false), EXCLUSION_NONE);
	assert_int_equal(ask("sh", true), EXCLUSION_NONE);
	assert_int_equal(ask_with("/bin/sh", false, NULL), EXCLUSION_ENVIRONMENT);
	assert_int_equal(ask_with("sh", true, "LD_PRELOAD=libother.so"), EXCLUSION_ENVIRONMENT);
	assert_int_equal(ask_with("no-such-program", true, NULL), EXCLUSION_NONE);
	assert_int_equal(ask("no-such-program", true), EXCLUSION_NONE);
	assert_int_equal(ask("/no/such/program", false), EXCLUSION_NONE);
	snprintf(path, sizeof(path), "%s/script", directory);
	fd = open(path, O_WRONLY | O_CREAT, 0755);
	assert_int_equal(write(fd, "#!/bin/sh\n", 10), 10);
	close(fd);
	assert_int_equal(ask(path, false), EXCLUSION_NONE);
	fake_kernel.status = "TracerPid:\t1\n";
	assert_int_equal(ask("/bin/sh", false), EXCLUSION_TRACED);
	fake_kernel.status = "Seccomp_filters:\t1\n";
	assert_int_equal(ask("/bin/sh", false), EXCLUSION_SECCOMP);
	fake_kernel_answer(SYS_geteuid, 12345);
	assert_int_equal(ask("/bin/sh", false), EXCLUSION_USER);
	exec_guard_ask(&g, &t, &a);
	assert_int_equal(a.reason, EXCLUSION_SECCOMP);
	t.path = NULL;
	exec_guard_ask(&g, &t, &a);
	assert_int_equal(a.reason, EXCLUSION_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(it_joins_and_leaves, begin, end),
		cmocka_unit_test_setup_teardown(its_file_grows, begin, end),
		cmocka_unit_test_setup_teardown(there_is_no_session, begin, end),
		cmocka_unit_test_setup_teardown(events_are_refused, begin, end),
		cmocka_unit_test_setup_teardown(it_is_switched, begin, end),
		cmocka_unit_test_setup_teardown(it_forks, begin, end),
		cmocka_unit_test_setup_teardown(a_child_gets_no_file, begin, end),
		cmocka_unit_test_setup_teardown(it_wants_its_breakpoints, begin, end),
		cmocka_unit_test_setup_teardown(it_wants_a_number, begin, end),
		cmocka_unit_test_setup_teardown(thread_sets_breakpoints, begin, end),
		cmocka_unit_test_setup_teardown(it_sandboxes_itself, begin, end),
		cmocka_unit_test_setup_teardown(one_of_many_reasons, begin, end),
		cmocka_unit_test_setup_teardown(limits_that_leave_no_room, begin, end),
		cmocka_unit_test_setup_teardown(locked_memory, begin, end),
		cmocka_unit_test_setup_teardown(watchpoints, begin, end),
		cmocka_unit_test_setup_teardown(a_fork_that_nobody_told_of, begin, end),
		cmocka_unit_test_setup_teardown(it_traces_another, begin, end),
		cmocka_unit_test_setup_teardown(it_traces_a_fork, begin, end),
		cmocka_unit_test_setup_teardown(entry, begin, end),
		cmocka_unit_test_setup_teardown(no_thread_has_a_signal_under_way, begin, end),
		cmocka_unit_test_setup_teardown(what_is_executed, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
