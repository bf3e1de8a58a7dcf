/* SPDX-License-Identifier: MIT */
/* A filter of system calls (seccomp(2)): what is named here fails with EPERM. */
#include "cli/sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* Calls of the ABI x32 have this bit; AArch64 has no such numbers. */
#define NUMBERS_END 0x40000000u

static const uint16_t refused[] = {
	/* programs, and other processes */
	SYS_execve,
	SYS_execveat,
	SYS_ptrace,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_kcmp,
	SYS_pidfd_open,
	SYS_pidfd_getfd,
	SYS_pidfd_send_signal,
	SYS_kill,
	SYS_tkill,
	/* the network, and what else is behind a socket */
	SYS_socket,
	SYS_socketpair,
	SYS_connect,
	SYS_bind,
	SYS_listen,
	SYS_accept,
	SYS_accept4,
	/* who and where the process is */
	SYS_setuid,
	SYS_setgid,
	SYS_setreuid,
	SYS_setregid,
	SYS_setresuid,
	SYS_setresgid,
	SYS_setfsuid,
	SYS_setfsgid,
	SYS_setgroups,
	SYS_capset,
	SYS_unshare,
	SYS_setns,
	SYS_chroot,
	SYS_pivot_root,
	SYS_mount,
	SYS_umount2,
	SYS_move_mount,
	SYS_open_tree,
	SYS_fsopen,
	SYS_fsmount,
	SYS_mount_setattr,
	SYS_open_by_handle_at,
	SYS_mknodat,
	SYS_fchownat,
	SYS_fchown,
	SYS_setxattr,
	SYS_lsetxattr,
	SYS_fsetxattr,
	/* the kernel */
	SYS_bpf,
	SYS_perf_event_open,
	SYS_userfaultfd,
	SYS_io_uring_setup,
	SYS_keyctl,
	SYS_add_key,
	SYS_request_key,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_kexec_load,
	SYS_reboot,
	SYS_swapon,
	SYS_swapoff,
	SYS_acct,
	SYS_quotactl,
	SYS_syslog,
	SYS_settimeofday,
	SYS_clock_settime,
	SYS_adjtimex,
	SYS_sethostname,
	SYS_setdomainname,
};

#define REFUSED (sizeof(refused) / sizeof(*refused))
/* the architecture, the number, two checks, two lines for each, and the end */
#define FILTER_MOST (4 + 2 + 2 * REFUSED + 1)

#define ANSWER(with) (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, (with))
#define LOAD(member)         \
	(struct sock_filter) \
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))

void sandbox_enter(void)
{
	struct sock_filter filter[FILTER_MOST], *next = filter;
	struct sock_fprog program = {.filter = filter};

	*next++ = LOAD(arch);
	*next++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0);
	*next++ = ANSWER(SECCOMP_RET_KILL_PROCESS);
	*next++ = LOAD(nr);
	*next++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, NUMBERS_END, 0, 1);
	*next++ = ANSWER(SECCOMP_RET_ERRNO | EPERM);
	for (size_t i = 0; i < REFUSED; i++) {
		*next++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[i], 0, 1);
		*next++ = ANSWER(SECCOMP_RET_ERRNO | EPERM);
	}
	*next++ = ANSWER(SECCOMP_RET_ALLOW);
	program.len = (unsigned short)(next - filter);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
		/* A kernel, or a container, without it: files are read all the same. */
	}
}
