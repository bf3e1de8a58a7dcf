#!/bin/bash
# SPDX-License-Identifier: MIT
# Pages in a browser: what is clicked, typed and searched; contrast and names for who does not see them; no request.
# usage: page.sh SOFTLBR UNIT_PAGE_FLAME
set -eu
softlbr=$(realpath "$1")
flame=$(realpath "$2")
. "$(dirname "$0")/../prelude.sh"
needs python3 "${CXX:=g++}" objdump node npm chromium
NODE_PATH=$(npm root -g)
export NODE_PATH
node -e 'require("playwright-core"); require("axe-core")' 2>/dev/null ||
  skip "no playwright-core or axe-core (scripts/install-deps.sh --test)"
cd "$work"
"$CXX" -std=c++17 -O1 -g -o visits "$here/page.cc"

# A synthetic text of hardware's entries: each loop goes round in 2 cycles if that was predicted, in 20 if not.
objdump -d --no-show-raw-insn visits >code
python3 - <<'END' >text
import re
jumps = re.findall(r"^ +(\w+):\s+j\w+ +(\w+) <_ZN\w+\+\w+>$", open("code").read(), re.M)
loops = [(jump, head) for jump, head in jumps if int(head, 16) < int(jump, 16)]
assert len(loops) == 30, loops
for number, (jump, head) in enumerate(loops):
    for cycles in (2, 20):
        entry = f"0x{jump}/0x{head}/{'P' if cycles == 2 else 'M'}/-/-/{cycles}"
        for _ in range(20 * (number + 1)):
            print(" " + " ".join([entry] * 6))
END
"$softlbr" report --binary visits --html=report.html text 2>err || fail "no page"
[ "$(stat -c %s report.html)" -lt 500000 ] || fail "the page has $(stat -c %s report.html) bytes"
! grep -qE '(src|href)="?(https?:)?//' report.html || fail "the page names the network"
"$flame" flame.html || fail "no page with a flame graph"
node "$here/page.js" report.html flame.html
