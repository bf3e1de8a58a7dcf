/* SPDX-License-Identifier: MIT */
#include "collector/recorder/liveness.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "collector/shared/shared_bytes.h"

int liveness_hold(struct liveness *l, uint32_t *word, struct softlbr_error *e)
{
	uint32_t tid = (uint32_t)syscall(SYS_gettid);

	if (syscall(SYS_get_robust_list, 0, &l->before, &l->before_bytes)) {
		l->before = NULL; /* a filter: then there will be none */
		l->before_bytes = sizeof(l->list);
	}
	if (!shared_bytes_write(word, &tid, sizeof(tid)))
		return error_set_errno(e, NULL, "cannot hold the session");
	/* the kernel adds the offset to the entry's address, and has the word */
	l->list = (struct robust_list_head){
		.list = {&l->entry},
		.futex_offset = (long)((uintptr_t)word - (uintptr_t)&l->entry),
	};
	l->entry.next = &l->list.list;
	if (syscall(SYS_set_robust_list, &l->list, sizeof(l->list)))
		return error_set_errno(e, NULL, "cannot hold the session");
	l->tid = tid;
	return 0;
}

void liveness_end(struct liveness *l)
{
	/* of a thread that has ended, the kernel has let go */
	if (l->tid && l->tid == (uint32_t)syscall(SYS_gettid))
		syscall(SYS_set_robust_list, l->before, l->before_bytes);
	l->tid = 0;
}
