#!/bin/sh
# SPDX-License-Identifier: MIT
# tour.sh: scripts/tour.py takes numbers, good for fair, and a recording that should be longer, as the machine's
# business. Another text, a poor profile, or another status is a fault. The program is a stand-in that prints a file.
set -eu
. "$(dirname "$0")/../prelude.sh"
needs python3
cd "$work"
mkdir bin
cat >bin/softlbr <<END
#!/bin/sh
cat "$work/printed"
exit "\$(cat "$work/status")"
END
chmod +x bin/softlbr
echo 0 >status

# expect STATUS WHAT: of the page, which has the lines of `page`, when the program prints those of `printed`
expect() {
  printf '# A session\n\n```console\n$ softlbr record\n%s\n```\n' "$(cat page)" >page.md
  is=0
  python3 "$root/scripts/tour.py" --program bin/softlbr page.md >err 2>&1 || is=$?
  [ $is = "$1" ] || fail "status $is, not $1: $2"
}

line='softlbr: recorded 10.68 s of CPU time: 853 samples -> perf.data'
noisy='expected overlap with exact counts; sampling noise is about 2.8 %; record 21 s in all for 2 %'
verdicts='
softlbr: record longer; good: 96 % (91 to 99 %) '$noisy'
softlbr: record longer; fair: 90 % (78 to 97 %) '$noisy'
softlbr: record longer: there are only 62 traces; fair: 85 % (68 to 95 %) '$noisy'
softlbr: record longer: at the end, 3.1 % of the recorded branches (70 per second) were at places not seen before
softlbr: fair: 94 % (88 to 98 %) expected overlap with exact counts: how fast a part of the code ran could not be measured'

# what is taken for the same
printf '%s\n%s\n' "$line" "${verdicts##*
}" >page
echo "$verdicts" | while read -r other; do
  printf '%s\n%s\n' "$line" "$other" | sed 's/853/91/; s/[0-9]* to/7 to/' >printed
  expect 0 "$other"
done
for grades in good/good good/fair fair/good fair/fair; do
  echo "profile: ${grades%/*}: 98 % (97 to 99 %) expected overlap with exact counts" >page
  echo "profile: ${grades#*/}: 94 % (87 to 98 %) $noisy" >printed
  expect 0 "$grades"
done

# what is not
echo "$line" >page
for other in "softlbr: nothing" "softlbr: poor: 62 % (40 to 80 %) expected overlap" \
  "softlbr: record longer; poor: 62 % (40 to 80 %) $noisy" \
  "softlbr: record longer: there are only 3 traces; poor: 62 % (40 to 80 %) $noisy"; do
  printf '%s\n%s\n' "$line" "$other" >printed
  expect 1 "$other"
done
echo "profile: good: 98 % (97 to 99 %) expected overlap with exact counts" >page
echo "profile: poor: 62 % (40 to 80 %) expected overlap with exact counts" >printed
expect 1 "a poor profile"
cp page printed
expect 0 "the same"
echo 6 >status
expect 1 "another status"
