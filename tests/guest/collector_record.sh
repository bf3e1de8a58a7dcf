# SPDX-License-Identifier: MIT
# What the parts of collector.sh share, in the guest. They end with `exit $failed`.
failed=0
fail() {
  echo "FAIL: $*"
  failed=1
}

# how many percent of audits may be wrong
wrong=0

# record NAME AUDITS OPTION... -- COMMAND...: the command's status; no more audits are wrong, and there are so many of them
record() {
  local name=$1 audits=$2 status
  shift 2
  timeout 200 ./softlbr record -q -e task-clock --stats="$name.json" -o "$name.data" "$@" 2>"$name.err"
  status=$?
  head -n 3 "$name.err" >&2
  python3 collector_figures.py --audits "$audits" --wrong $wrong "$name.json" >&2 || fail "$name: see above" >&2
  return $status
}

# same NAME AUDITS OPTIONS COMMAND...: it is recorded, with the same output and status as without
same() {
  local name=$1 audits=$2 options=$3 status
  shift 3
  "$@" >plain.out 2>&1
  status=$?
  # in this shell, whose `failed` it is
  record "$name" "$audits" $options --audit=1 --depth=16 --timer-correction=off -- "$@" >recorded.out
  [ $? = $status ] || fail "$name: another status than $status"
  [ "$(cksum <plain.out)" = "$(cksum <recorded.out)" ] || fail "$name: other output"
}
