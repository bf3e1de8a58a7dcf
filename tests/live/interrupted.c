/* SPDX-License-Identifier: MIT */
/*
 * interrupted TURNS [whole]: the system calls that may fail with EINTR (signal(7)), each so that it
 * has to wait: for a time-out, or for another thread that does what it waits for a moment later. No
 * signal is sent but ignored ones. Prints how often each returned what it should; what this machine
 * does not have is left out, and with "whole" what can be done in part.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAIT_US	    400
#define LARGE	    300000
#define ERROR(code) (-1000L - (code))

static const struct timespec wait_time = {.tv_nsec = WAIT_US * 1000};
static const struct timeval wait_timeval = {.tv_usec = WAIT_US};
static int pair[2], ends[2], epoll, events, timer, notify, message, semaphore, locked, other;
static int listener, full;
static struct sockaddr_un address, full_address;
static pid_t tid;
static int word;
static mqd_t queue;
static aio_context_t aio;
static char large[LARGE];
static char bytes[64];

static long got(long rc)
{
	return rc < 0 ? ERROR(errno) : rc;
}

/* ---- with a time-out ----------------------------------------------------------------------- */

static long call_epoll_wait(void)
{
	struct epoll_event event;

	return got(epoll_wait(epoll, &event, 1, 1));
}

static long call_epoll_pwait(void)
{
	struct epoll_event event;
	sigset_t none;

	sigemptyset(&none);
	return got(epoll_pwait(epoll, &event, 1, 1, &none));
}

static long call_poll(void)
{
	return got(poll(NULL, 0, 1));
}

static long call_ppoll(void)
{
	/* its time-out can't be written, so the kernel can't begin it again */
	return got(syscall(SYS_ppoll, NULL, 0, &wait_time, NULL, 8));
}

static long call_select(void)
{
	struct timeval time = wait_timeval;

	return got(select(0, NULL, NULL, NULL, &time));
}

static long call_pselect(void)
{
	return got(syscall(SYS_pselect6, 0, NULL, NULL, NULL, &wait_time, NULL));
}

static long call_nanosleep(void)
{
	return got(nanosleep(&wait_time, NULL));
}

static long call_clock_nanosleep(void)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += WAIT_US * 1000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

static long call_recv(void)
{
	return got(recv(pair[0], bytes, 1, 0));
}

static long call_read_socket(void)
{
	return got(read(pair[0], bytes, 1));
}

static long call_recvmsg(void)
{
	struct iovec part = {bytes, 1};
	struct msghdr head = {.msg_iov = &part, .msg_iovlen = 1};

	return got(recvmsg(pair[0], &head, 0));
}

static long call_recvmmsg(void)
{
	struct iovec part = {bytes, 1};
	struct mmsghdr head = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};

	return got(recvmmsg(pair[0], &head, 1, 0, NULL));
}

static long call_send(void)
{
	return got(send(full, large, 1, 0));
}

static long call_sendmsg(void)
{
	struct iovec part = {large, 1};
	struct msghdr head = {.msg_iov = &part, .msg_iovlen = 1};

	return got(sendmsg(full, &head, 0));
}

static long call_write_socket(void)
{
	return got(write(full, large, 1));
}

static long call_accept(void)
{
	return got(accept(listener, NULL, NULL));
}

/* its listener accepts nothing, and has no room */
static long call_connect(void)
{
	int file = socket(AF_UNIX, SOCK_STREAM, 0);
	long rc;

	setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &wait_timeval, sizeof(wait_timeval));
	rc = got(connect(file, (const struct sockaddr *)&full_address, sizeof(full_address)));
	close(file);
	return rc;
}

static long call_sigtimedwait(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 3);
	/* by number: a program that takes it from libc could see the tracer's signals, and is
	 * interrupted instead */
	return got((long)syscall(SYS_rt_sigtimedwait, &set, NULL, &wait_time, 8));
}

static long call_semtimedop(void)
{
	struct sembuf take = {0, -1, 0};

	return got(semtimedop(semaphore, &take, 1, &wait_time));
}

static long call_futex(void)
{
	return got(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &wait_time, NULL, 0));
}

static long call_io_getevents(void)
{
	struct io_event event;

	return got(syscall(SYS_io_getevents, aio, 1, 1, &event, &wait_time));
}

static long call_mq_timedreceive(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += until.tv_nsec > 998000000;
	until.tv_nsec = (until.tv_nsec + 1000000) % 1000000000;
	return got(mq_timedreceive(queue, bytes, sizeof(bytes), NULL, &until));
}

static long call_read_timer(void)
{
	struct itimerspec once = {.it_value = wait_time};

	timerfd_settime(timer, 0, &once, NULL);
	return got(read(timer, bytes, 8));
}

static long call_waitpid(void)
{
	pid_t child = fork();
	int status;

	if (!child) {
		usleep(WAIT_US);
		_exit(0);
	}
	return got(waitpid(child, &status, 0)) == child;
}

static long call_getrandom(void)
{
	return got(getrandom(large, sizeof(large), 0));
}

static void *end_at_once(void *unused)
{
	return unused;
}

/* Libc blocks all signals while it makes a thread, which the tracer is told of. */
static long call_getrandom_after_threads(void)
{
	pthread_t thread;

	for (unsigned i = 0; i < 8; i++)
		if (!pthread_create(&thread, NULL, end_at_once, NULL))
			pthread_join(thread, NULL);
	return call_getrandom();
}

/* ---- with another thread that comes to help ------------------------------------------------- */

static long call_read_pipe(void)
{
	return got(read(ends[0], bytes, 1));
}

static void help_pipe(void)
{
	if (write(ends[1], "a", 1) != 1)
		abort();
}

static long call_recv_all(void)
{
	return got(recv(other, bytes, 2, MSG_WAITALL));
}

static void help_recv_all(void)
{
	send(locked, "a", 1, 0);
	usleep(WAIT_US);
	send(locked, "b", 1, 0);
}

/* more than a pipe holds */
static long call_write_pipe(void)
{
	return got(write(ends[1], large, sizeof(large)));
}

static void help_write_pipe(void)
{
	static char drain[LARGE];
	size_t left = sizeof(large);

	while (left) {
		ssize_t n = read(ends[0], drain, left < 20000 ? left : 20000);

		left -= (size_t)(n > 0 ? n : 0);
	}
}

static long call_read_events(void)
{
	return got(read(events, bytes, 8));
}

static void help_events(void)
{
	eventfd_write(events, 1);
}

static long call_read_notify(void)
{
	char buffer[4096];

	return got(read(notify, buffer, sizeof(buffer))) > 0;
}

static void help_notify(void)
{
	close(open("noted", O_WRONLY | O_CREAT | O_TRUNC, 0600));
	unlink("noted");
}

static long call_msgrcv(void)
{
	struct {
		long type;
		char text[8];
	} m;

	return got(msgrcv(message, &m, sizeof(m.text), 0, 0));
}

static void help_msgrcv(void)
{
	struct {
		long type;
		char text[8];
	} m = {.type = 1};

	msgsnd(message, &m, 1, 0);
}

static long call_semop(void)
{
	struct sembuf take = {0, -1, 0};

	return got(semop(semaphore, &take, 1));
}

static void help_semop(void)
{
	struct sembuf give = {0, 1, 0};

	semop(semaphore, &give, 1);
}

static long call_mq_receive(void)
{
	return got(mq_receive(queue, bytes, sizeof(bytes), NULL));
}

static void help_mq_receive(void)
{
	mq_send(queue, "a", 1, 0);
}

static long call_accept_one(void)
{
	int file = accept(listener, NULL, NULL);

	close(file);
	return file >= 0;
}

static void help_accept(void)
{
	int file = socket(AF_UNIX, SOCK_STREAM, 0);

	connect(file, (const struct sockaddr *)&address, sizeof(address));
	close(file);
}

static long call_open_fifo(void)
{
	int file = open("fifo", O_RDONLY);

	close(file);
	return file >= 0;
}

static void help_open_fifo(void)
{
	close(open("fifo", O_WRONLY));
}

static long call_flock(void)
{
	int file = open("lock", O_RDWR | O_CREAT, 0600);
	long rc = got(flock(file, LOCK_EX));

	close(file);
	return rc;
}

static void help_flock(void)
{
	flock(locked, LOCK_UN);
}

static long call_futex_wake(void)
{
	long rc = got(syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0));

	return rc == ERROR(EAGAIN) ? 0 : rc; /* the helper was there first */
}

static void help_futex(void)
{
	__atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Only a tracee's calls are woken by these. */
static void help_ignored(void)
{
	syscall(SYS_tgkill, getpid(), tid, SIGCHLD);
	syscall(SYS_tgkill, getpid(), tid, SIGUSR2);
	kill(getpid(), SIGWINCH);
}

/* ---- what they need ------------------------------------------------------------------------ */

static int open_listener(struct sockaddr_un *at, const char *name, int room)
{
	int file = socket(AF_UNIX, SOCK_STREAM, 0);

	at->sun_family = AF_UNIX;
	snprintf(at->sun_path, sizeof(at->sun_path), "%s", name);
	unlink(name);
	if (bind(file, (const struct sockaddr *)at, sizeof(*at)) || listen(file, room))
		exit(3);
	return file;
}

static void fill(int file)
{
	while (send(file, large, sizeof(large), MSG_DONTWAIT) > 0)
		;
	while (send(file, large, 1, MSG_DONTWAIT) > 0)
		;
}

static void limit_time(int file)
{
	setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &wait_timeval, sizeof(wait_timeval));
	setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &wait_timeval, sizeof(wait_timeval));
}

static void set_up_sockets(void)
{
	int two[2];

	socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
	limit_time(pair[0]);
	socketpair(AF_UNIX, SOCK_STREAM, 0, two);
	full = two[0];
	limit_time(full);
	fill(full);
	open_listener(&full_address, "full", 0);
	two[0] = socket(AF_UNIX, SOCK_STREAM, 0);
	connect(two[0], (const struct sockaddr *)&full_address, sizeof(full_address));
	listener = open_listener(&address, "listener", 8);
}

static void set_up(void)
{
	struct mq_attr attr = {.mq_maxmsg = 4, .mq_msgsize = sizeof(bytes)};
	char name[64];

	tid = (pid_t)syscall(SYS_gettid);
	signal(SIGUSR2, SIG_IGN);
	set_up_sockets();
	epoll = epoll_create1(0);
	events = eventfd(0, 0);
	timer = timerfd_create(CLOCK_MONOTONIC, 0);
	notify = inotify_init1(0);
	inotify_add_watch(notify, ".", IN_CLOSE_WRITE);
	if (pipe(ends) || (mkfifo("fifo", 0600) && errno != EEXIST))
		exit(3);
	message = msgget(IPC_PRIVATE, 0600);
	semaphore = semget(IPC_PRIVATE, 1, 0600);
	snprintf(name, sizeof(name), "/softlbr-interrupted-%d", (int)getpid());
	queue = mq_open(name, O_RDWR | O_CREAT, 0600, &attr);
	mq_unlink(name);
	syscall(SYS_io_setup, 8, &aio);
}

static void prepare_accept(void)
{
	limit_time(listener);
}

static void prepare_accept_one(void)
{
	struct timeval none = {0};

	setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &none, sizeof(none));
}

static void prepare_recv_all(void)
{
	int two[2];

	socketpair(AF_UNIX, SOCK_STREAM, 0, two);
	other = two[0];
	locked = two[1];
}

static void prepare_flock(void)
{
	locked = open("lock", O_RDWR | O_CREAT, 0600);
}

static void each_flock(void)
{
	flock(locked, LOCK_EX);
}

static void each_futex(void)
{
	word = 0;
}

static bool has_messages(void)
{
	return message >= 0;
}

static bool has_semaphores(void)
{
	return semaphore >= 0;
}

static bool has_queues(void)
{
	return queue >= 0;
}

static bool has_aio(void)
{
	return aio != 0;
}

struct row {
	const char *name;
	long expected;
	long (*call)(void);
	void (*help)(void);
	void (*prepare)(void); /* once */
	void (*each)(void);    /* before each call */
	bool (*is_there)(void);
	bool parts; /* may be done in part */
};

static const struct row rows[] = {
	{"epoll_wait", 0, call_epoll_wait, NULL, NULL, NULL, NULL, false},
	{"epoll_pwait", 0, call_epoll_pwait, NULL, NULL, NULL, NULL, false},
	{"poll", 0, call_poll, NULL, NULL, NULL, NULL, false},
	{"ppoll", 0, call_ppoll, NULL, NULL, NULL, NULL, false},
	{"select", 0, call_select, NULL, NULL, NULL, NULL, false},
	{"pselect", 0, call_pselect, NULL, NULL, NULL, NULL, false},
	{"nanosleep", 0, call_nanosleep, NULL, NULL, NULL, NULL, false},
	{"clock_nanosleep", 0, call_clock_nanosleep, NULL, NULL, NULL, NULL, false},
	{"recv", ERROR(EAGAIN), call_recv, NULL, NULL, NULL, NULL, false},
	{"read, of a socket", ERROR(EAGAIN), call_read_socket, NULL, NULL, NULL, NULL, false},
	{"recvmsg", ERROR(EAGAIN), call_recvmsg, NULL, NULL, NULL, NULL, false},
	{"recvmmsg", ERROR(EAGAIN), call_recvmmsg, NULL, NULL, NULL, NULL, false},
	{"send", ERROR(EAGAIN), call_send, NULL, NULL, NULL, NULL, false},
	{"sendmsg", ERROR(EAGAIN), call_sendmsg, NULL, NULL, NULL, NULL, false},
	{"write, of a socket", ERROR(EAGAIN), call_write_socket, NULL, NULL, NULL, NULL, false},
	{"accept", ERROR(EAGAIN), call_accept, NULL, prepare_accept, NULL, NULL, false},
	{"connect", ERROR(EAGAIN), call_connect, NULL, NULL, NULL, NULL, false},
	{"sigtimedwait", ERROR(EAGAIN), call_sigtimedwait, NULL, NULL, NULL, NULL, false},
	{"semtimedop", ERROR(EAGAIN), call_semtimedop, NULL, NULL, NULL, has_semaphores, false},
	{"futex", ERROR(ETIMEDOUT), call_futex, NULL, each_futex, NULL, NULL, false},
	{"io_getevents", 0, call_io_getevents, NULL, NULL, NULL, has_aio, false},
	{"mq_timedreceive", ERROR(ETIMEDOUT), call_mq_timedreceive, NULL, NULL, NULL, has_queues,
	 false},
	{"read, of a timer", 8, call_read_timer, NULL, NULL, NULL, NULL, false},
	{"waitpid", 1, call_waitpid, NULL, NULL, NULL, NULL, false},
	{"getrandom", LARGE, call_getrandom, NULL, NULL, NULL, NULL, true},
	{"getrandom, after threads", LARGE, call_getrandom_after_threads, NULL, NULL, NULL, NULL,
	 true},
	{"read, of a pipe", 1, call_read_pipe, help_pipe, NULL, NULL, NULL, false},
	{"recv, of two parts", 2, call_recv_all, help_recv_all, prepare_recv_all, NULL, NULL, true},
	{"write, of a pipe", LARGE, call_write_pipe, help_write_pipe, NULL, NULL, NULL, true},
	{"read, of an eventfd", 8, call_read_events, help_events, NULL, NULL, NULL, false},
	{"read, of inotify", 1, call_read_notify, help_notify, NULL, NULL, NULL, false},
	{"msgrcv", 1, call_msgrcv, help_msgrcv, NULL, NULL, has_messages, false},
	{"semop", 0, call_semop, help_semop, NULL, NULL, has_semaphores, false},
	{"mq_receive", 1, call_mq_receive, help_mq_receive, NULL, NULL, has_queues, false},
	{"accept, of one", 1, call_accept_one, help_accept, prepare_accept_one, NULL, NULL, false},
	{"open, of a FIFO", 1, call_open_fifo, help_open_fifo, NULL, NULL, NULL, false},
	{"flock", 0, call_flock, help_flock, prepare_flock, each_flock, NULL, false},
	{"futex, woken", 0, call_futex_wake, help_futex, NULL, each_futex, NULL, false},
	{"epoll_wait, ignored signals", 0, call_epoll_wait, help_ignored, NULL, NULL, NULL, false},
	{"recv, ignored signals", ERROR(EAGAIN), call_recv, help_ignored, NULL, NULL, NULL, false},
};

/* ---- the table is run ---------------------------------------------------------------------- */

static const struct row *_Atomic asked; /* to help with this one */
static sem_t begin, done;

static void *helper(void *unused)
{
	for (;;) {
		while (sem_wait(&begin))
			;
		usleep(WAIT_US / 4);
		asked->help();
		sem_post(&done);
	}
	return unused;
}

static uint64_t burn(unsigned turns)
{
	volatile uint64_t x = 1;

	for (unsigned i = 0; i < turns; i++)
		x = x * 6364136223846793005u + i;
	return x;
}

#ifdef LOOKS /* for pending signals, as the recorder can tell by what is imported */
static void look(void)
{
	sigset_t set;

	sigpending(&set);
}
#else
static void look(void)
{
}
#endif

static void run(const struct row *r, unsigned turns)
{
	unsigned right = 0;
	long wrong = 0;

	if (r->prepare)
		r->prepare();
	for (unsigned i = 0; i < turns; i++) {
		long rc;

		if (r->each)
			r->each();
		if (r->help) {
			asked = r;
			sem_post(&begin);
		}
		burn(20000 + 500 * (i % 16)); /* to be sampled, and at once in the call */
		rc = r->call();
		if (rc == r->expected)
			right++;
		else
			wrong = rc;
		while (r->help && sem_wait(&done))
			;
	}
	printf("%s: %u of %u", r->name, right, turns);
	if (wrong <= ERROR(0))
		printf(", %s", strerror((int)(ERROR(0) - wrong)));
	else if (wrong)
		printf(", %ld", wrong);
	putchar('\n');
}

int main(int argc, char **argv)
{
	unsigned turns = argc > 1 ? (unsigned)atoi(argv[1]) : 30;
	bool whole = argc > 2;
	pthread_t thread;

	sem_init(&begin, 0, 0);
	sem_init(&done, 0, 0);
	look();
	set_up();
	pthread_create(&thread, NULL, helper, NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if ((!rows[i].is_there || rows[i].is_there()) && !(whole && rows[i].parts))
			run(&rows[i], turns);
	msgctl(message, IPC_RMID, NULL);
	semctl(semaphore, 0, IPC_RMID);
	return 0;
}
