#!/bin/sh
# SPDX-License-Identifier: MIT
# newest.sh TOOL: the newest TOOL that is installed: TOOL-N of the greatest N (clang-19), else TOOL. Status 1: there is none.
set -eu
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
done | sort -rn | head -n 1)
if [ -n "$found" ]; then
  echo "$tool-$found"
else
  command -v "$tool" >/dev/null || exit 1
  echo "$tool"
fi
