# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="emacs"

title() {
  emacs --version | sed -n '1s/GNU Emacs \([0-9.]*\)/emacs \1: batch, byte compiler, regexps, sorting, a subprocess/p'
}

prepare() {
  cat >"$input/work.el" <<'END'
(defun fib (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
(byte-compile 'fib)
(princ (format "%d\n" (fib 25)))
(with-temp-buffer
  (dotimes (i 20000) (insert (format "line %d of words\n" (% (* i 7919) 10007))))
  (sort-numeric-fields 2 (point-min) (point-max))
  (goto-char (point-min))
  (while (re-search-forward "\\([0-9]\\)\\1" nil t) (replace-match "<\\1>"))
  (princ (format "%s\n" (secure-hash 'sha256 (current-buffer)))))
(princ (shell-command-to-string "echo from a shell"))
(princ (condition-case nil (/ 1 0) (arith-error "caught\n")))
(garbage-collect)
END
}

run() {
  HOME=$PWD "$@" emacs -Q --batch -l "$input/work.el" 2>&1
}
