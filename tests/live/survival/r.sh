# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="Rscript"

title() {
  Rscript --version 2>&1 | sed 's/.*version \([0-9.]*\).*/R \1: models, sorting, regexps, its byte compiler/'
}

prepare() {
  cat >"$input/work.R" <<'END'
set.seed(7)
x <- rnorm(20000); y <- 3 * x + rnorm(20000)
print(round(coef(lm(y ~ x)), 4))
f <- function(n) if (n < 2) n else f(n - 1) + f(n - 2)
print(f(22))
w <- paste0("k", (1:50000 * 7919) %% 5003)
t <- sort(table(w), decreasing = TRUE)
print(length(t)); print(nchar(gsub("(\\d)\\1", "<\\1>", paste(names(t)[order(names(t))], collapse = ""))))
m <- matrix((1:40000 * 31) %% 101, 200); print(round(sum(svd(m)$d), 2))
print(tryCatch(stop("mine"), error = conditionMessage))
for (i in 1:20) gc(verbose = FALSE)
END
}

run() {
  "$@" Rscript --vanilla "$input/work.R"
}
