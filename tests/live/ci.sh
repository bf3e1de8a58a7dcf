#!/bin/bash
# SPDX-License-Identifier: MIT
# ci.sh SOFTLBR: the commands of docs/ci/github.yml and docs/ci/gitlab.yml, on the example program.
set -euo pipefail
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
needs_recording
cd "$work"
export PATH=$work/bin:$PATH

# the project that the files are for
mkdir bin
ln -s "$softlbr" bin/softlbr
cat >Makefile <<END
app:
	mkdir -p build
	gcc -O2 -g '$root'/examples/interpreter/*.c -o build/app
END

# FILE: the commands of a file, one per line; what it asks the program to do is the training here
commands() {
  grep -oE '(make app|softlbr .*)$' "$1" | sed "s#\\\$APP training#build/app '$root'/examples/interpreter/training.asm 60 >/dev/null#"
}

grep -oE '^ +(APP|RECORDING): .*' "$root/docs/ci/gitlab.yml" | sed 's/^ *//; s/: /=/' >variables
grep -oE '^ +(APP|RECORDING): .*' "$root/docs/ci/github.yml" | sed 's/^ *//; s/: /=/' | cmp - variables
set -a
. ./variables
set +a
for file in github gitlab; do
  commands "$root/docs/ci/$file.yml" >script
  [ "$(wc -l <script)" = 4 ]
  rm -rf build app.data diff.html
  mkdir -p "$(dirname "$RECORDING")"
  make app >log
  [ -e "$RECORDING" ] ||
    softlbr record -e task-clock -c 200us -o "$RECORDING" -- $APP "$root/examples/interpreter/training.asm" 60 >/dev/null
  bash -e script >log
  grep -q '</html>' diff.html
done

echo "# a profile of another program, and a score that cannot be reached, end the job"
sed 's/--fail-under 0.8/--fail-under 1/' script >strict
status=0
bash -e strict >log 2>&1 || status=$?
[ $status = 7 ] || { echo "status $status"; cat log; exit 1; }
gcc -O0 -g "$root"/examples/interpreter/*.c -o build/app
status=0
softlbr check --binary $APP app.data >log 2>&1 || status=$?
[ $status = 6 ] || { echo "status $status"; cat log; exit 1; }
