/* SPDX-License-Identifier: MIT */
/* Eight threads that make and end others without pause, until the program is killed. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "busy.h"

static void *body(void *unused)
{
	work(1, 1000);
	return unused;
}

static void *make_threads(void *unused)
{
	pthread_t thread;

	while (!pthread_create(&thread, NULL, body, NULL))
		pthread_join(thread, NULL);
	return unused;
}

int main(void)
{
	pthread_t thread;

	alarm(60);
	for (int i = 0; i < 8; i++)
		pthread_create(&thread, NULL, make_threads, NULL);
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
