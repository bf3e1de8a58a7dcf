/* SPDX-License-Identifier: MIT */
/*
 * process_states FORM: prints the number of a process that is, and stays for a while
 *	zombie		a child that has ended
 *	headless	one whose first thread has ended, and another one runs
 *	stopped		a child that is stopped
 *	spin		itself, running
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long turns;

static void *spin(void *unused)
{
	for (;;)
		turns++;
	return unused;
}

static void tell(pid_t pid)
{
	printf("%d\n", (int)pid);
	fflush(stdout);
}

static void live_as(const char *form)
{
	pthread_t thread;

	if (!strcmp(form, "zombie"))
		_exit(0);
	if (!strcmp(form, "headless")) {
		pthread_create(&thread, NULL, spin, NULL);
		pthread_exit(NULL);
	}
	raise(SIGSTOP);
	spin(NULL);
}

int main(int argc, char **argv)
{
	const char *form = argc > 1 ? argv[1] : "spin";
	siginfo_t info;
	pid_t child;

	alarm(120);
	if (!strcmp(form, "spin")) {
		tell(getpid());
		spin(NULL);
	}
	child = fork();
	if (!child) {
		alarm(120);
		live_as(form);
	}
	if (strcmp(form, "headless"))
		waitid(P_PID, (id_t)child, &info, WEXITED | WSTOPPED | WNOWAIT);
	else
		usleep(200000);
	tell(child);
	pause();
	return 0;
}
