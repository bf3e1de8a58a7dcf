# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="go"
refused_inside="from outside"

title() {
  go version | sed 's/go version go\([0-9.]*\).*/go \1: a program built, and run with goroutines, GC, maps/'
}

prepare() {
  mkdir -p "$input/work"
  printf 'module work\n\ngo 1.19\n' >"$input/work/go.mod"
  cat >"$input/work/main.go" <<'END'
package main

import (
	"crypto/sha256"
	"fmt"
	"sort"
	"sync"
)

func work(seed uint64) string {
	m := map[uint64]uint64{}
	for i := 0; i < 150000; i++ {
		seed = seed*6364136223846793005 + 1442695040888963407
		m[seed>>44] += uint64(i)
	}
	keys := []uint64{}
	for k := range m {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return keys[i] < keys[j] })
	h := sha256.New()
	for _, k := range keys {
		fmt.Fprint(h, k, m[k])
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

func main() {
	var wg sync.WaitGroup
	results := make([]string, 8)
	for n := range results {
		wg.Add(1)
		go func(n int) { defer wg.Done(); results[n] = work(uint64(n)) }(n)
	}
	wg.Wait()
	fmt.Println(results)
	defer func() { fmt.Println(recover()) }()
	var p *int
	*p = 1
}
END
}

run() {
  export GOCACHE="$input/cache" GOPATH="$input/path" GOFLAGS=-mod=mod GOTOOLCHAIN=local
  cp -r "$input/work" .
  cd work
  rm -f made
  "$@" go build -o made . || return
  "$@" ./made
}
