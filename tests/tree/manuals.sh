#!/bin/sh
# SPDX-License-Identifier: MIT
# manuals.sh SOFTLBR: every command has a manual page, whose options are those of --help; the file formats that
# an option takes are named by both; and the pages are free of markup errors.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
cd "$root/docs/man"
failed=0

fail() {
  echo "FAIL: $*"
  failed=1
}

# argp gives every command the last three.
help_options() {
  "$softlbr" "$1" --help | grep -oE '(^|[ ,(|])--[a-z][a-z-]+' | sed 's/^[^-]*//' | sort -u |
    grep -vxE -e '--(help|usage|version)'
}

manual_options() {
  sed -n '/^\.SH OPTIONS/,/^\.SH EXIT/p' "softlbr-$1.1" |
    awk '/^\.TP/ { tag = 1; next } tag { print; tag = 0 }' | sed 's/\\-/-/g' |
    grep -oE -e '--[a-z][a-z-]+' | sort -u
}

# check_formats COMMAND OPTION: what it says that there is, when it is given what there isn't, is in the
# option's paragraphs.
check_formats() {
  formats=$("$softlbr" "$1" "--$2=none" 2>&1 | sed -nE 's/.*(expected one of|there are) //p' | tr -d ,)
  [ "$(echo "$formats" | wc -w)" -ge 5 ] || fail "$1 --$2=none lists no formats"
  help=$("$softlbr" "$1" --help | awk -v option="--$2=" '/^ *(-.,)? *--/ { on = index($0, option) } on')
  manual=$(sed 's/\\-/-/g' "softlbr-$1.1" |
    awk -v option="--$2 =" '/^\.TP/ { on = 0; tag = 1; next } tag { tag = 0; on = index($0, option) } on')
  for format in $formats; do
    echo "$help" | grep -qwF -- "$format" || fail "$1 --help: --$2 does not name $format"
    echo "$manual" | grep -qwF -- "$format" || fail "softlbr-$1.1: --$2 does not name $format"
  done
}

commands=$("$softlbr" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
[ "$(echo "$commands" | wc -l)" -ge 2 ] || fail "--help lists no commands"
for command in $commands; do
  [ -e "softlbr-$command.1" ] || {
    fail "$command has no manual page"
    continue
  }
  grep -q "^\.B $(echo "$command" | sed 's/-/\\\\-/g')$" softlbr.1 || fail "softlbr.1 does not name $command"
  help=$(help_options "$command")
  manual=$(manual_options "$command")
  [ -n "$help" ] || fail "$command --help lists no options"
  [ "$help" = "$manual" ] ||
    fail "$command: --help has: $(echo $help); softlbr-$command.1 has: $(echo $manual)"
done
check_formats convert to
for command in convert merge show; do
  check_formats $command input-format
done
if command -v man >/dev/null; then
  for page in *.1; do
    complaints=$(LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -l "$page" 2>&1 >/dev/null)
    [ -z "$complaints" ] || fail "$page: $complaints"
  done
else
  skip_part "man is not installed: how the pages are set is not looked at"
fi
exit $failed
