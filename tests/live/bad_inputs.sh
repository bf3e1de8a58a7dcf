#!/bin/bash
# SPDX-License-Identifier: MIT
# bad_inputs.sh SOFTLBR: what users give by mistake, a row each: a clear message, the documented status, and
# nothing lost. Every file that was there is the same afterwards, byte for byte and by inode, and nothing is left
# but what the row says it writes: no temporary, no half of an output.
#
# A row is
#	NUMBER | STATUS | WRITES | PHRASE | COMMAND
# COMMAND is a command line of bash, run in a directory with the inputs below; `softlbr` is the program. PHRASE is a
# part of its standard error ("" for none at all), WRITES the new files that it may make, with blanks between. A `?` before
# STATUS: the row needs a machine that records. NUMBER is that of the list, or none. Add a row where its heading is;
# nothing else is needed.
#
# What new users ran into first:
#	 1 an output that is the recording (convert)	16 a misspelt command
#	 2 an output that is the program		17 a misspelt option
#	 3 diff --html=RECORDING			18 a command that is none
#	 4 merge -o A A B				19 build-ids that an old perf padded
#	 5 record -o PROGRAM				20 fdata with addresses of 2^63 and more
#	 6 two outputs, one of them unwritable		21 damaged lines of perf script
#	 7 a 32-bit program				22 text that ends with blanks and no line feed
#	 8 -e branches without a PMU			23 text that is cut off
#	 9 -c with a number that overflows		24 call stacks instead of branches
#	10 -c without a unit				25 text without lines of mappings
#	11 SIGINT to the recorder alone			26 text with offsets (-F brstackoff)
#	12 a program that crashes			27 Intel PT without perf inject
#	13 a static program				28 profiles with calling contexts
#	14 another user, perf_event_paranoid=4		29 llvm-bolt's YAML
#	15 record -o -					30 diff of what has no function, or no call
set -u
program=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"

softlbr() { "$program" "$@"; }

# ---- the inputs ------------------------------------------------------------------------------

mkdir "$work/in" "$work/dir"
in=$work/in cases=$root/tests/cases
export in cases
bash -e "$cases/inputs.sh" >"$work/inputs.log" 2>&1 || fail "no inputs: $(cat "$work/inputs.log")"
cd "$work/dir"
set -e
cp "$in/loop" app                   # the program
cp "$in/loop.data" perf.data        # of it
cp perf.data b.data
cp "$in/cut.data" "$in/nothing" "$in/empty.data" "$in/no-stacks.data" "$in/plain" "$in/plain.data" .
cp "$(command -v sleep)" sleeper
cp "$in/other/loop" rebuilt         # another build
cp "$cases/loop.c" source.c
ln app hard.app
ln -s app soft.app
ln perf.data hard.data
ln -s perf.data soft.data
mkdir folder readonly threads.data agg sources
echo 'int f;' >sources/f.c
cp perf.data threads.data/data.0
cp app agg/traces
chmod 555 readonly
printf 'hello\nworld\n' >notes.txt
head -c 4000 /dev/urandom >noise
gzip -c perf.data | head -c 200 >cut.gz
softlbr convert -b app -p perf.data -t gcov=app.gcov -t fdata=app.fdata -t llvm-text=app.prof -t preagg=app.preagg \
  2>convert.err || fail "no profiles: $(cat convert.err)"
rm convert.err
head -c 100 app.gcov >cut.gcov
sed 's/^B [0-9a-f]*/& zzz/' app.preagg >bad.preagg
{
  echo '1 main 0 1 work 0 0'
  echo hello
} >bad.fdata
jump=$(sed -n 's/^B \([0-9a-f]*\) \([0-9a-f]*\) 1500 .*/0x\1\/0x\2/p' app.preagg) # of the loop, and its head
[ -n "$jump" ] || fail "no jump in $(cat app.preagg)"
stack="    ${jump#*/0x} $(printf "$jump/P/-/-/0  %.0s" {1..16})"
for ((i = 1; i <= 100; i++)); do echo "$stack"; done >script.txt
awk 'NR % 10 == 0 { print substr($0, 1, index($0, "/P") + 25); next } { print }' script.txt >damaged.txt
awk 'NR == 70 { print substr($0, 1, index($0, "/P") + 25); next } { print }' script.txt >one-damaged.txt
head -c 9000 script.txt >cut.txt
{ cat script.txt && printf '    '; } >blanks.txt
{ echo "PERF_RECORD_MMAP2 7/7: [0x555555555000(0x1000) @ 0x1000 08:01 5 0]: r-xp $PWD/app" && cat script.txt; } >offsets.txt
sed 's/0x/0x55555555/g' script.txt >unplaced.txt
echo ' app 1234 [001] 4710.123456:   1   branches:u:  55555555514e work+0x5 (/bin/app) =>     555555555159 work (/bin/app)' >pt.txt
printf '[main:1 @ work]\n  1\n  114e-1159:7\n[main:2 @ work]\n' >contexts.txt
printf -- '---\nheader:\n  profile-version: 1\n  binary-name: app\n' >bolt.yaml
echo '1 main 4 1 [unknown] ffffffff81000000 0 3' >kernel.fdata
python3 "$cases/recording.py" app own.data # says where app is
strip -o stripped app
python3 "$cases/recording.py" app call-stacks.data --branch-type 0x801
python3 "$cases/recording.py" app pt.data --trace 1
python3 "$cases/recording.py" app old-id.data --old-build-id --name /usr/bin/renamed

can_record=false
softlbr record -o try ./app >/dev/null 2>&1 && can_record=true # not with sanitizers, either
rm -f try
set +e

# ---- the rows --------------------------------------------------------------------------------

# Every file's kind, inode and name, the content of each.
state() {
  find . -printf '%y %i %P %l\n' | LC_ALL=C sort
  find . -type f -exec sha256sum {} + | LC_ALL=C sort -k 2
}

rows=0 failed=0 left_out=0 numbers=' '
state >../before

row() {
  local line=$1 number status writes phrase command problem= got file
  IFS='|' read -r number status writes phrase command <<<"$line"
  status=${status//[[:blank:]]/} phrase=$(sed 's/^ *//; s/ *$//' <<<"$phrase")
  if [ "${status#\?}" != "$status" ]; then
    status=${status#\?}
    $can_record || { left_out=$((left_out + 1)) && return; }
  fi
  rows=$((rows + 1)) numbers+="${number//[[:blank:]]/} "
  (eval "$command") >../out 2>../err </dev/null
  got=$?
  [ $got = "$status" ] || problem="status $got instead of $status; "
  if [ "$phrase" = '""' ]; then
    [ ! -s ../err ] || problem+="it has something to say; "
  else
    grep -qF -- "$phrase" ../err || problem+="no \"$phrase\"; "
  fi
  for file in $writes; do
    [ -s "$file" ] || problem+="$file is not written; "
    rm -f "$file"
  done
  state >../after
  cmp -s ../before ../after || problem+="files changed: $(diff ../before ../after | grep '^[<>]' | head -4)"
  [ -n "$problem" ] || return
  echo "FAIL:$command: $problem"
  sed 's/^/  | /' ../err
  failed=$((failed + 1))
  state >../before
}

while IFS= read -r line; do
  case $line in '' | '#'*) ;; *) row "$line" ;; esac
done <<'ROWS'
# An output is an input: under its name, another, with --force.
 1 | 2 | | perf.data is an input: it is not overwritten | softlbr convert -b app -p perf.data -t gcov=perf.data
 1 | 2 | | perf.data is an input: it is not overwritten | softlbr convert -b app -p perf.data -t gcov=perf.data --force
 1 | 2 | | perf.data is an input: it is not overwritten | softlbr convert -b app -t gcov=perf.data --force
 1 | 2 | | hard.data is the same file as the input perf.data | softlbr convert -b app -p perf.data -t gcov=x --stats=hard.data --force
 2 | 2 | | ./app is the same file as the input app | softlbr convert -b app -p perf.data -t gcov=./app --force
 2 | 2 | | hard.app is the same file as the input app | softlbr convert -b app -p perf.data -t gcov=hard.app --force
 2 | 2 | | soft.app is the same file as the input app | softlbr convert -b app -p perf.data -t gcov=soft.app --force
 2 | 2 | | app is the same file as the input soft.app | softlbr convert -b soft.app -p perf.data -t gcov=app --force
   | 2 | | hard.data is the same file as the input perf.data | softlbr convert -b app -p perf.data -t gcov=x -t fdata=hard.data --force
   | 2 | | soft.data is the same file as the input perf.data | softlbr convert -b app -p b.data -p perf.data,3 -t gcov=soft.data --force
   | 2 | | data.0 is a part of the input threads.data | softlbr convert -b app -p threads.data -t gcov=threads.data/data.0 --force
   | 2 | | hard.app is the same file as the input | softlbr convert -p own.data -t gcov=hard.app --force
   | 2 | | app.preagg is an input | softlbr convert -b app -p no-stacks.data --ip-samples --classify-by app.preagg -t preagg=app.preagg
   | 2 | | exists and is not preagg | cp app folder/loop.preagg; softlbr convert --all -p perf.data --output-dir folder -t preagg; s=$?; rm folder/loop.preagg; exit $s
 3 | 2 | | perf.data is an input | softlbr diff -b app perf.data b.data --html=perf.data
   | 2 | | ./b.data is the same file as the input b.data | softlbr diff -b app perf.data b.data --html=./b.data --force
   | 2 | | soft.app is the same file as the input app | softlbr diff -b app perf.data b.data --html=soft.app --force
   | 2 | | perf.data is an input | softlbr report -b app perf.data --html=perf.data --force
   | 2 | | source.c exists and is not a page of softlbr | softlbr report -b app perf.data --html=source.c
   | 2 | | source.c exists and is not a page of softlbr | softlbr check -b app perf.data --html=source.c
   | 1 | | cannot write /dev/full: No space left on device | softlbr report -b app perf.data --html=/dev/full
   | 2 | | hard.data is the same file as the input perf.data | softlbr diff -b app perf.data b.data --html=hard.data --force
 4 | 2 | | app.gcov is an input | softlbr merge -o app.gcov app.gcov app.gcov
   | 2 | | soft.app is the same file as the input | softlbr diff own.data b.data --html=soft.app --force
   | 2 | | hard.app is the same file as the input | softlbr merge --force -o hard.app own.data b.data
   | 2 | | app.gcov is an input | softlbr merge --force -o app.gcov app.gcov app.gcov
   | 2 | | hard.data is the same file as the input perf.data | softlbr merge --force -b app -o hard.data perf.data b.data
   | 2 | | app is an input | softlbr merge -b app -o app perf.data b.data
 5 | 125 | | ./app is an input | softlbr record -o ./app ./app
   | 125 | | hard.app is the same file as the input ./app | softlbr record --force -o hard.app ./app
   | 125 | | app is the same file as the input ./app | softlbr record --force -o soft.app ./app
   | 125 | | app is the same file as the input ./app | softlbr record --ptrace --force -o app ./app
   | 125 | | app is the same file as the input ./app | PATH=.:$PATH; softlbr record --force -o app app
   | 125 | | ./app is an input | softlbr record --stats=./app -o new ./app
   | 125 | | app is the same file as the input ./app | softlbr record --control=app -o new ./app
   | 125 | | sleeper is the same file as the input /proc/ | ./sleeper 20 & until [ /proc/$!/exe -ef sleeper ]; do sleep 0.1; done; softlbr record --force -o sleeper -p $!; s=$?; kill $!; exit $s
   | 125 | | perf.data is an input | softlbr record -o perf.data ./app perf.data
   | 125 | | agg/traces is the same file as the input ./agg/traces | softlbr record --aggregate agg ./agg/traces

# Two outputs are one file.
   | 2 | | two outputs cannot both be x | softlbr convert -b app -p perf.data -t gcov=x -t fdata=x
   | 2 | | two outputs cannot both be one file: ./x is x | softlbr convert -b app -p perf.data -t gcov=x -t fdata=./x
   | 2 | | two outputs cannot both be - | softlbr convert -b app -p perf.data -t preagg=- -t fdata=-
   | 125 | | two outputs cannot both be x | softlbr record -o x --stats=x ./app
   | 125 | | two outputs cannot both be x.old | softlbr record -o x --stats=x.old ./app

# What is there is of another kind.
   | 2 | | rebuilt exists and is not gcov | softlbr convert -b app -p perf.data -t gcov=rebuilt
   | 2 | | b.data exists and is not fdata | softlbr convert -b app -p perf.data -t fdata=b.data
   | 2 | | source.c exists and is not llvm-text | softlbr convert -b app -p perf.data -t llvm-text=source.c
   | 2 | | app.gcov exists and is not llvm-binary | softlbr convert -b app -p perf.data -t llvm-binary=app.gcov
   | 1 | | cannot write folder: Is a directory | softlbr convert -b app -p perf.data -t gcov=folder --force
   | 2 | | source.c exists and is not a page of softlbr | softlbr diff -b app perf.data b.data --html=source.c
   | 2 | | b.data exists and is not JSON of this kind | softlbr convert -b app -p perf.data -t gcov=x --stats=b.data
   | 2 | | rebuilt exists and is not gcov | softlbr merge -o rebuilt app.gcov app.gcov
   | 2 | | app.gcov exists and is not preagg | softlbr merge -b app -o app.gcov perf.data b.data
   | 1 | | cannot write folder: Is a directory | softlbr merge --force -o folder app.gcov app.gcov
   | 125 | | source.c exists and is not perf.data | softlbr record -o source.c ./app
   | 125 | | rebuilt exists and is not perf.data | softlbr record -o rebuilt ./app
   | 125 | | new.old exists and is not perf.data | cp app new.old; softlbr record -o new ./app; s=$?; rm new.old; exit $s
   | 125 | | cannot write folder: Is a directory | softlbr record --force -o folder ./app
   | 125 | | source.c exists and is not JSON of this kind | softlbr record -o new --stats=source.c ./app
   | 125 | | source.c exists and is not a socket | softlbr record -o new --control=source.c ./app
   | ?125 | | cannot listen at the control socket source.c | softlbr record --force -o new --control=source.c ./app
   | 0 | made | profile: | cp rebuilt made; softlbr convert -b app -p perf.data -t gcov=made --force
   | 0 | made | profile: | cp app.gcov made; softlbr convert -b app -p perf.data -t gcov=made
   | 0 | made | profile: | cp app.gcov made; chmod 600 made; softlbr convert -b app -p perf.data -t gcov=made && [ "$(stat -c %a made)" = 600 ]
   | 0 | made | profile: | ln -s app.gcov made; softlbr convert -b app -p perf.data -t gcov=made && [ ! -L made ]
   | 0 | made | profile: | : >made; softlbr convert -b app -p perf.data -t gcov=made
   | 0 | made | "" | cp notes.txt made; softlbr merge --force -o made app.gcov app.gcov
   | ?0 | made made.old | softlbr | cp perf.data made; softlbr record -o made bash -c 'for ((i = 0; i < 300000; i++)); do :; done' && cmp made.old perf.data
   | ?0 | made made.old | softlbr | cp notes.txt made; softlbr record --force -o made bash -c 'for ((i = 0; i < 300000; i++)); do :; done' && cmp made.old notes.txt
   | ?0 | made | nothing was recorded: made is left as it was | cp perf.data made; softlbr record -e task-clock -c 10s -o made ./app && cmp made perf.data

# Outputs that cannot be written; one of several.
 6 | 1 | | cannot create no/such/x: No such file or directory | softlbr convert -b app -p perf.data -t gcov=x -t fdata=no/such/x
 6 | 1 | | cannot write /dev/full: No space left on device | softlbr convert -b app -p perf.data -t gcov=x -t fdata=/dev/full
   | 1 | | cannot write /dev/full: No space left on device | softlbr convert -b app -p perf.data -t gcov=/dev/full -t fdata=x
   | 1 | | cannot write folder: Is a directory | softlbr convert -b app -p perf.data -t gcov=x -t fdata=folder
   | 1 | | cannot create /proc/x: | softlbr convert -b app -p perf.data -t gcov=x -t fdata=/proc/x
   | 1 | | Permission denied | [ "$(id -u)" != 0 ] || { echo "Permission denied" >&2; exit 1; }; softlbr convert -b app -p perf.data -t gcov=x -t fdata=readonly/x
   | 1 | | Is a directory | mkdir all all/loop.fdata; softlbr convert --all -p perf.data --output-dir all -t preagg -t fdata; s=$?; rmdir all/loop.fdata all; exit $s
   | 1 | | cannot write to the directory no/such: No such file | softlbr convert --all -p perf.data --output-dir no/such -t gcov
   | 1 | | cannot write to the directory source.c: Not a directory | softlbr convert --all -p perf.data --output-dir source.c -t gcov
   | 1 | | cannot write /dev/full: No space left on device | softlbr convert -b app -p perf.data -t gcov=x --stats=/dev/full
   | 0 | | "" | { sleep 1; softlbr convert -b app -p perf.data -t gcov=x -t preagg=-; } | :
   | 1 | | cannot write /dev/full: No space left on device | softlbr report -b app perf.data --to folded=x --html=/dev/full
   | 1 | | cannot write to standard output: No space left on device | softlbr version >/dev/full
   | 1 | | cannot write to standard output: No space left on device | softlbr help >/dev/full
   | 1 | | cannot write to standard output: No space left on device | softlbr show perf.data >/dev/full
   | ?1 | | No space left on device | softlbr doctor >/dev/full
   | 1 | | cannot write the report: No space left on device | softlbr diff -b app perf.data b.data --html=x >/dev/full
   | 1 | | cannot write standard output: No space left on device | softlbr convert -b app -p perf.data -t gcov=- -t fdata=x >/dev/full
   | 1 | | nothing was written to all: all its files appear together | mkdir all all/rebuilt.preagg; python3 "$cases/recording.py" rebuilt rebuilt.data; softlbr convert --all -p perf.data -p rebuilt.data --output-dir all -t preagg; s=$?; rmdir all/rebuilt.preagg all; rm rebuilt.data; exit $s
   | 1 | | cannot write /dev/full: No space left on device | softlbr diff -b app perf.data b.data --html=/dev/full
   | 1 | | cannot create no/such/x | softlbr merge -o no/such/x app.gcov app.gcov
   | 0 | made | profile: | softlbr convert -b app -p perf.data -t preagg=/dev/stdout >made

# What can't be run.
   | 126 | | cannot run ./notes.txt: Permission denied | softlbr record -o b.data ./notes.txt
   | 126 | | cannot run ./folder: Permission denied | softlbr record -o b.data ./folder
   | 127 | | cannot run ./nosuch: No such file or directory | softlbr record -o b.data ./nosuch

# What is recorded otherwise than asked, or not at all. (14 is in doctor.sh.)
 7 | 125 | | ./small is a 32-bit program | printf '\177ELF\1\1\1' >small; chmod +x small; softlbr record -o x ./small; s=$?; rm small; exit $s
 8 | ?125 | | has no PMU | ! softlbr doctor | grep 'branches: yes' || { echo "a PMU is there, not: has no PMU" >&2; exit 125; }; softlbr record -e branches -o x ./app
 9 | ?125 | | period 99999999999999999999: the number overflows | softlbr record -e task-clock -c 99999999999999999999 -o x ./app
 9 | 125 | | --depth 99999999999999999999: the number overflows | softlbr record -n 99999999999999999999 -o x ./app
10 | ?125 | | period 1m: give a unit of us, ms or s | softlbr record -e task-clock -c 1m -o x ./app
10 | 125 | | give a time with a unit of ms, s, m or h | softlbr record --duration 5furlongs -o x ./app
   | 125 | | --until 0: give a percentage from 50 to 99.9 | softlbr record --until=0 -o x ./app
   | 125 | | --until 100: give a percentage from 50 to 99.9 | softlbr record --until=100 -o x ./app
   | 125 | | --until 101: give a percentage from 50 to 99.9 | softlbr record --until=101 -o x ./app
   | 125 | | --until text: give a percentage from 50 to 99.9 | softlbr record --until=text -o x ./app
   | 125 | | --until nan: give a percentage from 50 to 99.9 | softlbr record --until=nan -o x ./app
   | 125 | | --until 98x: give a percentage from 50 to 99.9 | softlbr record --until=98x -o x ./app
11 | ?143 | made | recorded | "$program" record -o made ./sleeper 20 & for i in {1..99}; do read -r c </proc/$!/task/$!/children; [ ! /proc/$c/exe -ef sleeper ] || break; sleep 0.1; done; kill -INT $!; wait $!
12 | ?139 | x | ended by signal 11: Segmentation fault | softlbr record -o x bash -c 'kill -SEGV $$'
13 | ?0 | x | is statically linked: recording from outside | echo 'int main(void) { return 0; }' | ${CC:-cc} -static -o static -x c - && softlbr record -o x ./static; s=$?; rm static; exit $s
15 | ?0 | x | -> standard output | softlbr record -o - ./app >x && head -c 8 x | grep -q PERFILE2
15 | 125 | | standard output cannot be rotated | softlbr record -o - --signals ./app
   | 125 | | a whole system can't be recorded | softlbr record -a -o x
   | 125 | | give -c or -F, not both | softlbr record -c 1ms -F 100 -o x ./app

# Recordings and profiles that are cut, damaged, empty or none.
   | 3 | | cut.data is cut off (at byte 29608) | softlbr convert -b app -p cut.data -t preagg=x
   | 0 | x | cut.data is cut off (at byte 29608) | softlbr convert -b app -p cut.data --min-branches 100 --force -t preagg=x
   | 3 | | cut.gz is damaged or cut off | softlbr convert -b app -p cut.gz -t preagg=x
   | 3 | | nothing is not a perf.data file | softlbr convert -b app -p nothing -t preagg=x
   | 3 | | noise | softlbr convert -b app -p noise -t preagg=x
   | 3 | | notes.txt | softlbr convert -b app -p notes.txt -t preagg=x
   | 3 | | rebuilt | softlbr convert -b app -p rebuilt -t preagg=x
   | 3 | | app.gcov is gcov, a finished profile | softlbr convert -b app -p app.gcov -t preagg=x
   | 4 | | no samples | softlbr convert -b app -p empty.data -t preagg=x
   | 4 | | --ip-samples makes do with | softlbr convert -b app -p no-stacks.data -t preagg=x
   | 1 | | cannot open nosuch: No such file or directory | softlbr convert -b app -p nosuch -t preagg=x
   | 1 | | folder is neither a file nor a module | softlbr convert -b folder -p perf.data -t preagg=x
   | 1 | | no module libfoo.so was looked for: cut.data is cut off | softlbr convert -b libfoo.so -p cut.data -t preagg=x
   | 1 | | cannot open no/such: No such file or directory | softlbr convert -b no/such -p cut.data -t preagg=x
   | 3 | | bad.preagg | softlbr convert -b app -p bad.preagg -t preagg=x
21 | 3 | | damaged.txt: 10 lines of 100 are damaged, first line 10 | softlbr convert -b app -p damaged.txt -t preagg=x
21 | 0 | x | damaged lines were left out: 10, the first is line 10 | softlbr convert -b app -p damaged.txt --force -t preagg=x
21 | 0 | x | damaged lines were left out: 1, the first is line 70 | softlbr convert -b app -p one-damaged.txt -t preagg=x
21 | 0 | x | damaged lines were left out: 1, the first is line 70 | softlbr merge -b app -o x one-damaged.txt
21 | 0 | | damaged lines were left out: 1, the first is line 70 | softlbr diff -b app perf.data one-damaged.txt
21 | 0 | | damaged lines were left out: 1, the first is line 70 | softlbr check -b app one-damaged.txt
21 | 0 | | "" | softlbr show one-damaged.txt | grep -c 'damaged line.* [17]0*$' | grep -qx 2
22 | 0 | x | blanks.txt: 100 samples | softlbr convert -b app -p blanks.txt -t preagg=x
23 | 0 | x | cut.txt is cut off | softlbr convert -b app -p cut.txt --force --min-branches 1 -t preagg=x
23 | 3 | | cut.txt is cut off | softlbr convert -b app -p cut.txt -t preagg=x
   | 3 | | cut.gcov is not a whole profile | softlbr show cut.gcov
   | 3 | | cut.gcov is not a whole profile | softlbr merge -o x app.gcov cut.gcov
   | 3 | | cut.gcov is not a whole profile | softlbr update --old-source sources --new-source sources -o x cut.gcov
   | 3 | | noise | softlbr update --old-source sources --new-source sources -o x noise
   | 3 | | bad.fdata | softlbr merge -o x bad.fdata app.fdata
   | 3 | | counts of different kinds cannot be added | softlbr merge -o x app.gcov app.fdata
   | 3 | | noise | softlbr diff -b app noise perf.data --html=x
   | 3 | | cut.data is cut off | softlbr check -b app cut.data
   | 3 | | damaged.txt: 10 lines of 100 are damaged | softlbr show damaged.txt
   | 3 | | nothing is empty | softlbr show nothing

# Another binary.
   | 6 | | build-id | softlbr convert -b rebuilt -p perf.data -t gcov=x
   | 6 | | build-id | softlbr check -b rebuilt perf.data
   | 3 | | debug information | softlbr convert -b plain -p plain.data -t gcov=x
   | 3 | | source.c | softlbr convert -b source.c -p perf.data -t gcov=x

# Usage.
   | 2 | | there is no format gvoc | softlbr convert -b app -p perf.data -t gvoc=x
   | 2 | | --to | softlbr convert -b app -p perf.data
   | 2 | | files to merge and --output are needed | softlbr merge app.gcov
16 | 2 | | did you mean record? | softlbr recrod ./app
17 | 2 | | did you mean --profile? | softlbr convert -b app --profle perf.data -t gcov=x
18 | 2 | | there is no command frobnicate | softlbr frobnicate app

# Recordings and profiles of other tools.
19 | 0 | x | profile: | softlbr convert -b app -p old-id.data -t preagg=x
19 | 6 | | was not recorded | softlbr convert -b rebuilt -p old-id.data -t preagg=x
20 | 0 | x | "" | softlbr merge -o x kernel.fdata app.fdata
24 | 4 | | holds call stacks (perf record --call-graph lbr) | softlbr convert -b app -p call-stacks.data -t preagg=x
25 | 4 | | the text has no lines of mappings | softlbr convert -b app -p unplaced.txt -t preagg=x
26 | 4 | | are they offsets (-F brstackoff) | softlbr convert -b app -p offsets.txt -t preagg=x
27 | 4 | | perf inject -i pt.data | softlbr convert -b app -p pt.data -t preagg=x
27 | 3 | | perf script --itrace= | softlbr convert -b app -p pt.txt -t preagg=x
28 | 3 | | in the middle of the one before | softlbr convert -b app -p contexts.txt -t preagg=x
29 | 3 | | bolt.yaml is llvm-bolt's YAML | softlbr convert -b app -p bolt.yaml -t preagg=x
30 | 0 | x y | "" | softlbr diff -b stripped perf.data perf.data --html=x --json >y && ! grep -iwE "nan|-nan|inf" x y
ROWS
chmod 755 readonly

[ $left_out = 0 ] || skip_part "$left_out rows need a machine that records (softlbr doctor)"
for ((i = 1; i <= 30; i++)); do
  [[ $numbers == *" $i "* ]] || echo "of the list, $i has no row here"
done
echo "$rows rows, $failed failed"
[ $failed = 0 ]
