	.file	"requests.c"
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
	.type	fill, @function
fill:
	movl	seed(%rip), %ecx
	movl	$rows, %esi
	xorl	%edi, %edi
	.p2align 4,,10
	.p2align 3
.L2:
	imull	$1664525, %ecx, %ecx
	movl	%edi, 4(%rsi)
	addl	$1, %edi
	addl	$1013904223, %ecx
	movl	%ecx, %eax
	movl	%ecx, %edx
	shrl	$8, %eax
	shrl	$23, %edx
	xorl	%eax, %edx
	movl	%eax, (%rsi)
	imull	$-2048144789, %edx, %edx
	movl	%edx, %eax
	shrl	$13, %eax
	xorl	%edx, %eax
	andl	$131071, %eax
	movq	heads(,%rax,8), %rdx
	movq	%rsi, heads(,%rax,8)
	addq	$16, %rsi
	movq	%rdx, -8(%rsi)
	cmpl	$131072, %edi
	jne	.L2
	movl	%ecx, seed(%rip)
	ret
	.size	fill, .-fill
	.p2align 4
	.type	look_up, @function
look_up:
	movl	%edi, %eax
	imull	$-858993459, %edi, %edi
	xorl	%esi, %esi
	andl	$131071, %eax
	salq	$4, %rax
	cmpl	$858993459, %edi
	setbe	%sil
	addl	rows(%rax), %esi
	movl	%esi, %eax
	shrl	$15, %eax
	xorl	%esi, %eax
	imull	$-2048144789, %eax, %eax
	movl	%eax, %edx
	shrl	$13, %edx
	xorl	%edx, %eax
	andl	$131071, %eax
	movq	heads(,%rax,8), %rax
	testq	%rax, %rax
	je	.L8
	xorl	%ecx, %ecx
	jmp	.L7
	.p2align 4,,10
	.p2align 3
.L11:
	movq	8(%rax), %rax
	addl	%edx, %ecx
	testq	%rax, %rax
	je	.L10
.L7:
	movl	4(%rax), %edx
	cmpl	%esi, (%rax)
	jne	.L11
.L5:
	movl	%edx, %eax
	ret
	.p2align 4,,10
	.p2align 3
.L10:
	movl	%ecx, %edx
	movl	%edx, %eax
	ret
.L8:
	xorl	%edx, %edx
	jmp	.L5
	.size	look_up, .-look_up
	.p2align 4
	.type	checksum, @function
checksum:
	movl	%edi, %eax
	movl	$text+48, %r8d
	movl	$text, %edi
	.p2align 4,,10
	.p2align 3
.L15:
	movzbl	(%rdi), %edx
	xorl	%edx, %eax
	movl	$4, %edx
.L14:
	movl	%eax, %esi
	shrl	%eax
	movl	%eax, %ecx
	andl	$1, %esi
	xorl	$-306674912, %ecx
	testl	%esi, %esi
	cmovne	%ecx, %eax
	subl	$1, %edx
	jne	.L14
	addq	$1, %rdi
	cmpq	%rdi, %r8
	jne	.L15
	ret
	.size	checksum, .-checksum
	.p2align 4
	.type	parse, @function
parse:
	movl	%edi, %eax
	movl	$2863311531, %edx
	movl	%edi, %ecx
	imulq	%rax, %rdx
	shrq	$37, %rdx
	leal	(%rdx,%rdx,2), %edx
	sall	$4, %edx
	subl	%edx, %ecx
	movl	$2290649225, %edx
	imulq	%rdx, %rax
	shrq	$37, %rax
	imull	$60, %eax, %eax
	subl	%eax, %edi
	addl	$48, %edi
	movb	%dil, text(%rcx)
	movzbl	text(%rip), %edx
	testb	%dl, %dl
	je	.L25
	movl	$text, %ecx
	xorl	%edi, %edi
	xorl	%r8d, %r8d
	xorl	%eax, %eax
	jmp	.L24
	.p2align 4,,10
	.p2align 3
.L29:
	addl	$1, %r8d
	xorl	%edi, %edi
.L23:
	movzbl	1(%rcx), %edx
	addq	$1, %rcx
	testb	%dl, %dl
	je	.L28
.L24:
	leal	-48(%rdx), %esi
	cmpb	$9, %sil
	jbe	.L29
	cmpb	$32, %dl
	je	.L26
	testl	%edi, %edi
	jne	.L23
	movzbl	1(%rcx), %edx
	addq	$1, %rcx
	addl	$1, %eax
	movl	$1, %edi
	testb	%dl, %dl
	jne	.L24
.L28:
	sall	$6, %eax
	addl	%r8d, %eax
	ret
	.p2align 4,,10
	.p2align 3
.L26:
	xorl	%edi, %edi
	jmp	.L23
	.p2align 4,,10
	.p2align 3
.L25:
	xorl	%eax, %eax
	ret
	.size	parse, .-parse
	.p2align 4
	.type	count, @function
count:
	movl	%edi, %ecx
	movl	%edi, %eax
	andl	$15, %ecx
	movl	counters(,%rcx,4), %esi
	leal	1(%rsi), %edx
	cmpl	$1000, %edx
	jbe	.L31
	xorl	%edx, %edx
	xorl	%eax, %eax
.L31:
	movl	%edx, counters(,%rcx,4)
	ret
	.size	count, .-count
	.section	.rodata.str1.1,"aMS",@progbits,1
.LC0:
	.string	" ab 12 cdef"
	.text
	.p2align 4
	.type	run, @function
run:
	pushq	%r13
	pushq	%r12
	pushq	%rbp
	pushq	%rbx
	subq	$8, %rsp
	call	fill
	movl	$1, %edx
	movl	$3123612579, %esi
	movb	$32, text(%rip)
.L33:
	movl	%edx, %eax
	imulq	%rsi, %rax
	shrq	$35, %rax
	leal	(%rax,%rax,4), %ecx
	leal	(%rax,%rcx,2), %ecx
	movl	%edx, %eax
	addq	$1, %rdx
	subl	%ecx, %eax
	cltq
	movzbl	.LC0(%rax), %eax
	movb	%al, text-1(%rdx)
	cmpq	$48, %rdx
	jne	.L33
	movl	$look_up, %r12d
	xorl	%r13d, %r13d
	xorl	%ebp, %ebp
.L34:
	movl	$100, %ebx
	.p2align 4,,10
	.p2align 3
.L35:
	imull	$1664525, seed(%rip), %edi
	addl	$1013904223, %edi
	movl	%edi, seed(%rip)
	shrl	$8, %edi
	call	*%r12
	addl	%eax, %ebp
	subl	$1, %ebx
	jne	.L35
	movl	$40, %ebx
	.p2align 4,,10
	.p2align 3
.L36:
	imull	$1664525, seed(%rip), %eax
	addl	$1013904223, %eax
	movl	%eax, seed(%rip)
	movl	%eax, %edi
	shrl	$11, %eax
	andl	$3, %eax
	shrl	$8, %edi
	call	*handlers(,%rax,8)
	xorl	%eax, %ebp
	subl	$1, %ebx
	jne	.L36
	addl	$1, %r13d
	cmpl	$250, %r13d
	je	.L32
	movl	%r13d, %eax
	andl	$3, %eax
	movq	handlers(,%rax,8), %r12
	jmp	.L34
.L32:
	addq	$8, %rsp
	movl	%ebp, %eax
	popq	%rbx
	popq	%rbp
	popq	%r12
	popq	%r13
	ret
	.size	run, .-run
	.p2align 4
	.type	start, @function
start:
	subq	$8, %rsp
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
	.section	.rodata
	.align 32
	.type	handlers, @object
	.size	handlers, 32
handlers:
	.quad	look_up
	.quad	checksum
	.quad	parse
	.quad	count
	.local	counters
	.comm	counters,64,32
	.local	text
	.comm	text,49,32
	.local	heads
	.comm	heads,1048576,32
	.local	rows
	.comm	rows,2097152,32
	.data
	.align 4
	.type	seed, @object
	.size	seed, 4
seed:
	.long	1
	.section	.note.GNU-stack,"",@progbits
