#!/bin/bash
# Runs every case: a directory here with
#   command   a bash script, run in an empty directory; $softlbr is the program, $in holds its inputs
#   status    the exit status expected of it
#   stderr    texts that its standard error must contain, one per line
#   stdout    the same for its standard output
# One that expects no output must look at one itself: a status alone says little.
# A case that fails (status 1, 2, 3, 4 or 6) must leave nothing behind but what `keeps` lists.
# A command that ends with status 77 could not run here; the last line it printed says why.
# usage: run.sh SOFTLBR [CASE...]
set -u
cases=$(cd "$(dirname "$0")" && pwd)
softlbr=$(realpath "$1")
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export softlbr in="$scratch/in" cases
mkdir "$in"
if ! bash -e "$cases/inputs.sh" >"$scratch/inputs.log" 2>&1; then
  cat "$scratch/inputs.log"
  echo "the inputs could not be made"
  exit 1
fi
failed=0 skipped=0 passed=0
[ $# -gt 0 ] || set -- $(cd "$cases" && ls -d */ | tr -d /)
for name; do
  case_dir=$cases/$name work=$scratch/work
  rm -rf "$work"
  mkdir "$work"
  (cd "$work" && exec bash "$case_dir/command") >"$scratch/out" 2>"$scratch/err" </dev/null
  status=$?
  if [ $status = 77 ]; then
    echo "skip $name: $(tail -1 "$scratch/out")"
    skipped=$((skipped + 1))
    continue
  fi
  problem=
  expected=$(cat "$case_dir/status")
  [ $status = "$expected" ] || problem="status $status instead of $expected"
  while IFS= read -r text; do
    grep -qF -- "$text" "$scratch/err" || problem="$problem; no \"$text\" in the messages"
  done < <(cat "$case_dir/stderr" 2>/dev/null)
  while IFS= read -r text; do
    grep -qF -- "$text" "$scratch/out" || problem="$problem; no \"$text\" in the output"
  done < <(cat "$case_dir/stdout" 2>/dev/null)
  [ -e "$case_dir/stderr" ] || [ -e "$case_dir/stdout" ] || grep -qE '(grep|cmp|diff|assert) ' "$case_dir/command" ||
    problem="$problem; it looks at no output"
  ! grep -q "do not add up" "$scratch/err" || problem="$problem; the numbers do not add up"
  case $expected in
  0 | 5) ;;
  *)
    left=$(cd "$work" && ls -A | grep -vxF -f <(cat "$case_dir/keeps" 2>/dev/null) | tr '\n' ' ')
    [ -z "$left" ] || problem="$problem; left behind: $left"
    ;;
  esac
  if [ -n "$problem" ]; then
    echo "FAIL $name: ${problem#; }"
    sed 's/^/  | /' "$scratch/out" "$scratch/err"
    failed=$((failed + 1))
  else
    passed=$((passed + 1))
  fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
