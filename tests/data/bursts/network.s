	.file	"network.c"
	.text
#APP
	.text
.globl _start
.type _start,@function
_start:
	xor %ebp,%ebp
	and $-16,%rsp
	call start
	hlt
.size _start,.-_start

#NO_APP
	.p2align 4
	.type	make, @function
make:
	movl	$nodes, %eax
	xorl	%esi, %esi
	movl	$227227, %ecx
	.p2align 4,,10
	.p2align 3
.L2:
	movl	%ecx, %edx
	addq	$16, %rax
	addl	$5, %ecx
	andl	$524287, %edx
	movl	%edx, -16(%rax)
	xorl	$370085, %edx
	movl	%edx, -12(%rax)
	movl	%esi, %edx
	subl	$1640531535, %esi
	shrl	$20, %edx
	movl	%edx, -8(%rax)
	cmpq	$nodes+8388608, %rax
	jne	.L2
	ret
	.size	make, .-make
	.p2align 4
	.type	walk, @function
walk:
	movl	%edi, %eax
	xorl	%esi, %esi
	movl	$3435973837, %r8d
	.p2align 4,,10
	.p2align 3
.L7:
	movl	%esi, %edx
	salq	$4, %rax
	imulq	%r8, %rdx
	movl	nodes+8(%rax), %r9d
	movl	nodes(%rax), %r10d
	shrq	$37, %rdx
	leal	(%rdx,%rdx,4), %ecx
	movl	%esi, %edx
	sall	$3, %ecx
	subl	%ecx, %edx
	movl	nodes+12(%rax), %ecx
	movslq	%edx, %rdx
	movl	%r9d, met(,%rdx,4)
	leal	1(%rcx), %edx
	movl	%ecx, %edi
	movl	%edx, nodes+12(%rax)
	movslq	%ecx, %rdx
	sarl	$31, %edi
	movl	nodes+4(%rax), %eax
	imulq	$1431655766, %rdx, %rdx
	shrq	$32, %rdx
	subl	%edi, %edx
	leal	(%rdx,%rdx,2), %edx
	subl	%edx, %ecx
	cmpl	$2, %ecx
	je	.L6
	cmpl	$4000, %r9d
	cmovle	%r10, %rax
.L6:
	addl	$1, %esi
	cmpl	$48, %esi
	jne	.L7
	ret
	.size	walk, .-walk
	.p2align 4
	.type	sort, @function
sort:
	movl	$1, %esi
	.p2align 4,,10
	.p2align 3
.L13:
	movl	met(,%rsi,4), %ecx
	movq	%rsi, %rax
	jmp	.L10
	.p2align 4,,10
	.p2align 3
.L12:
	movl	%edx, met(,%rax,4)
	subq	$1, %rax
	movslq	%eax, %rdx
	testl	%eax, %eax
	je	.L11
.L10:
	movl	met-4(,%rax,4), %edx
	cmpl	%ecx, %edx
	jg	.L12
	movslq	%eax, %rdx
.L11:
	addq	$1, %rsi
	movl	%ecx, met(,%rdx,4)
	cmpq	$40, %rsi
	jne	.L13
	ret
	.size	sort, .-sort
	.p2align 4
	.type	add_up, @function
add_up:
	movl	$5, %edi
	xorl	%eax, %eax
	.p2align 4,,10
	.p2align 3
.L19:
	movl	$met, %edx
	.p2align 4,,10
	.p2align 3
.L18:
	movl	(%rdx), %ecx
	movl	%eax, %esi
	xorl	%ecx, %esi
	addl	%ecx, %eax
	andl	$1, %ecx
	cmove	%esi, %eax
	addq	$4, %rdx
	cmpq	$met+160, %rdx
	jne	.L18
	subl	$1, %edi
	jne	.L19
	ret
	.size	add_up, .-add_up
	.p2align 4
	.type	run, @function
run:
	pushq	%rbp
	xorl	%ebp, %ebp
	pushq	%rbx
	movl	$3000, %ebx
	call	make
	movl	seed(%rip), %r11d
	.p2align 4,,10
	.p2align 3
.L23:
	imull	$1664525, %r11d, %r11d
	addl	$1013904223, %r11d
	movl	%r11d, %edi
	movl	%r11d, seed(%rip)
	shrl	$8, %edi
	andl	$524287, %edi
	call	walk
	movl	%eax, %r8d
	call	sort
	call	add_up
	addl	%r8d, %eax
	xorl	%eax, %ebp
	subl	$1, %ebx
	jne	.L23
	movl	%ebp, %eax
	popq	%rbx
	popq	%rbp
	ret
	.size	run, .-run
	.p2align 4
	.type	start, @function
start:
	call	run
	movl	%eax, %edi
	movl	$231, %eax
	andl	$1, %edi
#APP
# 26 "start.h" 1
	syscall
# 0 "" 2
#NO_APP
	.size	start, .-start
	.local	met
	.comm	met,160,32
	.local	nodes
	.comm	nodes,8388608,32
	.data
	.align 4
	.type	seed, @object
	.size	seed, 4
seed:
	.long	1
	.section	.note.GNU-stack,"",@progbits
