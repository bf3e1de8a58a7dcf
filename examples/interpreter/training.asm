; Training workload: count random words in a table, sieve primes into a list, sort it three ways.
; $9 is the scale.
; expect 1 6fa4a05ba7aacdbf
; expect 10 c0643e9a5016ff6e
; expect 100 ee24c02b8bae1d09
	load $9
	push 4000
	mul
	store $0
count:
	load $0
	jumpz sieve
	push 1200
	random
	store $1
	load $1
	load $1
	get
	push 1
	add
	put
	load $0
	push 1
	sub
	store $0
	jump count

sieve:			; trial division: append every prime below 1500 * scale
	push 2
	store $0
next:
	load $0
	load $9
	push 1500
	mul
	less
	jumpz sorting
	push 2
	store $1
divide:
	load $0
	load $1
	load $1
	mul
	less
	jumpz test
	jump prime
test:
	load $0
	load $1
	mod
	jumpz composite
	load $1
	push 1
	add
	store $1
	jump divide
prime:
	load $0
	append
	load $0
	call mix
	append
composite:
	load $0
	push 1
	add
	store $0
	jump next

sorting:
	sort 0
	call digest
	sort 1
	call digest
	sort 2
	call digest
	push 17
	get
	print
	halt

mix:			; a number in, a scrambled number out
	push 2654435761
	mul
	push 1048573
	mod
	return

digest:			; print a checksum of the list
	push 0
	store $2
	push 0
	store $3
digest_next:
	load $3
	length
	less
	jumpz digest_end
	load $2
	push 31
	mul
	load $3
	item
	xor
	push 1000000007
	mod
	store $2
	load $3
	push 1
	add
	store $3
	jump digest_next
digest_end:
	load $2
	print
	return
