#!/bin/sh
# SPDX-License-Identifier: MIT
# newest.sh [--all OLDEST] TOOL: the newest TOOL that is installed: TOOL-N of the greatest N (clang-19), else TOOL. Status
# 1: there is none. --all: every TOOL-N from N = OLDEST on, the newest first.
set -eu
oldest=
[ "$1" != --all ] || {
  oldest=$2
  shift 2
}
tool=$1
IFS=:
found=$(for folder in $PATH; do
  for file in "$folder/$tool"-[1-9]*; do
    version=${file##*-}
    case $version in
      *[!0-9]*) ;;
      *) [ ! -x "$file" ] || echo "$version" ;;
    esac
  done
done | sort -rnu)
if [ -n "$oldest" ]; then
  IFS=' ' found=$(echo "$found" | awk -v oldest="$oldest" -v tool="$tool" '$1 >= oldest { print tool "-" $1 }')
  [ -n "$found" ] || exit 1
  echo "$found"
elif [ -n "$found" ]; then
  echo "$tool-$(echo "$found" | head -n 1)"
else
  command -v "$tool" >/dev/null || exit 1
  echo "$tool"
fi
