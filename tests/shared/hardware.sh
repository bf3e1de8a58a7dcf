#!/bin/bash
# SPDX-License-Identifier: MIT
# A recording of hardware LBR to a source profile, against an independent statement of autofdo's
# rules: equal in every line but those listed, with the reason, in hardware.differences. autofdo's text of the
# recording, at file offsets, has all the ranges that we have.
# usage: hardware.sh SOFTLBR
set -eu
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
data=${SOFTLBR_SHARED:-}/data/hardware-lbr/gzip_westmere
[ -r "$data/test.lbr" ] || skip "SOFTLBR_SHARED names no folder with $data"

# The binary is stated to be the recorded one: it has no build-id. Half of its functions were entered
# before the recording began, and run on: the profile is good all the same.
"$softlbr" convert -v --binary "$data/test.binary" --profile "$data/test.lbr" \
  --to llvm-text="$work/ours" 2>"$work/log" || {
  cat "$work/log"
  exit 1
}
grep -q '134677 .* in the binary' "$work/log"
grep -q '^profile: good: ' "$work/log"
"$softlbr" check --binary "$data/test.binary" "$data/test.lbr" >"$work/log"

theirs=$data/test.headsemantics.rawdisc.textprof
if [ -x /usr/lib/llvm-16/bin/llvm-symbolizer ]; then
  python3 "$SOFTLBR_SHARED/tools/autofdo_rules.py" "$data/test.debian019.samples.txt" \
    "$data/test.binary" --raw-disc >"$work/theirs"
  theirs=$work/theirs
fi
python3 "$root/tests/live/profile_lines.py" "$theirs" "$work/ours" >"$work/found"
grep -vE '^(#|$)' "$here/hardware.differences" | LC_ALL=C sort >"$work/expected"
LC_ALL=C sort "$work/found" | diff "$work/expected" - && echo "$(wc -l <"$work/found") lines differ, as listed"

# Threads count the same: the recording is long enough for them to be started.
for threads in 1 2 8; do
  mkdir "$work/$threads"
  (cd "$work/$threads" && "$softlbr" convert --binary "$data/test.binary" --profile "$data/test.lbr" \
    --threads $threads --to llvm-text=text --to gcov=gcov --to fdata=fdata \
    --to preagg=preagg 2>log)
  diff -r "$work/1" "$work/$threads" || {
    echo "the results differ with $threads threads"
    exit 1
  }
done

# The text of perf script, whichever fields it is asked for, gives the same.
if command -v perf >/dev/null; then
  for fields in ip,brstack pid,brstack pid,tid,brstack pid,ip,brstack comm,tid,time,event,ip,sym,dso,brstack \
    comm,pid,tid,time,event,ip,brstack; do
    perf script -i "$data/test.lbr" -F $fields --show-mmap-events >"$work/script" 2>"$work/log"
    "$softlbr" convert --binary "$data/test.binary" --profile "$work/script" --frequencies=raw \
      --to preagg="$work/of-text" 2>"$work/log" || {
      cat "$work/log"
      exit 1
    }
    "$softlbr" convert --binary "$data/test.binary" --profile "$data/test.lbr" --frequencies=raw \
      --to preagg="$work/of-file" 2>"$work/log"
    cmp "$work/of-text" "$work/of-file" || {
      echo "perf script -F $fields gives another profile"
      exit 1
    }
  done
else
  skip_part "perf is not installed: its text is not compared"
fi

convert() {
  "$softlbr" convert --binary "$data/test.binary" --profile "$1" --to preagg="$2" 2>"$work/log" || [ $? = 5 ] || {
    cat "$work/log"
    exit 1
  }
  awk '/^[Ff]/ { n[$2 " " $3] += $4 } END { for (r in n) print r, n[r] }' "$2" | sort
}
convert "$data/test.debian019.samples.txt" "$work/preagg" >"$work/of-text"
convert "$data/test.lbr" "$work/preagg" >"$work/direct"
[ "$(wc -l <"$work/direct")" -gt 300 ]
diff "$work/of-text" "$work/direct"

# The job of docs/ci that compares with hardware, on this recording: the same program, at input of our own, whose exact
# counts reach 0.69 at edges (docs/results.md).
"$softlbr" record -q -o "$work/try.data" -- true >"$work/log" 2>&1 || {
  skip_part "softlbr record cannot run here: the job of docs/ci was not run"
  exit
}
python3 -c 'import yaml' 2>/dev/null || {
  skip_part "python3-yaml is not installed: the job of docs/ci was not run"
  exit
}
cd "$work"
mkdir -p bin job/hardware
ln -s "$softlbr" bin/softlbr
cp "$data/test.binary" "$data/test.lbr" job/hardware
chmod +x job/hardware/test.binary
cd job
python3 - "$root" >input <<'END'
import pathlib, random, sys
generator = random.Random(1)
sources = "".join(path.read_text() for path in sorted(pathlib.Path(sys.argv[1]).glob("converter/**/*.c")))
log = "".join(f"{1600000000 + i} host{generator.randrange(50)} GET /page/{generator.randrange(999)} {generator.randrange(9999)}\n"
              for i in range(50000))
sys.stdout.buffer.write(sources.encode()[:2 << 20] + log.encode()[:2 << 20] + generator.randbytes(2 << 20))
END
"$root/tests/live/ci_steps.py" "$root/docs/ci/github.yml" hardware steps
job() {
  for step in steps/*.sh; do
    grep -q '^softlbr ' "$step" || continue # what the services install
    (
      . steps/environment
      export RECORDED=hardware/test.binary HARDWARE=hardware/test.lbr TRAINING="input 24" LIMIT=$1
      PATH=$work/bin:$PATH bash -e "$step"
    ) >"$work/log" 2>&1 || return
  done
}
job 0.5 || fail "$(cat "$work/log")"
grep -E '^(edge|within) ' "$work/log"
status=0
job 0.95 || status=$?
[ $status = 7 ] || fail "another input's profile is 95 % of it: status $status: $(cat "$work/log")"
