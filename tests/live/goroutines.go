// SPDX-License-Identifier: MIT
// Goroutines that sort and count, and check that all of them come to the same, until SIGTERM.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"sort"
	"sync"
	"syscall"
)

func work(seed uint64, n int) uint64 {
	values := make([]int, 0, n)
	counts := map[int]int{}
	sum := uint64(0)
	for i := 0; i < n; i++ {
		seed = seed*6364136223846793005 + 1442695040888963407
		values = append(values, int(seed>>33))
	}
	sort.Ints(values)
	for i, v := range values {
		counts[v%1000] += i
	}
	for k, v := range counts {
		sum += uint64(k * v)
	}
	return sum
}

func main() {
	over := make(chan os.Signal, 1)
	signal.Notify(over, syscall.SIGTERM)
	want := work(1, 20000)
	for {
		select {
		case <-over:
			fmt.Println("unchanged")
			return
		default:
		}
		var all sync.WaitGroup
		sums := make([]uint64, 8)
		for i := range sums {
			all.Add(1)
			go func(i int) {
				defer all.Done()
				sums[i] = work(1, 20000)
			}(i)
		}
		all.Wait()
		for _, sum := range sums {
			if sum != want {
				fmt.Println("changed")
				os.Exit(1)
			}
		}
	}
}
