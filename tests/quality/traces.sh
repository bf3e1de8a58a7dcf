# SPDX-License-Identifier: MIT
# traces.sh: recorded bursts of branches with exact counts; sourced by bash. $traces says whose:
#   own      tests/data/bursts: programs of this project
#   shared   those that SOFTLBR_SHARED has
# Bursts of kind `time` have 64 branches and were started by a timer; those of kind `branches` have 16, and
# were started by each so-many-th taken branch, so that they are biased towards nothing.
traces_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

case $traces in
  own)
    traces_data=$traces_root/tests/data/bursts
    programs="requests network squeeze steps"
    ;;
  shared)
    traces_data=${SOFTLBR_SHARED:-}/data/bursts
    programs="bzip2 ho lua mcfl"
    [ -d "$traces_data" ] || {
      echo "SKIP: SOFTLBR_SHARED names no folder with data/bursts"
      exit 77
    }
    ;;
esac

# traces_program NAME: ./NAME, whose code has the recorded addresses
traces_program() {
  case $traces in
    own)
      as "$traces_data/$1.s" -o "$1.o"
      ld -static -nostdlib -Ttext=0x401000 "$1.o" -o "$1"
      ;;
    shared)
      xz -dc "$traces_data/$1.bin.xz" >"$1"
      ;;
  esac
}

# traces_exact NAME: NAME.exact, as tests/oracles/exact_edges.py has it, of ./NAME
traces_exact() {
  case $traces in
    own)
      # the program's status is part of its sums
      valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --skip-plt=no \
        --callgrind-out-file="$1.callgrind" ./"$1" >"$1.log" 2>&1 || [ $? = 1 ]
      python3 "$traces_root/tests/oracles/exact_edges.py" "$1.callgrind" "$1" "$1.exact"
      ;;
    shared)
      awk '{ print "E", $2, $3, $4, $1 == "T" ? "taken" : "fall" }' "$traces_data/$1.exact" >"$1.exact"
      ;;
  esac
}

# traces_records NAME: NAME.preagg, the same counts as pre-aggregated records
traces_records() {
  case $traces in
    own) python3 "$traces_root/tests/oracles/exact_ranges.py" "$1.exact" "$1" "$1.preagg" ;;
    shared) awk '{ print $5 == "fall" ? "F" : "B", $2, $3, $4, $5 == "fall" ? "" : 0 }' "$1.exact" >"$1.preagg" ;;
  esac
}

# traces_bursts NAME time|branches DEPTH: text of perf script, of each burst the first so many branches
traces_bursts() {
  case $traces in
    own)
      xz -dc "$traces_data/$1.$2.xz" | awk -v depth="$3" '{
        printf "%s", $1
        for (i = NF - depth + 1 > 2 ? NF - depth + 1 : 2; i <= NF; i++) printf " %s", $i
        print ""
      }'
      ;;
    shared)
      xz -dc "$traces_data/$1.$2".n*.xz | python3 -c '
import struct, sys
data, depth, at = sys.stdin.buffer.read(), int(sys.argv[1]), 0
while at < len(data):
    _, count = struct.unpack_from("<II", data, at)
    words = struct.unpack_from("<%dI" % (2 * count), data, at + 8)
    at += 8 + 8 * count
    burst = list(zip(words[::2], words[1::2]))[:depth]
    if burst:
        print("%x" % burst[-1][1], *("0x%x/0x%x/P/-/-/0" % edge for edge in reversed(burst)))' "$3"
      ;;
  esac
}
