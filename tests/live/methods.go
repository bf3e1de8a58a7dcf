// SPDX-License-Identifier: MIT
// An interface whose calls go to one method mostly: what go build -pgo devirtualizes.
package main

import (
	"fmt"
	"os"
	"strconv"
)

type op interface{ do(x int) int }
type add struct{ k int }
type mul struct{ k int }

func (a add) do(x int) int { return x + a.k }
func (m mul) do(x int) int { return x*m.k + 1 }

//go:noinline
func run(n int, o op) int {
	t := 0
	for i := 0; i < n; i++ {
		t ^= o.do(i)
	}
	return t
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	fmt.Println(run(n, add{3}) + run(n/50, mul{5}))
}
