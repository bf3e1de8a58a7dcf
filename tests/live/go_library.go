// SPDX-License-Identifier: MIT

// Go code for a C program: go build -buildmode=c-shared.
package main

import "C"
import "sync"

func part(n uint64) uint64 {
	h := uint64(1469598103934665603)
	for i := uint64(0); i < n; i++ {
		h ^= i * 7 & 255
		h *= 1099511628211
		if h&1 == 1 {
			h ^= i
		}
	}
	return h
}

//export GoWork
func GoWork(n C.int) C.ulong {
	var wait sync.WaitGroup
	var lock sync.Mutex
	sum := uint64(0)
	for g := 0; g < 4; g++ {
		wait.Add(1)
		go func(g int) {
			defer wait.Done()
			h := part(uint64(n)*1000 + uint64(g))
			lock.Lock()
			sum += h
			lock.Unlock()
		}(g)
	}
	wait.Wait()
	return C.ulong(sum)
}

func main() {}
