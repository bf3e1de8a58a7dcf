#!/bin/sh
# SPDX-License-Identifier: MIT
# continuous.sh SOFTLBR: the commands of docs/continuous.md's blocks do what the page says, for a service that exists here and
# in seconds instead of minutes; its units are ones that systemd takes.
set -eu
softlbr=$(realpath "$1")
. "$(dirname "$0")/../prelude.sh"
needs python3
needs_recording_inside
program=
undo() { [ -z "$program" ] || kill -KILL $program 2>/dev/null || :; }
cd "$work"
mkdir bin lib
ln -s "$softlbr" bin/softlbr
${CC:-cc} -O2 -g "$here/budget.c" -o shop
can_attach || skip "$(cat err)"
python3 - "$root/docs/continuous.md" "$work" "$softlbr" <<'END'
import re
import sys

page, work, softlbr = sys.argv[1:]
blocks = re.findall(r"^```\n(.*?)^```$", open(page, encoding="utf-8").read(), re.S | re.M)
commands = 0
for block in blocks:
    unit = re.match(r"# /etc/systemd/system/(\S+)\n", block)
    if unit:
        text = block.replace("/usr/bin/softlbr", softlbr)
        name = unit[1]
    else:
        for old, new in (("/var/lib/shop", work + "/lib"), ("/usr/bin/shop", "./shop 300000000"), ("--on=30s", "--on=200ms"),
                         ("--off=1770s", "--off=100ms"), ("--duration=30s", "--duration=1s"),
                         ("--cgroup=/system.slice/shop.service", "--name=shop")):
            block = block.replace(old, new)
        commands += 1
        text, name = "set -eu\n" + block, "command%d.sh" % commands
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
END
PATH=$work/bin:$PATH
ls command3.sh shop-profile.service shop-profile.timer >/dev/null || fail "the page has other blocks"

sh command1.sh >out 2>err || fail "start under record: status $?"
holds lib/profile/shop.preagg 1 || fail "no counts of shop: $(find lib)"

./shop 100000000000 &
program=$!
sh command2.sh >out 2>err || fail "attach: status $?"
[ "$(find lib -path '*/profile.*/shop.preagg' -size +0 | wc -l)" = 1 ] || fail "no counts of the attached shop: $(find lib)"
kill -KILL $program
program=

sh command3.sh >out 2>err || [ $? = 5 ] || fail "add up and build: status $?"
holds shop.gcov 1 || fail "no profile"

if command -v systemd-analyze >/dev/null; then
  systemd-analyze verify ./shop-profile.service ./shop-profile.timer 2>err || fail "systemd-analyze verify"
  ! grep -q shop-profile err || fail "systemd's words"
else
  skip_part "there is no systemd-analyze"
fi
echo "PASS"
