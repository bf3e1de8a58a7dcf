	.file	"steps.c"
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
	.type	trap, @function
trap:
	movl	%edi, %eax
	addl	$1, traps(%rip)
	andl	$4095, %eax
	ret
	.size	trap, .-trap
	.p2align 4
	.type	interpret.constprop.0, @function
interpret.constprop.0:
	xorl	%edx, %edx
	xorl	%ecx, %ecx
	xorl	%eax, %eax
	xorl	%r8d, %r8d
	movl	$program, %esi
	.p2align 4,,10
	.p2align 3
.L23:
	movl	registers(,%rax,4), %eax
	movl	registers(,%rcx,4), %ecx
	cmpb	$12, %dl
	ja	.L4
	jmp	*.L6(,%rdx,8)
	.section	.rodata
	.align 8
	.align 4
.L6:
	.quad	.L18
	.quad	.L17
	.quad	.L16
	.quad	.L15
	.quad	.L14
	.quad	.L13
	.quad	.L12
	.quad	.L11
	.quad	.L10
	.quad	.L9
	.quad	.L8
	.quad	.L7
	.quad	.L5
	.text
	.p2align 4,,10
	.p2align 3
.L7:
	xorl	%edx, %edx
	movzbl	1(%rsi), %ecx
	divl	4(%rsi)
	movl	%edx, registers(,%rcx,4)
	.p2align 4,,10
	.p2align 3
.L4:
	movq	%rsi, %rdx
.L19:
	movzbl	10(%rdx), %eax
	movzbl	11(%rdx), %ecx
	leaq	8(%rdx), %rsi
	movzbl	8(%rdx), %edx
	jmp	.L23
	.p2align 4,,10
	.p2align 3
.L8:
	testl	%r8d, %r8d
	je	.L25
	subl	$1, %r8d
	movslq	%r8d, %rax
	movslq	calls(,%rax,4), %rax
	leaq	program(,%rax,8), %rdx
	jmp	.L19
	.p2align 4,,10
	.p2align 3
.L9:
	cmpl	$16, %r8d
	je	.L25
	movq	%rsi, %rax
	movslq	%r8d, %rdx
	addl	$1, %r8d
	subq	$program, %rax
	sarq	$3, %rax
	movl	%eax, calls(,%rdx,4)
	movslq	4(%rsi), %rax
	leaq	program-8(,%rax,8), %rdx
	jmp	.L19
	.p2align 4,,10
	.p2align 3
.L10:
	movzbl	1(%rsi), %eax
	movl	registers(,%rax,4), %eax
	testl	%eax, %eax
	je	.L4
	movslq	4(%rsi), %rax
	leaq	program-8(,%rax,8), %rdx
	jmp	.L19
	.p2align 4,,10
	.p2align 3
.L11:
	cmpl	4(%rsi), %eax
	movzbl	1(%rsi), %edx
	setb	%al
	movzbl	%al, %eax
	movl	%eax, registers(,%rdx,4)
	jmp	.L4
	.p2align 4,,10
	.p2align 3
.L12:
	movzbl	1(%rsi), %edx
	cmpl	$4095, %eax
	ja	.L26
.L21:
	movl	registers(,%rdx,4), %edx
	movl	%eax, %eax
	movl	%edx, memory(,%rax,4)
	jmp	.L4
	.p2align 4,,10
	.p2align 3
.L13:
	cmpl	$4095, %eax
	ja	.L27
.L20:
	movl	%eax, %eax
	movzbl	1(%rsi), %edx
	movl	memory(,%rax,4), %eax
	movl	%eax, registers(,%rdx,4)
	jmp	.L4
	.p2align 4,,10
	.p2align 3
.L14:
	movl	4(%rsi), %ecx
	movzbl	1(%rsi), %edx
	shrl	%cl, %eax
	movl	%eax, registers(,%rdx,4)
	jmp	.L4
	.p2align 4,,10
	.p2align 3
.L15:
	movzbl	1(%rsi), %edx
	xorl	%eax, %ecx
	xorl	4(%rsi), %ecx
	movl	%ecx, registers(,%rdx,4)
	jmp	.L4
	.p2align 4,,10
	.p2align 3
.L16:
	imull	%eax, %ecx
	movzbl	1(%rsi), %edx
	movl	%ecx, registers(,%rdx,4)
	jmp	.L4
	.p2align 4,,10
	.p2align 3
.L17:
	movzbl	1(%rsi), %edx
	addl	%eax, %ecx
	addl	4(%rsi), %ecx
	movl	%ecx, registers(,%rdx,4)
	jmp	.L4
	.p2align 4,,10
	.p2align 3
.L5:
	movl	registers+20(%rip), %eax
	ret
	.p2align 4,,10
	.p2align 3
.L18:
	movzbl	1(%rsi), %eax
	movl	4(%rsi), %edx
	movl	%edx, registers(,%rax,4)
	jmp	.L4
.L27:
	movl	%eax, %edi
	call	trap
	jmp	.L20
.L26:
	movl	%eax, %edi
	call	trap
	jmp	.L21
.L25:
	xorl	%eax, %eax
	ret
	.size	interpret.constprop.0, .-interpret.constprop.0
	.p2align 4
	.type	run, @function
run:
	call	interpret.constprop.0
	addl	traps(%rip), %eax
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
	.section	.rodata
	.align 32
	.type	program, @object
	.size	program, 232
program:
	.byte	0
	.byte	1
	.byte	0
	.byte	0
	.long	900
	.byte	0
	.byte	2
	.byte	0
	.byte	0
	.long	220
	.byte	5
	.byte	3
	.byte	2
	.byte	0
	.long	0
	.byte	2
	.byte	3
	.byte	3
	.byte	1
	.long	0
	.byte	1
	.byte	3
	.byte	3
	.byte	2
	.long	17
	.byte	6
	.byte	3
	.byte	2
	.byte	0
	.long	0
	.byte	11
	.byte	4
	.byte	2
	.byte	0
	.long	7
	.byte	7
	.byte	4
	.byte	4
	.byte	0
	.long	1
	.byte	8
	.byte	4
	.byte	0
	.byte	0
	.long	15
	.byte	3
	.byte	5
	.byte	5
	.byte	3
	.long	0
	.byte	1
	.byte	2
	.byte	2
	.byte	7
	.long	-1
	.byte	7
	.byte	4
	.byte	2
	.byte	0
	.long	1
	.byte	8
	.byte	4
	.byte	0
	.byte	0
	.long	17
	.byte	0
	.byte	4
	.byte	0
	.byte	0
	.long	1
	.byte	8
	.byte	4
	.byte	0
	.byte	0
	.long	2
	.byte	9
	.byte	0
	.byte	0
	.byte	0
	.long	22
	.byte	8
	.byte	6
	.byte	0
	.byte	0
	.long	10
	.byte	1
	.byte	1
	.byte	1
	.byte	7
	.long	-1
	.byte	7
	.byte	4
	.byte	1
	.byte	0
	.long	1
	.byte	8
	.byte	4
	.byte	0
	.byte	0
	.long	21
	.byte	8
	.byte	6
	.byte	0
	.byte	0
	.long	1
	.byte	12
	.byte	0
	.byte	0
	.byte	0
	.long	0
	.byte	0
	.byte	6
	.byte	0
	.byte	0
	.long	1
	.byte	4
	.byte	3
	.byte	3
	.byte	0
	.long	3
	.byte	5
	.byte	4
	.byte	3
	.byte	0
	.long	0
	.byte	1
	.byte	5
	.byte	5
	.byte	4
	.long	1
	.byte	4
	.byte	3
	.byte	5
	.byte	0
	.long	5
	.byte	3
	.byte	5
	.byte	5
	.byte	3
	.long	9
	.byte	10
	.byte	0
	.byte	0
	.byte	0
	.long	0
	.local	calls
	.comm	calls,64,32
	.local	traps
	.comm	traps,4,4
	.local	registers
	.comm	registers,32,32
	.local	memory
	.comm	memory,16384,32
	.section	.note.GNU-stack,"",@progbits
