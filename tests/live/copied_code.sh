#!/bin/sh
# SPDX-License-Identifier: MIT
# copied_code.sh SOFTLBR: code that a program copied to anonymous memory at its own addresses, for huge pages, is the
# file's: recorded from the beginning and attached to, and it is said in text, JSON and page. Other code at such addresses
# is not the file's, and that is said, too.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
program=
undo() { [ -z "$program" ] || kill -KILL $program 2>/dev/null || :; }
needs_recording
needs python3
cd "$work"
${CC:-cc} -O2 -g "$here/copied_code.c" -o copied

# is_whole NAME: nearly all branches of NAME.data are in the loop of turns
is_whole() {
  "$softlbr" convert -b copied -p $1.data --to preagg=$1.preagg >out 2>err || [ $? = 5 ] || fail "$1: $(cat err)"
  "$softlbr" show --json --by functions,modules $1.data >json || fail "$1: show"
  python3 - <<'END' || fail "$1: $(cat json)"
import json
sheet = json.load(open("json"))
[turns] = [row for row in sheet["functions"]["rows"] if row["function"] == "turns"]
assert turns["share"] > 0.9
assert not [row for row in sheet["modules"]["rows"] if "anon" in row["path"]]
END
}

# is_told NAME: that the code was copied
is_told() {
  grep -q 'note: anonymous memory lies over code of .*/copied, at its own addresses: taken as that code' err || fail "$1: $(cat err)"
  "$softlbr" report $1.data | grep -q '^note .*anonymous memory lies over code' || fail "$1: report"
  "$softlbr" report --html=- $1.data | grep -q 'anonymous memory lies over code' || fail "$1: page"
  grep -q '"copied_code"' json || fail "$1: JSON"
  "$softlbr" check -b copied $1.data | grep -q '^note .*anonymous memory lies over code' || fail "$1: check"
}

for how in file map move; do
  "$softlbr" record -q -o $how.data -- ./copied $how 1 >out || fail "$how: status $?"
  is_whole $how
done
is_whole map
is_told map

"$softlbr" record -q -o reuse.data -- ./copied reuse 2 || fail "reuse: status $?"
"$softlbr" convert -b copied -p reuse.data --to preagg=reuse.preagg 2>err || [ $? = 5 ] || fail "reuse: $(cat err)"
told='anonymous memory lies where code of .*/copied was, and its branches are not'
grep -q "note: $told" err || fail "reuse: convert says: $(cat err)"
"$softlbr" report --view=branches reuse.data >out && grep -q "^note .*$told" out || fail "reuse: report"
"$softlbr" report --json reuse.data >report.json && "$softlbr" show --json --by functions,modules reuse.data >json &&
  "$softlbr" check --json -b copied reuse.data >checked || [ $? = 5 ] || fail "reuse: check"
python3 - <<'END' || fail "reuse: $(cat json)"
import json
sheet, report, check = (json.load(open(name)) for name in ("json", "report.json", "checked"))
modules = {row["path"].split("/")[-1]: row["share"] for row in sheet["modules"]["rows"]}
assert 0.2 < modules["anon"] < 0.8 and modules["anon"] + modules["copied"] > 0.9, modules
assert check["valid_branches"] > 0.99 and "are not that code's" in check["copied_code"], check
assert "are not that code's" in report["copied_code"] and "are not that code's" in sheet["copied_code"]
assert any("anon" in row["path"] for row in report["unresolved"]["rows"]), report["unresolved"]
END

if can_attach; then
  for how in map move; do
    ./copied $how 60 >out &
    program=$!
    becomes grep -q ready out
    for seconds in 1 5 20; do
      "$softlbr" record -q -p $program -o attached.data --duration ${seconds}s || fail "attached: status $?"
      samples=$("$softlbr" show --json attached.data | sed -n 's/^ *"samples": \([0-9]*\),*$/\1/p' | head -1)
      [ "$samples" -lt 5 ] || break
    done
    kill -KILL $program
    program=
    is_whole attached
    is_told attached
  done
else
  skip_part "nothing can be attached to"
fi
echo "code in copies is the file's"
