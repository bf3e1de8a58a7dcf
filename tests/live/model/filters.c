/* SPDX-License-Identifier: MIT */
/* Steps with system call filters, which a child puts on itself: an allow-list with what its own
 * calls need, and an answer to the others. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model.h"

static const int allowed[] = {SYS_write,      SYS_read,		SYS_exit,
			      SYS_exit_group, SYS_rt_sigreturn, SYS_getpid};
#define ALLOWED (sizeof(allowed) / sizeof(allowed[0]))

static int install(uint32_t action, unsigned how)
{
	struct sock_filter code[2 * ALLOWED + 2];
	struct sock_fprog program = {.filter = code};
	unsigned n = 0;

	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 offsetof(struct seccomp_data, nr));
	for (unsigned i = 0; i < ALLOWED; i++) {
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							 (uint32_t)allowed[i], 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
	program.len = (unsigned short)n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	if (how)
		return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void on_violation(int number, siginfo_t *info, void *context)
{
	(void)context;
	journey_say("caught %s code %d call %d", dispositions_name(number), info->si_code,
		    info->si_syscall);
}

static _Noreturn void sandboxed(uint32_t action, unsigned how, unsigned work)
{
	struct sigaction catch = {.sa_sigaction = on_violation, .sa_flags = SA_SIGINFO};
	uint64_t sum = 1;
	int rc;

	sigaction(SIGSYS, &catch, NULL);
	if (how == 2)
		rc = prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	else
		rc = install(action, how);
	journey_result(rc, "filter by %u", how);
	for (unsigned i = 0; i < 8; i++)
		sum = model_work(sum, work);
	journey_say("worked: %lx", sum);
	/* 10000 is what TRAP's answer leaves in the register */
	errno = 0;
	if (how != 2) {
		rc = (int)syscall(SYS_getppid);
		journey_say("forbidden call: %s", action == SECCOMP_RET_TRAP ? "trapped"
						  : rc < 0 ? strerrorname_np(errno)
							   : "done");
	}
	sum = model_work(sum, work);
	journey_say("at the end: %lx", sum);
	for (;;)
		syscall(SYS_exit, (int)(sum & 63));
}

static void filter(struct dice *d)
{
	static const uint32_t actions[] = {SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_ERRNO | ENOSYS,
					   SECCOMP_RET_TRAP, SECCOMP_RET_KILL_PROCESS};
	unsigned which = dice_below(d, 4), how = dice_below(d, 3);
	unsigned work = 2000 + dice_below(d, 30000);
	int status = -1;
	pid_t child = fork();

	if (!child) {
		lanes_after_fork();
		journey_depth++;
		sandboxed(actions[which], how, work);
	}
	journey_result(model_wait(child, &status), "filter %u", which);
	journey_say("status %x", (unsigned)status & 0xff7f);
}

const struct step filters_steps[] = {
	{"filter", 3, filter},
	{NULL, 0, NULL},
};
