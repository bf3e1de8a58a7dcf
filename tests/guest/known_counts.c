/* SPDX-License-Identifier: MIT */
/* Two threads at once in code of which each branch's count is known beforehand (qemu_edges.sh). */
#include <pthread.h>
#include <stdint.h>

void work(uint64_t turns);

__asm__(".text\n"
	".globl work, top, split, odd, even, back, bottom, out, indirect, behind, leaf, fill\n"
#ifdef __aarch64__
	"work:\n"
	"	stp	x29, x30, [sp, #-16]!\n"
	"	mov	x2, #0\n"
	"top:	add	x2, x2, #1\n"
	"split:	tbz	x2, #0, even\n"
	"odd:	nop\n"
	"even:	bl	leaf\n"
	"back:	subs	x0, x0, #1\n"
	"bottom: b.ne	top\n"
	"out:	adr	x3, leaf\n"
	"indirect: blr	x3\n"
	"behind: nop\n"
	"fill:	nop\n"
	"	ldp	x29, x30, [sp], #16\n"
	"	ret\n"
	"leaf:	ret\n");
#else
	"work:	xorl	%edx, %edx\n"
	"top:	incl	%edx\n"
	"	testl	$1, %edx\n"
	"split:	jz	even\n"
	"odd:	nop\n"
	"even:	call	leaf\n"
	"back:	decq	%rdi\n"
	"bottom: jne	top\n"
	"out:	leaq	leaf(%rip), %rax\n"
	"indirect: call	*%rax\n"
	"behind: leaq	-100(%rsp), %rdi\n"
	"	movl	$100, %ecx\n"
	"fill:	rep stosb\n"
	"	ret\n"
	"leaf:	ret\n");
#endif

static void *work_in_thread(void *turns)
{
	work(*(uint64_t *)turns);
	return NULL;
}

int main(void)
{
	uint64_t turns = 100000;
	pthread_t thread;

	pthread_create(&thread, NULL, work_in_thread, &turns);
	work(60001);
	pthread_join(thread, NULL);
	return 0;
}
