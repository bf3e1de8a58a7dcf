# SPDX-License-Identifier: MIT
# Sourced by survival.sh.
group=desktops
needs="git"

title() {
  git --version | sed 's/ version//;s/$/: history, gc, fsck, blame, merge, rebase, clone/'
}

# 40 commits on one file of 2,000 lines and others, and a branch.
prepare() {
  cd "$input"
  cat >steps <<'END'
set -eu
export HOME="$PWD" GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a
export GIT_COMMITTER_EMAIL=a@b GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000'
export GIT_MERGE_AUTOEDIT=no
cp -r "$1" repository
cd repository
git log -p --stat --all | sha256sum
git shortlog -s --all </dev/null
git grep -c seven | sha256sum
git blame big | sha256sum
git diff --word-diff HEAD~15 | sha256sum
git log -S'line 77 ' --oneline | sha256sum
git merge -q -m merged side
git rebase -q --onto HEAD~12 HEAD~6 HEAD || git rebase --abort
git rev-parse HEAD
git -c pack.threads=2 gc -q --prune=now
git fsck --strict --no-progress
git bundle create -q ../bundle --all
git clone -q ../bundle ../copy
git -C ../copy log --oneline | wc -l
git archive HEAD | sha256sum
END
  export HOME="$input" GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
  export GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000'
  git init -q -b main repository
  cd repository
  for i in $(seq 40); do
    awk -v n=$i 'BEGIN { srand(n); for (i = 0; i < 2000; i++) print "line", i,
      (i * 7 + int(n * i / 500) * 13) % 1009 % 7 ? "other" : "seven", i % 50 == n % 50 ? n : "" }' >big
    echo "$i" >"file$((i % 20))"
    git add .
    git commit -q -m "commit $i"
    [ $i != 25 ] || git branch side
  done
  git checkout -q side
  for i in 1 2 3; do
    echo "$i" >"side$i"
    git add .
    git commit -q -m "side $i"
  done
  git checkout -q main
}

run() {
  "$@" sh "$input/steps" "$input/repository"
}
