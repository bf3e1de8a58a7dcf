# SPDX-License-Identifier: MIT
# What the demo must know about sqlite3. Sourced by scripts/demo.sh, which sets $root and $work.
program_title="sqlite3, from Debian's source package"
program_run='./sqlite3 <training.sql'
program_test='./sqlite3 <evaluation.sql'
# At least, in percent: fewer instructions by gcc and by clang; fewer taken branches by llvm-bolt.
program_floors="gcc 5 clang 4 bolt 15"

# program_prepare DIR: the library in one file, the shell, and two kinds of work are there; 75: no source
program_prepare() {
  "$root/scripts/fetch-source.sh" sqlite3 "$work/source" || return 75
  mkdir -p "$work/amalgamation"
  (
    cd "$work/amalgamation"
    ../source/configure --disable-tcl --disable-readline >configure.log 2>&1
    make sqlite3.c shell.c >make.log 2>&1
  ) || return 1
  cp -r "$root/examples/sqlite" "$1"
  cp "$work/amalgamation/sqlite3.c" "$work/amalgamation/shell.c" "$work/amalgamation/sqlite3.h" "$1"
  "$1/training.sh" 60000 2 >"$1/training.sql"
  "$1/evaluation.sh" 20000 >"$1/evaluation.sql"
}
