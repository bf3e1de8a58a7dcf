#!/bin/sh
# SPDX-License-Identifier: MIT
# release.sh: the version is the same wherever it stands, and scripts/release.sh makes a release of a clone: it sets the
# version, makes the tarball and tags; it refuses a tree with changes, and a version that NEWS says nothing of. The
# manual pages are as mandoc(1) wants them, where it is installed.
set -eu
. "$(dirname "$0")/../prelude.sh"
cd "$root"
"$root/scripts/release.sh" --check || fail "the version differs from place to place"
if command -v mandoc >/dev/null; then
  mandoc -T lint -W warning docs/man/*.1 >"$work/lint" || fail "mandoc: $(head -n 20 "$work/lint")"
fi
needs git
git -c safe.directory='*' ls-files >"$work/files" 2>/dev/null || skip_part "no git here: no release is tried"
[ -s "$work/files" ] || exit 0

mkdir "$work/tree"
while read -r file; do
  [ ! -e "$file" ] || echo "$file"
done <"$work/files" | tar -c -T - | tar -x -C "$work/tree"
cd "$work/tree"
git init -q
git config user.name tests
git config user.email tests@softlbr.example
git add -A
git commit -qm tree
version=$(scripts/release.sh --check | sed 's/softlbr //')

# refused WHY: a dry run of 9.8.7 ends with 1 and says WHY
refused() {
  status=0
  scripts/release.sh --dry-run 9.8.7 >"$work/log" 2>"$work/err" || status=$?
  [ $status = 1 ] && grep -q "$1" "$work/err" || fail "status $status, not: $1"
}
refused "NEWS.md begins with $version"
sed -i "3i ## 9.8.7\n\n- All is new.\n" NEWS.md
refused 'the tree has changes'
git commit -qam news
scripts/release.sh --dry-run 9.8.7 >"$work/log" 2>"$work/err" || fail "a dry run: $(cat "$work/log")"
grep -q 'made .*softlbr-9.8.7.tar.gz' "$work/log" && grep -q 'tagged v9.8.7 in a clone' "$work/log" || fail "$(cat "$work/log")"
[ -z "$(git status --porcelain)$(git tag)" ] || fail "a dry run changes the tree: $(git status --porcelain)"

# the same without --dry-run, but for packages and tests
for name in package test; do
  printf '#!/bin/sh\n' >scripts/$name.sh
done
git commit -qam "no packages, no tests"
scripts/release.sh 9.8.7 >"$work/log" 2>"$work/err" || fail "a release: $(cat "$work/log")"
[ "$(scripts/release.sh --check)" = "softlbr 9.8.7" ] || fail "another version than 9.8.7"
[ "$(git tag --points-at HEAD)" = v9.8.7 ] && [ -z "$(git status --porcelain)" ] || fail "no tag, or changes are left"
grep -q "^softlbr ($version) " debian/changelog || fail "debian/changelog lost the version before"
refused 'there is a tag v9.8.7'
