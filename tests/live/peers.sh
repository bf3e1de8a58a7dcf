#!/bin/bash
# SPDX-License-Identifier: MIT
# A recording of ours is a perf.data like any other: perf, autofdo, llvm-profgen and perf2bolt read it
# without complaint and see the branches that we see. usage: peers.sh SOFTLBR
set -u
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
cd "$root/examples/interpreter" || exit 1
failed=0 tried=0

fail() {
  echo "FAIL: $*"
  failed=1
}

# check WHAT EXPECTED FOUND
check() {
  if [ "$2" = "$3" ]; then
    echo "$1: $3"
  else
    fail "$1: $3 instead of $2"
  fi
}

# quiet NAME: the peer had nothing to complain of. What is listed here is true: ours have no
# mispredictions, a sample may well be in code that has no symbol, as the PLT, and the recording is short.
quiet() {
  if grep -iE 'error|warning|invalid|corrupt|unsupported|fail' "$work/$1" |
    grep -vE 'misprediction bit is missing in profile|from ranges that do not belong to any func' |
    grep -v 'BOLT is estimated to optimize better with .* more samples' |
    grep .; then
    fail "$1 complained"
  fi
}

have() {
  if command -v "$1" >/dev/null; then
    tried=$((tried + 1))
  else
    skip_part "$1 is not installed"
    return 1
  fi
}

# DWARF 4, which is all that Debian's autofdo can read
${CC:-gcc} -O2 -g -gdwarf-4 -Wl,-q -fno-reorder-blocks-and-partition *.c -o "$work/interpreter" || exit 1
cp training.asm "$work"
cd "$work" || exit 1
"$softlbr" record -c 200us -n 16 --timer-correction=off -o recording ./interpreter training.asm 30 >out 2>messages
status=$?
[ $status != 125 ] || skip "softlbr record cannot run here: $(tail -1 messages)"
cat messages
check "status of the recorded program" 0 $status
"$softlbr" convert -v --binary interpreter --profile recording --frequencies=raw --to preagg=ours \
  --smooth=none --to fdata=ours.fdata --to afdo-text=ours.afdo --to ranges=ours.ranges --to gcov=ours.gcov 2>funnel || {
  cat funnel
  fail "softlbr convert: status $?"
}
samples=$(awk '/samples read/ {print $1}' funnel)
branches=$(awk '/branches read/ {print $1}' funnel)
[ "${branches:-0}" -ge 1000 ] || fail "only ${branches:-no} branches were recorded" # 9,000 +- 400

if have perf; then
  perf script -i recording -F ip,brstack >script.txt 2>perf-script
  quiet perf-script
  check "perf script: samples" "$samples" "$(wc -l <script.txt)"
  check "perf script: branches" "$branches" "$(grep -o '0x[0-9a-f]*/0x' script.txt | wc -l)"
  perf script -i recording -F ip,brstack --show-mmap-events >mapped.txt 2>perf-script
  quiet perf-script
  python3 "$oracles/branch_types.py" interpreter mapped.txt || fail "perf script shows other types of branches"
  perf report -i recording --stdio --show-nr-samples >report.txt 2>perf-report
  quiet perf-report
  grep -q 'machine_run' report.txt || fail "perf report shows no machine_run"
  check "perf report: branches" "$branches" \
    "$(sed -n 's/^# Event count (approx.): //p' report.txt)"
fi
if have sample_merger; then
  sample_merger --binary=interpreter --profile=recording --output_file=autofdo.txt \
    >sample_merger 2>&1 || fail "sample_merger: status $?"
  quiet sample_merger
  python3 "$here/peers.py" interpreter ours autofdo.txt || fail "autofdo sees other counts"
fi
if have create_gcov; then
  create_gcov --binary=interpreter --profile=recording --gcov=out.gcov --gcov_version=2 \
    >create_gcov 2>&1 || fail "create_gcov: status $?"
  quiet create_gcov
  [ -s out.gcov ] || fail "create_gcov wrote nothing"
  # of our text as of our recording, and of counts without samples
  "$softlbr" convert --binary interpreter --profile ours --to afdo-text=summed.afdo 2>messages ||
    fail "softlbr convert of preagg: $(cat messages)"
  for text in ours summed; do
    create_gcov --binary=interpreter --profiler=text --profile=$text.afdo --gcov=$text-out.gcov --gcov_version=2 \
      >create_gcov 2>&1 || fail "create_gcov --profiler=text $text.afdo: status $?"
    quiet create_gcov
    cmp out.gcov $text-out.gcov || fail "create_gcov makes another profile of $text.afdo"
  done
  "$softlbr" diff --binary interpreter --fail-under=0.99 ours-out.gcov ours.gcov >diff 2>&1 ||
    fail "create_gcov has other counts of lines than we: $(cat diff)"
fi
if have create_llvm_prof; then
  # as text: its binary format is broken in Debian 12 whatever it reads
  create_llvm_prof --binary=interpreter --profile=recording --format=text --out=out.prof \
    >create_llvm_prof 2>&1 || fail "create_llvm_prof: status $?"
  quiet create_llvm_prof
  grep -q '^machine_run:' out.prof || fail "create_llvm_prof has no machine_run"
fi
versions="16 19"
for version in 20 21 22 23 24; do
  [ ! -x /usr/lib/llvm-$version/bin/perf2bolt ] || versions="$versions $version"
done
for version in $versions; do
  if have llvm-profgen-$version && have perf; then
    llvm-profgen-$version --binary=interpreter --perfdata=recording --skip-symbolization \
      --use-offset=0 --output=profgen-$version.txt >profgen-$version 2>&1 ||
      fail "llvm-profgen-$version: status $?"
    quiet profgen-$version
    python3 "$here/peers.py" interpreter ours profgen-$version.txt ||
      fail "llvm-profgen-$version sees other counts"
    for source in --perfdata=recording "--use-offset=0 --unsymbolized-profile=ours.ranges"; do
      llvm-profgen-$version --binary=interpreter $source --format=text --output="${source##*=}.prof" >log 2>&1 ||
        fail "llvm-profgen-$version $source: status $?"
    done
    cmp recording.prof ours.ranges.prof || fail "llvm-profgen-$version makes another profile of our ranges"
  fi
  if [ $version -ge 21 ]; then
    "$softlbr" convert --binary interpreter --profile recording --frequencies=raw --bolt=$version \
      --to preagg=ours-$version 2>messages || fail "softlbr convert --bolt=$version: $(cat messages)"
    grep -q '^T' ours-$version || fail "no traces for perf2bolt $version"
    for preagg in ours ours-$version; do
      /usr/lib/llvm-$version/bin/perf2bolt interpreter --pa -p $preagg -o $preagg.peer >log 2>&1 ||
        fail "perf2bolt $version --pa $preagg: status $?"
      quiet log
    done
    cmp ours.peer ours-$version.peer || fail "perf2bolt $version makes another profile of traces"
  fi
  # not /usr/bin/perf2bolt-16, which behaves as llvm-bolt
  perf2bolt=/usr/lib/llvm-$version/bin/perf2bolt
  if [ $version -ge 23 ] && ! grep -q '/0/[A-Z]*/' script.txt; then
    skip_part "perf2bolt $version reads no text of perf before 6.12"
  elif have $perf2bolt && have perf; then
    $perf2bolt interpreter -p recording -o bolt-$version.fdata >perf2bolt-$version 2>&1 ||
      fail "perf2bolt $version: status $?"
    quiet perf2bolt-$version
    check "perf2bolt $version" "read $samples samples and $branches entries" \
      "$(sed -En 's/^PERF2BOLT: (read .*) (LBR|brstack) (entries)$/\1 \3/p' perf2bolt-$version)"
    [ $version -gt 19 ] || check "perf2bolt $version: ignored" "0 samples (0.0%) were ignored" \
      "$(sed -n 's/^PERF2BOLT: \(.* were ignored\)$/\1/p' perf2bolt-$version)"
    check "perf2bolt $version: mismatching traces" "0 (0.0%)" \
      "$(sed -n 's/^PERF2BOLT: traces mismatching .* contents: //p' perf2bolt-$version)"
    "$softlbr" diff --binary interpreter --fail-under=0.99 bolt-$version.fdata ours.fdata >diff 2>&1 ||
      fail "perf2bolt $version: other branches than in our fdata: $(cat diff)"
  fi
done
[ $tried -gt 0 ] || skip "none of perf, autofdo, llvm-profgen and perf2bolt is installed"
exit $failed
