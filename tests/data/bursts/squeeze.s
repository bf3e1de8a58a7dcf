	.file	"squeeze.c"
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
	movl	seed(%rip), %edx
	xorl	%ecx, %ecx
	movl	$2290649225, %r9d
	movl	$2987803337, %r8d
	.p2align 4,,10
	.p2align 3
.L8:
	imull	$1664525, %edx, %edx
	addl	$1013904223, %edx
	movl	%edx, %eax
	imull	$1664525, %edx, %edx
	shrl	$8, %eax
	movl	%eax, %edi
	imulq	%r9, %rdi
	addl	$1013904223, %edx
	shrq	$36, %rdi
	imull	$30, %edi, %esi
	subl	%esi, %eax
	movl	%edx, %esi
	shrl	$8, %esi
	movl	%eax, %edi
	movl	%esi, %eax
	imulq	$91625969, %rax, %rax
	shrq	$38, %rax
	imull	$3000, %eax, %eax
	subl	%eax, %esi
	addl	$1, %esi
	cmpl	%ecx, %esi
	jg	.L2
	imull	$1664525, %edx, %edx
	addl	$1013904223, %edx
	movl	%edx, %eax
	shrl	$8, %eax
	imull	$-858993459, %eax, %eax
	cmpl	$858993459, %eax
	jbe	.L2
	movl	%ecx, %r10d
	movslq	%ecx, %r11
	leal	1(%rcx), %eax
	subl	%esi, %r10d
	cltq
	movslq	%r10d, %r10
	subq	%r11, %r10
	leal	3(%rdi,%rcx), %r11d
	.p2align 4,,10
	.p2align 3
.L6:
	movzbl	input-1(%r10,%rax), %ecx
	cmpl	%eax, %r11d
	setne	%dil
	cmpl	$219999, %eax
	setle	%sil
	movb	%cl, input-1(%rax)
	movq	%rax, %rcx
	addq	$1, %rax
	testb	%sil, %dil
	jne	.L6
	cmpl	$220000, %ecx
	jne	.L8
.L14:
	movl	%edx, seed(%rip)
	ret
	.p2align 4,,10
	.p2align 3
.L2:
	leal	1(%rcx), %esi
	leal	3(%rdi,%rcx), %r10d
	movslq	%esi, %rsi
	.p2align 4,,10
	.p2align 3
.L4:
	imull	$1664525, %edx, %edx
	addl	$1013904223, %edx
	movl	%edx, %ecx
	shrl	$8, %ecx
	movl	%ecx, %eax
	imulq	%r8, %rax
	shrq	$36, %rax
	imull	$23, %eax, %eax
	subl	%eax, %ecx
	addl	$97, %ecx
	cmpl	%esi, %r10d
	setne	%dil
	cmpl	$219999, %esi
	movb	%cl, input-1(%rsi)
	movq	%rsi, %rcx
	setle	%al
	addq	$1, %rsi
	testb	%al, %dil
	jne	.L4
	cmpl	$220000, %ecx
	jne	.L8
	jmp	.L14
	.size	make, .-make
	.p2align 4
	.type	longest, @function
longest:
	movslq	%edi, %rdi
	pushq	%rbx
	movq	%rsi, %rbx
	movl	$220000, %r8d
	movzbl	input(%rdi), %eax
	leal	2(%rdi), %ecx
	xorl	%r11d, %r11d
	subl	%edi, %r8d
	movslq	%ecx, %rcx
	xorl	%r10d, %r10d
	imull	$1089, %eax, %eax
	movzbl	input(%rcx), %ecx
	addl	%ecx, %eax
	leal	1(%rdi), %ecx
	movslq	%ecx, %rcx
	movzbl	input(%rcx), %esi
	movl	%esi, %ecx
	sall	$5, %ecx
	addl	%esi, %ecx
	addl	%ecx, %eax
	andl	$4095, %eax
	movl	last(,%rax,4), %r9d
	testl	%r9d, %r9d
	je	.L15
	.p2align 4,,10
	.p2align 3
.L16:
	movslq	%r9d, %rsi
	xorl	%eax, %eax
	leaq	input(%rsi), %rdx
	jmp	.L22
	.p2align 4,,10
	.p2align 3
.L20:
	addl	$1, %eax
	cmpl	$64, %eax
	je	.L18
	addq	$1, %rdx
	cmpl	%eax, %r8d
	je	.L19
.L22:
	movq	%rdx, %rcx
	subq	%rsi, %rcx
	movzbl	(%rcx,%rdi), %ecx
	cmpb	%cl, (%rdx)
	je	.L20
.L19:
	cmpl	%r11d, %eax
	jle	.L21
	movl	%r9d, (%rbx)
	movl	%eax, %r11d
.L21:
	movl	before(,%rsi,4), %r9d
	addl	$1, %r10d
	testl	%r9d, %r9d
	je	.L15
	cmpl	$7, %r10d
	jle	.L16
.L15:
	movl	%r11d, %eax
	popq	%rbx
	ret
	.p2align 4,,10
	.p2align 3
.L18:
	cmpl	$63, %r11d
	jg	.L21
	movl	$64, %r11d
	movl	%r9d, (%rbx)
	popq	%rbx
	movl	%r11d, %eax
	ret
	.size	longest, .-longest
	.p2align 4
	.type	to_front, @function
to_front:
	movzbl	front(%rip), %ecx
	movl	%edi, %esi
	cmpb	%dil, %cl
	je	.L38
	movl	$1, %edx
	.p2align 4,,10
	.p2align 3
.L37:
	movl	%ecx, %eax
	movzbl	front(%rdx), %ecx
	movb	%al, front(%rdx)
	movq	%rdx, %rax
	addq	$1, %rdx
	cmpb	%cl, %sil
	jne	.L37
	movb	%dil, front(%rip)
	ret
	.p2align 4,,10
	.p2align 3
.L38:
	movb	%dil, front(%rip)
	xorl	%eax, %eax
	ret
	.size	to_front, .-to_front
	.p2align 4
	.type	run, @function
run:
	pushq	%rbp
	pushq	%rbx
	subq	$24, %rsp
	movl	$0, 12(%rsp)
	call	make
	movdqa	.LC0(%rip), %xmm3
	movdqa	.LC1(%rip), %xmm9
	movl	$front, %eax
	movdqa	.LC2(%rip), %xmm8
	movdqa	.LC3(%rip), %xmm7
	movl	$front+256, %edx
	movdqa	.LC4(%rip), %xmm6
	movdqa	.LC5(%rip), %xmm5
	.p2align 4,,10
	.p2align 3
.L41:
	movdqa	%xmm3, %xmm2
	addq	$16, %rax
	paddd	%xmm9, %xmm3
	movdqa	%xmm2, %xmm4
	movdqa	%xmm2, %xmm1
	movdqa	%xmm2, %xmm0
	paddd	%xmm8, %xmm4
	punpcklwd	%xmm4, %xmm1
	punpckhwd	%xmm4, %xmm0
	movdqa	%xmm1, %xmm4
	punpcklwd	%xmm0, %xmm1
	punpckhwd	%xmm0, %xmm4
	movdqa	%xmm2, %xmm0
	paddd	%xmm6, %xmm2
	paddd	%xmm7, %xmm0
	punpcklwd	%xmm4, %xmm1
	movdqa	%xmm0, %xmm4
	punpcklwd	%xmm2, %xmm0
	pand	%xmm5, %xmm1
	punpckhwd	%xmm2, %xmm4
	movdqa	%xmm0, %xmm2
	punpckhwd	%xmm4, %xmm2
	punpcklwd	%xmm4, %xmm0
	punpcklwd	%xmm2, %xmm0
	pand	%xmm5, %xmm0
	packuswb	%xmm0, %xmm1
	movaps	%xmm1, -16(%rax)
	cmpq	%rax, %rdx
	jne	.L41
	movl	$1, %ebp
	xorl	%ebx, %ebx
	jmp	.L46
	.p2align 4,,10
	.p2align 3
.L42:
	movslq	%ebp, %r8
	addl	$1, %ebx
	movzbl	input(%r8), %edi
	call	to_front
	imull	$1089, %edi, %edi
	leal	1(%rbp), %ecx
	movl	%eax, %eax
	movslq	%ecx, %rdx
	movzbl	input(%rdx), %esi
	addl	$1, histogram(,%rax,4)
	leal	2(%rbp), %eax
	cltq
	movzbl	input(%rax), %eax
	movl	%esi, %edx
	sall	$5, %edx
	addl	%esi, %edx
	addl	%edi, %eax
	addl	%edx, %eax
	andl	$4095, %eax
	movl	last(,%rax,4), %edx
	movl	%ebp, last(,%rax,4)
	movl	%edx, before(,%r8,4)
.L55:
	movl	%ecx, %ebp
	cmpl	$219996, %ecx
	je	.L57
.L46:
	leaq	12(%rsp), %rsi
	movl	%ebp, %edi
	call	longest
	cmpl	$3, %eax
	jle	.L42
	movl	12(%rsp), %edx
	leal	0(%rbp,%rax), %r10d
	andl	$1, %edx
	leal	3(%rbx,%rdx), %ebx
	movslq	%ebp, %rdx
	movzbl	input+1(%rdx), %esi
	movzbl	input(%rdx), %r9d
	leal	1(%rbp), %edx
	movslq	%edx, %rdx
	movl	%esi, %r8d
	jmp	.L43
	.p2align 4,,10
	.p2align 3
.L58:
	cmpl	$219995, %ecx
	jg	.L55
.L43:
	movl	%esi, %eax
	movzbl	%r9b, %edi
	movl	%edx, %ecx
	movl	%r8d, %r9d
	sall	$5, %eax
	imull	$1089, %edi, %edi
	addl	%esi, %eax
	movzbl	input+1(%rdx), %esi
	addl	%esi, %eax
	movl	%esi, %r8d
	addl	%edi, %eax
	andl	$4095, %eax
	movl	last(,%rax,4), %edi
	movl	%edi, before-4(,%rdx,4)
	leal	-1(%rdx), %edi
	addq	$1, %rdx
	movl	%edi, last(,%rax,4)
	cmpl	%ecx, %r10d
	jne	.L58
	movl	%ecx, %ebp
	cmpl	$219996, %ecx
	jne	.L46
.L57:
	movl	histogram(%rip), %eax
	addq	$24, %rsp
	addl	%ebx, %eax
	popq	%rbx
	popq	%rbp
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
	.local	histogram
	.comm	histogram,1024,32
	.local	before
	.comm	before,880000,32
	.local	last
	.comm	last,16384,32
	.local	front
	.comm	front,256,32
	.local	input
	.comm	input,220008,32
	.data
	.align 4
	.type	seed, @object
	.size	seed, 4
seed:
	.long	1
	.section	.rodata.cst16,"aM",@progbits,16
	.align 16
.LC0:
	.long	0
	.long	1
	.long	2
	.long	3
	.align 16
.LC1:
	.long	16
	.long	16
	.long	16
	.long	16
	.align 16
.LC2:
	.long	4
	.long	4
	.long	4
	.long	4
	.align 16
.LC3:
	.long	8
	.long	8
	.long	8
	.long	8
	.align 16
.LC4:
	.long	12
	.long	12
	.long	12
	.long	12
	.align 16
.LC5:
	.value	255
	.value	255
	.value	255
	.value	255
	.value	255
	.value	255
	.value	255
	.value	255
	.section	.note.GNU-stack,"",@progbits
