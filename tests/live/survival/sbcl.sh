# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="sbcl"

title() {
  sbcl --version | sed 's/SBCL \([0-9.]*\).*/sbcl \1: native compiler, GC by write barriers, threads, conditions/'
}

prepare() {
  cat >"$input/script.lisp" <<'END'
(defun fib (n) (declare (fixnum n)) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(compile 'fib)
(print (fib 30))
(let ((h (make-hash-table :test 'equal)) (s 1))
  (dotimes (i 200000)
    (setf s (mod (+ (* s 1103515245) 12345) 2147483648))
    (incf (gethash (format nil "k~d" (mod s 997)) h 0) i))
  (print (loop for k in (sort (loop for k being the hash-keys of h collect k) #'string<)
               for i from 1 sum (mod (* i (gethash k h)) 10007))))
(dotimes (i 6) (make-array 3000000 :initial-element i) (sb-ext:gc :full (evenp i)))
(print (mapcar #'sb-thread:join-thread
  (loop for n below 4 collect (let ((n n)) (sb-thread:make-thread (lambda () (fib (+ 20 n))))))))
(print (handler-case (/ 1 (- 1 (fib 1))) (division-by-zero () :caught)))
(print (handler-case (labels ((f (n) (+ 1 (f n)))) (f 1)) (sb-kernel::control-stack-exhausted () :deep)))
(terpri)
END
}

run() {
  "$@" sbcl --noinform --no-sysinit --no-userinit --disable-debugger --load "$input/script.lisp" --quit 2>err |
    grep -v '^INFO:'
  grep ^softlbr err >&2 || :
}
