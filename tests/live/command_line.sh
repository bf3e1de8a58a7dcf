#!/bin/sh
# SPDX-License-Identifier: MIT
# command_line.sh SOFTLBR: help for each command by any name, versions, and what misspelt commands and options are
# answered; colour on terminals only.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
needs script
cd "$work"

# run STATUS WORDS...: out and err have what it said
run() {
  expected=$1
  shift
  status=0
  "$softlbr" "$@" >out 2>err || status=$?
  [ $status = "$expected" ] || fail "softlbr $*: status $status, not $expected"
}

# says FILE TEXT
says() {
  grep -qF -- "$2" "$1" || fail "no \"$2\" in: $(cat "$1")"
}

for help in help --help -h; do
  run 0 $help
  says out 'Usage: softlbr COMMAND'
done
for version in version --version -v -V; do
  run 0 $version
  says out 'softlbr 0.'
done
commands=$("$softlbr" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(echo "$commands" | wc -l)" -ge 9 ] || fail "only the commands $commands"
for command in $commands; do
  run 0 $command --help
  mv out wanted
  for other in "help $command" "$command -h"; do
    run 0 $other
    cmp -s out wanted || fail "softlbr $other is not softlbr $command --help"
  done
  run 0 $command --version
  says out 'softlbr 0.'
done

run 2
run 2 recrod
says err 'there is no command recrod; did you mean record?'
[ "$(wc -l <err)" = 2 ] || fail "an unknown command prints more than two lines"
run 2 xyzzy
says err 'there is no command xyzzy'
! grep -q 'did you mean' err || fail "xyzzy is like no command"
run 2 help recrod
says err 'did you mean record?'
run 2 --verison
says err 'did you mean --version?'
run 125 record --perod 1ms true
says err 'there is no option --perod; did you mean --period?'
run 2 show --hepl
says err 'did you mean --help?'
run 2 merge -o new --wieght=3 old
says err 'did you mean --weight?'
[ ! -e new ] || fail "a misspelt option is no reason to write"
# what looks like an option and is the argument of one, or of the command that is run
run 2 show --top --hepl
says err '--top=--hepl'
run 2 show -n --hepl
says err '--top=--hepl'
if "$softlbr" record -q -o perf.data true >doctor 2>&1; then
  run 0 record -o perf.data echo --perod
  says out '--perod'
  run 0 record -o perf.data --depth 4 -- echo --perod
  says out '--perod'
else
  skip_part "record does not work here: options of the command that is run"
fi

escape=$(printf '\033')
# Nothing of this terminal: what is said to one, without colour or with it
on_terminal() {
  env -u NO_COLOR "$@" script -qec "'$softlbr' show /nonexistent" /dev/null </dev/null >out 2>&1 || :
  says out 'cannot open /nonexistent'
}
on_terminal TERM=xterm
says out "$escape"
on_terminal TERM=xterm NO_COLOR=1
! grep -q "$escape" out || fail "colour in spite of NO_COLOR"
on_terminal TERM=dumb
! grep -q "$escape" out || fail "colour on a dumb terminal"
run 1 show /nonexistent
! grep -q "$escape" err || fail "colour in a file"
echo "$(echo "$commands" | wc -l) commands"
