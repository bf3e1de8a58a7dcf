# SPDX-License-Identifier: MIT
# What the demo must know about sqlite3. Sourced by scripts/demo.sh, which sets $root and $work.
program_title="sqlite3, from Debian's source package"
program_minutes="about 10 minutes"
train_rows=${DEMO_TRAIN_ROWS:-60000}
train_repeat=${DEMO_TRAIN_REPEAT:-40}
count_arguments=
time_arguments=

# The amalgamation: the library in one file, and the shell.
program_prepare() {
  "$root/scripts/fetch-source.sh" sqlite3 "$work/source" || return 75
  mkdir -p "$work/amalgamation"
  (
    cd "$work/amalgamation"
    ../source/configure --disable-tcl --disable-readline >configure.log 2>&1
    make sqlite3.c shell.c >make.log 2>&1
  ) || return 1
  "$root/examples/sqlite/training.sh" "$train_rows" "$train_repeat" >"$work/training.sql"
  "$root/examples/sqlite/evaluation.sh" 20000 >"$work/count.sql"
  "$root/examples/sqlite/evaluation.sh" 400000 >"$work/time.sql"
  count_input=$work/count.sql
  time_input=$work/time.sql
}

# program_build COMPILER FLAGS OUTPUT
program_build() {
  $1 $2 -w -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION \
    "$work/amalgamation/sqlite3.c" "$work/amalgamation/shell.c" -o "$3" -lm
}

# program_train COMMAND...: run the training workload with COMMAND, the program last
program_train() {
  "$@" <"$work/training.sql"
}
