# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="gnuplot"

title() {
  gnuplot --version | sed 's/gnuplot \([0-9.]*\) patchlevel \(.*\)/gnuplot \1.\2: fits, surfaces, SVG and text/'
}

prepare() {
  cat >"$input/script" <<'END'
set terminal svg
set output 'a.svg'
set samples 5000
plot for [i=1:10] sin(x * i) * exp(-x * x / i)
set output 'b.svg'
set isosamples 120
set hidden3d
splot cos(x) * sin(y), sin(sqrt(x * x + y * y))
set terminal dumb 100 40
set output 'c.txt'
f(x) = a * x * x + b * x + c
set fit quiet nolog
fit f(x) '+' using 1:($1 * $1 * 3 - $1 + 2):(1) via a, b, c
plot f(x), sin(x) * 20
print sprintf("%.3f %.3f %.3f", a, b, c)
END
}

run() {
  "$@" gnuplot "$input/script" 2>&1 || return
  sha256sum a.svg b.svg c.txt
}
