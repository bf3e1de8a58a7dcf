#!/bin/sh
# SPDX-License-Identifier: MIT
# completion.sh SOFTLBR BASH ZSH FISH: what shells make of a line and a tab, with softlbr's completions in these files,
# which offer the options that --help shows.
set -eu
softlbr=$1
bash=$(realpath "$2") zsh=$(realpath "$3") fish=$(realpath "$4")
. "$(dirname "$0")/../prelude.sh"
cd "$work"
touch app.data app.other
mkdir app.folder

# what is typed before the tab, and what it becomes

typed="softlbr conv
softlbr convert --binary app.da
softlbr convert --output-d
softlbr convert --to gcov=app.da
softlbr convert --to fd
softlbr convert --to=gco
softlbr show --input-format perf.
softlbr record -o app.da
softlbr record -o x -- whoam
softlbr record --lookahead st
softlbr convert --smooth=mc
softlbr control -s x rot
softlbr diff app.da
softlbr convert --output-dir app.f
softlbr help doc"
expected="softlbr convert
softlbr convert --binary app.data
softlbr convert --output-dir
softlbr convert --to gcov=app.data
softlbr convert --to fdata=
softlbr convert --to=gcov=
softlbr show --input-format perf.data
softlbr record -o app.data
softlbr record -o x -- whoami
softlbr record --lookahead static
softlbr convert --smooth=mcf
softlbr control -s x rotate
softlbr diff app.data
softlbr convert --output-dir app.folder/
softlbr help doctor"

# complete SHELL SETUP: type it all
complete() {
  printf '%s\n' "$typed" | tr '\n' '\0' | xargs -0 "$here/type_in_shell.py" "$1" "$2" | sed 's,[ =/]*$,,' >"$1.got" ||
    fail "$1: $(cat "$1.got")"
  printf '%s\n' "$expected" | sed 's,[=/]$,,' | diff - "$1.got" || fail "$1 completes otherwise (<: as expected)"
}

if [ -e /usr/share/bash-completion/bash_completion ]; then
  complete bash ". /usr/share/bash-completion/bash_completion; . '$bash'"
  complete bash ". '$bash'" # alone, too
else
  skip_part "bash-completion is not installed"
fi
if command -v zsh >/dev/null; then
  mkdir functions
  cp "$zsh" functions/_softlbr
  complete zsh "bindkey -e; fpath=(\$PWD/functions \$fpath); autoload -Uz compinit && compinit -u -d $work/dump"
else
  skip_part "zsh is not installed"
fi
if command -v fish >/dev/null; then
  export HOME=$work XDG_CONFIG_HOME=$work XDG_DATA_HOME=$work
  printf '%s\n' "$typed" | while read -r line; do
    fish -c "source '$fish'; complete -C '$line'" | cut -f1 | head -n 1 | sed "s|^|$(echo "$line" | sed 's/[^ ]*$//')|"
  done | sed 's,[ =/]*$,,' >fish.got
  printf '%s\n' "$expected" | sed 's,[=/]$,,' | diff - fish.got || fail "fish completes otherwise (<: as expected)"
else
  skip_part "fish is not installed"
fi

echo "# the options of --help, and no others"
for command in $("$softlbr" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
  "$softlbr" "$command" --help | grep -oE '^ +((-., )|(--[a-z0-9-]+(\[?=[^ ]+)?,? ?))+' |
    grep -oE -e '--[a-z0-9-]+' | grep -vxE -e '--(usage|version)' | sort -u >"help.$command"
  for file in "$bash" "$zsh" "$fish"; do
    sed -n "s/^option|$command|[^|]*|\(--[^|]*\)|.*/\1/p" "$file" | sort | diff "help.$command" - ||
      fail "softlbr $command --help (<) and $file differ"
  done
done
[ "$(cat help.* | wc -l)" -gt 60 ] || fail "--help shows few options: $(cat help.*)"
