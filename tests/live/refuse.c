/* SPDX-License-Identifier: MIT */
/*
 * refuse WAY COMMAND...: run COMMAND where the kernel refuses what WAY names, by a filter of the
 * kernel's classic BPF, seccomp(2):
 *
 *	errno		perf_event_open fails with EPERM
 *	kill		perf_event_open ends the caller with SIGSYS
 *	debian		perf_event_open fails with EACCES, as Debian's paranoid=3 has it
 *	container	the default profile of containers (moby, profiles/seccomp): EPERM
 *	ptrace		ptrace fails with EPERM
 *	sigtrap		events that send SIGTRAP fail with EINVAL, as before Linux 5.13
 *	late N WAY	errno or ptrace, but N calls are let pass before
 *
 * For the last two a supervisor looks at each call (SECCOMP_RET_USER_NOTIF): a filter alone
 * cannot read the attributes, nor count.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS SECCOMP_RET_KILL
#endif

#define CLONE_NEW_ANY                                                                              \
	(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | \
	 CLONE_NEWCGROUP)

/* Without capabilities: those of the profile's calls that need none are allowed, all others are
 * not.
 */
static const int forbidden[] = {
	SYS_perf_event_open,
	SYS_bpf,
	SYS_mount,
	SYS_umount2,
	SYS_unshare,
	SYS_setns,
	SYS_add_key,
	SYS_keyctl,
	SYS_request_key,
	SYS_kexec_load,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_pivot_root,
	SYS_swapon,
	SYS_swapoff,
	SYS_reboot,
	SYS_acct,
	SYS_quotactl,
	SYS_ioperm,
	SYS_iopl,
	SYS_userfaultfd,
	SYS_move_pages,
	SYS_mbind,
	SYS_set_mempolicy,
	SYS_get_mempolicy,
	SYS_kcmp,
	SYS_syslog,
	SYS_lookup_dcookie,
	SYS_vmsplice,
	SYS_nfsservctl,
	SYS_uselib,
	SYS_ustat,
	SYS_sysfs,
	SYS_settimeofday,
	SYS_clock_settime,
	SYS_sethostname,
	SYS_setdomainname,
	SYS_vhangup,
	SYS_chroot,
	SYS_open_by_handle_at,
	SYS_fanotify_init,
	SYS_io_uring_setup,
	SYS_io_uring_enter,
	SYS_io_uring_register,
};

#define MOST 200u

static struct sock_filter code[MOST];
static unsigned short length;

static void put(struct sock_filter instruction)
{
	code[length++] = instruction;
}

static void load(size_t offset)
{
	put((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

/* System call @number gets @answer; the number is loaded. */
static void rule(int number, unsigned answer)
{
	put((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1));
	put((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, answer));
}

static void container_rules(void)
{
	for (size_t i = 0; i < sizeof(forbidden) / sizeof(forbidden[0]); i++)
		rule(forbidden[i], SECCOMP_RET_ERRNO | EPERM);
	rule(SYS_clone3, SECCOMP_RET_ERRNO | ENOSYS);
	put((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4));
	load(offsetof(struct seccomp_data, args[0]));
	put((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEW_ANY, 0, 1));
	put((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
	put((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
}

/* ---- the supervisor ------------------------------------------------------------------------ */

static bool asks_for_sigtrap(const struct seccomp_notif *call)
{
	struct perf_event_attr attr = {0};
	struct iovec to = {&attr, sizeof(attr)};
	struct iovec from = {(void *)(uintptr_t)call->data.args[0], sizeof(attr)};

	return process_vm_readv((pid_t)call->pid, &to, 1, &from, 1, 0) == sizeof(attr) &&
	       (attr.sigtrap || attr.remove_on_exec || attr.sig_data);
}

static void supervise(int listener, bool sigtrap, long let_pass)
{
	struct seccomp_notif call;
	struct seccomp_notif_resp answer;
	struct pollfd p = {.fd = listener, .events = POLLIN};

	/* the listener hangs up when no process has the filter any more */
	while (poll(&p, 1, -1) > 0 && p.revents & POLLIN) {
		bool refused;

		memset(&call, 0, sizeof(call));
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call))
			continue;
		refused = sigtrap ? asks_for_sigtrap(&call) : let_pass-- <= 0;
		memset(&answer, 0, sizeof(answer));
		answer.id = call.id;
		if (refused)
			answer.error = sigtrap ? -EINVAL : -EPERM;
		else
			answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
}

/* The listener reaches the supervisor by the socket. */
static int pass(int socket, int fd)
{
	char byte = 0, room[CMSG_SPACE(sizeof(int))] = {0};
	struct iovec data = {&byte, 1};
	struct msghdr m = {.msg_iov = &data,
			   .msg_iovlen = 1,
			   .msg_control = room,
			   .msg_controllen = sizeof(room)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	if (fd < 0) {
		if (recvmsg(socket, &m, 0) != 1 || m.msg_controllen < sizeof(*c))
			return -1;
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
		return fd;
	}
	*c = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return sendmsg(socket, &m, 0) == 1 ? 0 : -1;
}

/* The supervisor is no child of the command, which may wait for any. */
static int with_supervisor(const struct sock_fprog *program, bool sigtrap, long let_pass)
{
	int sockets[2], listener;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return -1;
	if (fork() == 0) {
		if (fork() == 0) {
			setsid();
			close(sockets[1]);
			listener = pass(sockets[0], -1);
			close(sockets[0]);
			for (int fd = 0; fd < 3; fd++)
				close(fd);
			if (listener >= 0)
				supervise(listener, sigtrap, let_pass);
		}
		_exit(0);
	}
	wait(NULL);
	close(sockets[0]);
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
				SECCOMP_FILTER_FLAG_NEW_LISTENER, program);
	if (listener < 0 || pass(sockets[1], listener))
		return -1;
	close(listener);
	close(sockets[1]);
	return 0;
}

int main(int argc, char **argv)
{
	struct sock_fprog program = {0, code};
	bool supervised = false;
	long let_pass = 0;
	const char *way;
	int rc;

	if (argc > 3 && !strcmp(argv[1], "late")) {
		supervised = true;
		let_pass = atol(argv[2]);
		argv += 2;
		argc -= 2;
	}
	if (argc < 3) {
		fprintf(stderr, "usage: refuse [late N] WAY COMMAND...\n");
		return 2;
	}
	way = argv[1];
	load(offsetof(struct seccomp_data, nr));
	if (supervised || !strcmp(way, "sigtrap"))
		rule(!strcmp(way, "ptrace") ? SYS_ptrace : SYS_perf_event_open,
		     SECCOMP_RET_USER_NOTIF);
	else if (!strcmp(way, "kill"))
		rule(SYS_perf_event_open, SECCOMP_RET_KILL_PROCESS);
	else if (!strcmp(way, "debian"))
		rule(SYS_perf_event_open, SECCOMP_RET_ERRNO | EACCES);
	else if (!strcmp(way, "ptrace"))
		rule(SYS_ptrace, SECCOMP_RET_ERRNO | EPERM);
	else if (!strcmp(way, "container"))
		container_rules();
	else
		rule(SYS_perf_event_open, SECCOMP_RET_ERRNO | EPERM);
	put((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
	program.len = length;
	rc = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (!rc)
		rc = supervised || !strcmp(way, "sigtrap")
			     ? with_supervisor(&program, !strcmp(way, "sigtrap"), let_pass)
			     : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	if (rc) {
		perror("refuse: no seccomp here");
		return 77;
	}
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
