#!/bin/bash
# SPDX-License-Identifier: MIT
# tools.sh [--runs N] [--table FILE] SOFTLBR [NAME...]: the programs of tools.txt run as without softlbr, output and
# status, N times (20) each way: from inside, from outside (--ptrace), and attached before their first instruction (-p);
# in turn with a sample each millisecond, each 250 us, and default options. What is not installed is passed over.
set -euo pipefail
runs=20
table=
while [ $# -gt 0 ]; do
  case $1 in
    --runs) runs=$2 && shift 2 ;;
    --table) table=$(realpath "$2") && shift 2 ;;
    *) break ;;
  esac
done
softlbr=$(realpath "$1")
shift
. "$(dirname "$0")/../prelude.sh"
cd "$work"
needs_recording_inside
can_attach || skip "nothing can be traced here"
export input=$work/input PATH="$PATH:/usr/games" LC_ALL=C HOME=$work
mkdir input

# ---- inputs ----------------------------------------------------------------------------------------
find "$root" -name '*.[ch]' -not -path '*/build*' | sort | head -n 100 | xargs cat | head -c 600000 >input/text
cp "$root/tests/live/survival.sh" input/script
cp "$root/docs/man/softlbr-record.1" input/page.1
cat >input/problem.p <<'END'
fof(a1, axiom, ![X, Y, Z]: m(m(X, Y), Z) = m(X, m(Y, Z))).
fof(a2, axiom, ![X]: m(e, X) = X).
fof(a3, axiom, ![X]: m(i(X), X) = e).
fof(a4, axiom, ![X]: m(X, m(X, X)) = e).
fof(h1, axiom, ![X, Y]: c(X, Y) = m(X, m(Y, m(i(X), i(Y))))).
fof(g, conjecture, ![X, Y]: c(c(X, Y), Y) = e).
END
python3 - <<'END'
import json, math, os, random, struct
random.seed(5)
os.chdir("input")
with open("data.json", "w") as f:
    json.dump([{"id": i, "tags": [random.randrange(50) for _ in range(8)], "name": "n%d" % random.randrange(1000)}
               for i in range(20000)], f)
genome = "".join(random.choice("ACGT") for _ in range(400000))
with open("genome.fa", "w") as f:
    f.write(">c\n" + genome + "\n")
with open("reads.fa", "w") as f:
    for i in range(200):
        at = random.randrange(len(genome) - 2000)
        read = list(genome[at:at + 2000])
        for _ in range(60):
            read[random.randrange(2000)] = random.choice("ACGT")
        f.write(">r%d\n%s\n" % (i, "".join(read)))
with open("sat.cnf", "w") as f:
    f.write("p cnf 220 940\n")
    for i in range(940):
        f.write(" ".join(str(random.choice((1, -1)) * v) for v in random.sample(range(1, 221), 3)) + " 0\n")
with open("sound.raw", "wb") as f:
    f.write(b"".join(struct.pack("<hh", int(9000 * math.sin(i / 7)) + random.randrange(900), int(8000 * math.sin(i / 11)))
                     for i in range(44100 * 5)))
END

# ---- one run -----------------------------------------------------------------------------------------
options() {
  case $(($1 % 3)) in
    0) printf '%s ' -e task-clock -c 1ms ;;
    1) printf '%s ' -e task-clock -c 250us ;;
    2) ;;
  esac
}

# runs_as WAY RUN: $command, in an empty directory; got, and the status in $rc
runs_as() {
  rm -rf run
  mkdir run
  rc=0
  case $1 in
    plain) (cd run && exec timeout 100 sh -c "$command") >got 2>err </dev/null || rc=$? ;;
    inside) (cd run && exec timeout 100 "$softlbr" record $(options "$2") -o ../data -- sh -c "$command") >got 2>err </dev/null || rc=$? ;;
    outside) (cd run && exec timeout 100 "$softlbr" record --ptrace $(options "$2") -o ../data -- sh -c "$command") >got 2>err </dev/null || rc=$? ;;
    attached)
      rm -f go
      mkfifo go
      (cd run && read -r line <../go && exec timeout -s KILL 100 sh -c "$command") >got 2>err.run </dev/null &
      program=$!
      "$softlbr" record $(options "$2") -o data -p $program 2>err &
      recorder=$!
      within 30 grep -q 'TracerPid:[[:space:]]*[1-9]' /proc/$program/status || fail "$name: not attached"
      echo go >go
      wait $program || rc=$?
      wait $recorder || :
      ;;
  esac
  traces=$((traces + $(sed -n 's/^softlbr: recorded.*: \([0-9]*\) samples*.*/\1/p' err | awk '{ n += $1 } END { print n + 0 }')))
}

# way NAME WAY: $cell is what the table says
way() {
  same=0
  traces=0
  for ((run = 0; run < runs; run++)); do
    runs_as "$2" $run
    if [ $rc = $expected ] && cmp -s got expected; then
      same=$((same + 1))
    else
      echo "  $1, $2, run $run: status $rc, not $expected; $(diff expected got | head -n 3)"
      grep '^softlbr' err | tail -n 2 || :
    fi
  done
  [ $traces -gt 0 ] || echo "  $1, $2: no samples"
  cell="$same of $runs"
  [ $same = "$runs" ] && [ $traces -gt 0 ]
}

failed=
tested=
while IFS= read -r line; do
  case $line in
    '#'*) continue ;;
  esac
  read -r name command <<<"${line#\*}"
  case " $* " in
    '  ' | *" $name "*) ;;
    *) continue ;;
  esac
  command -v "$name" >/dev/null || {
    skip_part "$name is not installed"
    continue
  }
  traces=0
  runs_as plain 0
  expected=$rc
  cp got expected
  row="| $name"
  for way in inside outside attached; do
    way "$name" $way || failed="$failed $name"
    row="$row | $cell"
  done
  echo "$row | $traces |"
  [ -z "$table" ] || echo "$row |" >>"$table"
  tested="$tested $name"
done <"$here/tools.txt"
[ -z "$failed" ] || fail "not as without softlbr:$failed"
echo "tested:$tested"
echo PASS
