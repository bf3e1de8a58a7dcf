/* SPDX-License-Identifier: MIT */
/* Steps that the processor ends: faults and traps, with the program's handler for them or without.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "model.h"

enum fault { READ, WRITE, UNDEFINED, DIVIDE, BREAK, BEYOND, FAULTS };

static const int signal_of[FAULTS] = {SIGSEGV, SIGSEGV, SIGILL, SIGFPE, SIGTRAP, SIGBUS};
static sigjmp_buf back;
static unsigned char *page;
static bool skips;

static void on_fault(int number, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	const unsigned char *at = info->si_addr;
	sigset_t mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	journey_say("fault %s code %d, trap %lld, address %s, mask %lx", dispositions_name(number),
		    info->si_code, (long long)u->uc_mcontext.gregs[REG_TRAPNO],
		    !at						  ? "0"
		    : at >= page && page && at < page + 8192	  ? "page"
		    : at == (void *)u->uc_mcontext.gregs[REG_RIP] ? "pc"
								  : "other",
		    dispositions_bits(&mask));
	if (number == SIGILL && skips)
		u->uc_mcontext.gregs[REG_RIP] += 2;
	else if (number != SIGTRAP)
		siglongjmp(back, number);
}

static void commit(enum fault fault)
{
	volatile int zero = 0;

	switch (fault) {
	case READ:
		page[100] += 1;
		break;
	case WRITE:
		page[4200] = 1;
		break;
	case UNDEFINED:
		__asm__ volatile("ud2");
		break;
	case DIVIDE:
		zero = 7 / zero;
		break;
	case BREAK:
		__asm__ volatile("int3");
		break;
	default:
		page[4096] = 1;
	}
}

static void map_page(enum fault fault)
{
	int fd, protection = fault == READ ? PROT_NONE : PROT_READ;

	if (fault == BEYOND) {
		fd = memfd_create("short", MFD_CLOEXEC);
		journey_result(ftruncate(fd, 100), "memfd %d", fd);
		page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		close(fd);
	} else {
		page = mmap(NULL, 8192, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	journey_say("page %s", page == MAP_FAILED ? "failed" : "mapped");
}

static void caught(struct dice *d, enum fault fault)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO}, before;
	sigset_t set, old;

	if (dice_one_in(d, 2))
		action.sa_flags |= SA_ONSTACK;
	if (dice_one_in(d, 3))
		action.sa_flags |= SA_NODEFER;
	skips = dice_one_in(d, 2);
	sigemptyset(&set);
	sigaddset(&set, signal_of[fault]);
	pthread_sigmask(SIG_UNBLOCK, &set, &old);
	sigaction(signal_of[fault], &action, &before);
	if (!sigsetjmp(back, 1))
		commit(fault);
	journey_say("after the fault");
	sigaction(signal_of[fault], &before, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Not caught, or ignored or blocked in vain. */
static void deadly(struct dice *d, enum fault fault)
{
	unsigned how = dice_below(d, 3);
	int status = -1;
	pid_t child;
	sigset_t set;

	child = fork();
	if (!child) {
		lanes_after_fork();
		signal(signal_of[fault], how == 1 ? SIG_IGN : SIG_DFL);
		sigemptyset(&set);
		sigaddset(&set, signal_of[fault]);
		pthread_sigmask(how == 2 ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
		model_work(how, 10000);
		commit(fault);
		_exit(5);
	}
	journey_result(model_wait(child, &status), "deadly %u", how);
	journey_say("status %x", (unsigned)status & 0xff7f);
}

static void fault_of(struct dice *d)
{
	enum fault fault = dice_below(d, FAULTS);

	if (fault == BREAK && model_is_without("TRAP"))
		return;
	page = NULL;
	journey_say("kind %d", (int)fault);
	if (fault == READ || fault == WRITE || fault == BEYOND)
		map_page(fault);
	if (page == MAP_FAILED)
		return;
	if (dice_one_in(d, 4))
		deadly(d, fault);
	else
		caught(d, fault);
	if (page)
		munmap(page, 8192);
}

const struct step faults_steps[] = {
	{"fault", 6, fault_of},
	{NULL, 0, NULL},
};
