#!/bin/sh
# SPDX-License-Identifier: MIT
# manuals.sh SOFTLBR: every command has a manual page, whose options, letters and choices are those of the command's
# table of options (cli/cli.h), as --completion-table prints it; the file formats that an option takes are named by
# --help and manual; and the pages are free of markup errors.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
cd "$root/docs/man"
failed=0

fail() {
  echo "FAIL: $*"
  failed=1
}

# table_options COMMAND: letters and names; argp gives every command --help, --usage and --version.
table_options() {
  echo "$table" | awk -F'|' -v command="$1" '$1 == "option" && $2 == command && $4 != "--help" {
    print $4
    if ($3 != "") print $3
  }' | sort -u
}

# table_words COMMAND: "--name word..." for each option that takes one of some words, or a format.
table_words() {
  echo "$table" | awk -F'|' -v command="$1" '$1 == "option" && $2 == command && sub(/^(choice|format) /, "", $5) {
    print $4, $5
  }'
}

# The letters and names of the paragraphs' tags.
manual_options() {
  sed -n '/^\.SH OPTIONS/,/^\.SH EXIT/p' "softlbr-$1.1" |
    awk '/^\.TP/ { tag = 1; next } tag { print; tag = 0 }' | sed 's/\\-/-/g; s/\\f.//g' |
    sed -E 's/ ?=[^ ,]*//g' | grep -oE -e '(^|[ "])--?[a-zA-Z][a-zA-Z0-9-]*' | tr -d ' "' | sort -u
}

# check_words COMMAND --NAME WORD...: each is in what --help and the manual say of the option.
check_words() {
  command=$1
  option=$2
  shift 2
  help=$("$softlbr" "$command" --help | awk -v option="$option" '
    /^ *(-.,)? *--/ { on = match($0, option "([^a-z-]|$)") } on')
  manual=$(sed 's/\\-/-/g; s/\\f.//g' "softlbr-$command.1" | awk -v option="$option" '
    /^\.TP/ { on = 0; tag = 1; next } tag { tag = 0; on = match($0, option "([^a-z-]|$)") } on')
  for word; do
    echo "$help" | grep -qwF -- "$word" || fail "$command --help: $option does not name $word"
    echo "$manual" | grep -qwF -- "$word" || fail "softlbr-$command.1: $option does not name $word"
  done
}

table=$("$softlbr" --completion-table)
commands=$("$softlbr" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
[ "$(echo "$commands" | wc -l)" -ge 2 ] || fail "--help lists no commands"
for command in $commands; do
  [ -e "softlbr-$command.1" ] || {
    fail "$command has no manual page"
    continue
  }
  grep -q "^\.B $(echo "$command" | sed 's/-/\\\\-/g')$" softlbr.1 || fail "softlbr.1 does not name $command"
  expected=$(table_options "$command")
  manual=$(manual_options "$command")
  [ -n "$expected" ] || fail "$command has no options in the table"
  [ "$expected" = "$manual" ] ||
    fail "$command: the table has: $(echo $expected); softlbr-$command.1 has: $(echo $manual)"
  words=$(table_words "$command")
  while read -r option known; do
    [ -z "$option" ] || check_words "$command" "$option" $known
  done <<END
$words
END
done
[ "$(echo "$table" | grep -cE '\|(choice|format) ')" -ge 15 ] || fail "the table has few options of words"
if command -v man >/dev/null; then
  for page in *.1; do
    complaints=$(LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -l "$page" 2>&1 >/dev/null)
    [ -z "$complaints" ] || fail "$page: $complaints"
  done
else
  skip_part "man is not installed: how the pages are set is not looked at"
fi
exit $failed
