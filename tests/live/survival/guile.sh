# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="guile"

title() {
  guile --version | sed -n '1s/guile (GNU Guile) \([0-9.]*\).*/guile \1: compiled with its JIT, continuations, GC, threads/p'
}

prepare() {
  cat >"$input/script.scm" <<'END'
(use-modules (ice-9 threads) (srfi srfi-1))
(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(display (fib 27)) (newline)
(define h (make-hash-table))
(do ((i 0 (+ i 1)) (s 1 (modulo (+ (* s 1103515245) 12345) 2147483648))) ((= i 100000))
  (hash-set! h (modulo s 5003) (+ i (hash-ref h (modulo s 5003) 0))))
(display (hash-fold (lambda (k v a) (modulo (+ a (* k v)) 1000003)) 0 h)) (newline)
(define (gen) (call/cc (lambda (k) (let loop ((i 0)) (if (= i 50000) (k i) (loop (+ i 1)))))))
(display (fold + 0 (map (lambda (x) (gen)) (iota 20)))) (newline)
(display (par-map (lambda (n) (fib (+ 15 n))) (iota 6))) (newline)
(display (string-length (number->string (expt 3 20000)))) (newline)
END
}

run() {
  GUILE_AUTO_COMPILE=0 "$@" guile -q "$input/script.scm"
}
