#!/bin/bash
# SPDX-License-Identifier: MIT
# lengths.sh LENGTHS COUNT [MOST_MIB]: every instruction of the COUNT largest ELF files of this machine's packages (none
# larger than MOST_MIB) has the length and the kind that Capstone gives it. Where the two differ, objdump says which is
# right. Intel's APX, that neither knows, is compared with llvm-objdump, the newest one: compiled programs, and every
# opcode of REX2 and of EVEX map 4.
set -euo pipefail
lengths=$(readlink -f "$1") count=$2 most=${3:-4096}
. "$(dirname "$0")/../prelude.sh"
needs objdump python3
cd "$work"

python3 - "$count" "$most" >files <<'END_OF_PYTHON'
import os
import sys

found = {}
for top in "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/libexec":
    for folder, _, names in os.walk(top):
        for path in (os.path.join(folder, name) for name in names):
            try:
                status = os.lstat(path)
                if status.st_size < 100000 or status.st_size > int(sys.argv[2]) << 20:
                    continue
                with open(path, "rb") as file:
                    head = file.read(20)
            except OSError:
                continue
            # 64 bits, a program or a library, EM_X86_64
            if head[:5] == b"\x7fELF\x02" and head[16] in (2, 3) and head[18:20] == b"\x3e\0":
                found[status.st_ino] = status.st_size, path
for _, path in sorted(found.values(), reverse=True)[: int(sys.argv[1])]:
    print(path)
END_OF_PYTHON
[ -s files ] || skip "there are no large files"
xargs -d '\n' "$lengths" <files >out
tail -1 out

# objdump's length of the first instruction there; 0: it knows none, so it is data
objdump_length() {
  objdump -d -M intel64 --start-address=0x"$2" --stop-address=$((0x$2 + 15)) "$1" |
    awk -F'\t' 'NF >= 2 && $1 ~ /^ *[0-9a-f]+:$/ {
      if (NF < 3) {if (n) n += split($2, b, " "); next}
      if (n) exit
      n = split($2, b, " "); bad = $3 ~ /\(bad\)/} END {print bad ? 0 : n + 0}'
}

differ=0 data=0 wrong=0
while read -r file address ours kind theirs their_kind; do
  length=$(objdump_length "$file" "$address")
  if [ "$length" = 0 ]; then
    data=$((data + 1))
  elif [ "$length" = "$ours" ] && [ "$ours" != "$theirs" ]; then
    wrong=$((wrong + 1))
  else
    differ=$((differ + 1))
    echo "$file: at $address $ours bytes of kind $kind, but $theirs of kind $their_kind; objdump: $length bytes"
  fi
done < <(grep -v '^total:' out)
echo "$differ differences; Capstone was wrong at $wrong places by objdump, and $data are no instruction"

# Programs, and every opcode with operands by chance: a label stands before each.
compare_apx() {
  local listing="$objdump -d --x86-asm-syntax=intel"

  for source in "$root"/{base,collector/engine,compare,formats/model,isa,mcf}/*.c; do
    for level in -O1 -O3; do
      if $clang $level -mapxf -march=sapphirerapids -I"$root" -D_GNU_SOURCE -w -c -o apx.o "$source" 2>/dev/null; then
        $listing apx.o
      fi
    done
  done >programs
  grep -cE '\br(1[6-9]|2[0-9]|3[01])d?\b' programs | awk '{if ($1 < 1000) exit 1; print $1 " lines with registers of APX"}'
  "$lengths" --listing <programs | sed 's/^total:/APX programs:/'
  python3 - >forms.s <<'END_OF_PYTHON'
import random

random.seed(1)
# LLVM takes REX2 before opcodes that the specification excludes: rows 4, 7, a (but jmpabs, which it does not know) and
# e of the one-byte map, rows 3 and 8 of the other, and before prefixes.
PREFIXES = 0x0F, 0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67, 0xF0, 0xF2, 0xF3
forms = []
for opcode in range(256):
    for payload in (random.randrange(256) for _ in range(24)):
        excluded = opcode >> 4 in (3, 8) if payload & 0x80 else opcode >> 4 in (4, 7, 10, 14) or opcode in PREFIXES
        if not excluded:
            forms.append((0xD5, payload, opcode))
    for fields in range(16):
        for _ in range(6):
            w, pp = fields >> 3 & 1, fields & 3
            new = fields >> 2 & 1  # a third operand, in vvvv
            flags = random.choice((0, 4)) if random.random() < 0.5 else 0  # NF
            forms.append((0x62, random.randrange(32) << 3 | 4,
                          w << 7 | (random.randrange(16) if new else 15) << 3 | 4 * random.randrange(2) | pp,
                          new << 4 | (8 * random.randrange(2) if new else 8) | flags, opcode))
for number, form in enumerate(forms):
    rest = [random.randrange(256) for _ in range(15)]
    if rest[0] & 0xC7 == 4 and rest[1] & 7 == 5:
        rest[1] ^= 1  # LLVM misses the displacement of a base like r13 that APX adds: r21, r29
    print(f"f{number}: .byte " + ",".join(map(str, (list(form) + rest)[:15])))
END_OF_PYTHON
  $clang -c -o forms.o forms.s
  $listing forms.o >forms
  "$lengths" --first <forms | sed 's/^total:/APX forms:/'
}

if clang=$("$root/scripts/newest.sh" clang) && objdump=llvm-objdump${clang#clang} && command -v "$objdump" >/dev/null &&
  [ "${clang#clang-}" -ge 19 ] 2>/dev/null; then
  compare_apx >apx
  grep -E '^APX|lines' apx
  if grep -E '^- ' apx | head -20; then differ=$((differ + 1)); fi
else
  skip_part "no clang and llvm-objdump of version 19 or later: APX is not compared"
fi
[ $differ = 0 ] || fail "instructions differ"
