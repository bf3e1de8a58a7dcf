; Evaluation workload, different from the training one: Collatz lengths remembered in the table,
; random numbers sorted again while their list grows, greatest common divisors. $9 is the scale.
; expect 1 d5280fb7bf531af3
; expect 10 bf8c80239c7807f1
; expect 100 d83ea9fca6ed1568
	push 2
	store $0
collatz:
	load $0
	load $9
	push 1200
	mul
	less
	jumpz lists
	load $0
	store $1
	push 0
	store $2
walk:
	load $1
	push 1
	equal
	jumpz not_one
	jump done
not_one:
	load $1
	load $0
	less
	jumpz move
	load $1		; below the start: its length is in the table
	get
	load $2
	add
	store $2
	jump done
move:
	load $2
	push 1
	add
	store $2
	load $1
	push 2
	mod
	jumpz even
	load $1
	push 3
	mul
	push 1
	add
	store $1
	jump walk
even:
	load $1
	push 2
	div
	store $1
	jump walk
done:
	load $0
	load $2
	put
	load $0
	push 1
	add
	store $0
	jump collatz

lists:			; 12 lists that grow by 60 * scale numbers, each sorted again
	push 97
	get
	print
	push 0
	store $0
list_next:
	load $0
	push 12
	less
	jumpz divisors
	push 0
	store $1
fill:
	load $1
	load $9
	push 60
	mul
	less
	jumpz order
	push 100000
	random
	append
	load $1
	push 1
	add
	store $1
	jump fill
order:
	load $0
	push 3
	mod
	dup
	jumpz upwards
	push 1
	sub
	jumpz downwards
	sort 2
	jump sorted
upwards:
	drop
	sort 0
	jump sorted
downwards:
	sort 1
sorted:
	length
	push 2
	div
	item
	print
	load $0
	push 1
	add
	store $0
	jump list_next

divisors:		; the greatest common divisor of neighbours in the list, summed
	push 0
	store $0
	push 0
	store $2
divisor_next:
	load $0
	length
	push 1
	sub
	less
	jumpz end
	load $0
	item
	load $0
	push 1
	add
	item
	call gcd
	load $2
	add
	store $2
	load $0
	push 1
	add
	store $0
	jump divisor_next
end:
	load $2
	print
	halt

gcd:			; two numbers in, their greatest common divisor out
	store $5
	store $4
gcd_step:
	load $5
	jumpz gcd_end
	load $4
	load $5
	mod
	load $5
	store $4
	store $5
	jump gcd_step
gcd_end:
	load $4
	return
