#!/bin/bash
# SPDX-License-Identifier: MIT
# ci.sh BUILD_DIRECTORY [whole]: every command of docs/ci/github.yml and docs/ci/gitlab.yml runs, as their services run
# them, on the example program: before its first profile is committed, and after a change of its code; a change that
# the profile does not survive ends the job. But for `whole`, what is installed is BUILD_DIRECTORY's build, not one of its own.
set -euo pipefail
build=$(realpath "$1")
whole=${2:-}
. "$(dirname "$0")/../prelude.sh"
softlbr=$build/softlbr
needs_recording
python3 -c 'import yaml' 2>/dev/null || skip "python3-yaml is not installed"
cd "$work"

# The services' machine: root installs below $DESTDIR here, and the kernel's settings stay as they are.
mkdir bin
export DESTDIR=$work/machine PATH=$work/bin:$work/machine/usr/local/bin:$PATH
cat >bin/sudo <<'END'
#!/bin/sh
case "$1 $2" in
  "sysctl kernel.perf_event_paranoid="*) [ -e /proc/sys/kernel/perf_event_paranoid ] ;;
  *) exec "$@" ;;
esac
END
printf '#!/bin/sh\n' >bin/apt-get
chmod +x bin/*

# project DIRECTORY: a checkout of the example as a repository, with softlbr's in it
project() {
  mkdir -p "$1/softlbr"
  cp -r "$root/examples/interpreter" "$1/src"
  printf 'app:\n\tmkdir -p build\n\tgcc -O2 -g $(CFLAGS) src/*.c -o build/app\n' >"$1/Makefile"
  if [ "$whole" ]; then
    "$root/scripts/package.sh" --tarball "$work/sources" >log
    tar -xf sources/*.tar.gz -C "$1/softlbr" --strip-components 1
  else
    ln -s "$build" "$1/softlbr/build"
  fi
}

# job FILE [JOB]: run it in the current directory; $status is its status
job() {
  rm -rf steps build/app app.data app.prof diff.html software.data hardware.html keys counters counters.*
  "$here/ci_steps.py" "$root/docs/ci/$1.yml" "${2:-profile}" steps
  status=0
  for step in steps/*.sh; do
    sed -i '/^git clone /d' "$step" # softlbr's checkout is here
    [ "$whole" ] || sed -i '/scripts\/build\.sh/d' "$step"
    (
      . steps/environment
      export TRAINING="src/training.asm 500"
      bash -e "$step"
    ) >"$work/log" 2>&1 || {
      status=$?
      return 0
    }
  done
}

good() {
  [ $status = 0 ] || fail "$1: ${step##*/}: $(cat "$step"): status $status: $(cat "$work/log")"
}

project repository
cd repository

echo "# counters: the first ones, after a change that they survive, and after one that they don't"
job github counters
good "the first counters"
[ -s counters/softlbr-counters ] || fail "no counters are made"
mkdir profile
cp -r counters profile/counters
cp build/app before
sed -i 's/2166136261u/2166136259u/' src/table.c
for file in github gitlab; do
  job $file counters
  good "$file, counters"
  grep -q '</html>' counters.html || fail "$file: no page of the comparison"
done
make -s app CFLAGS="-O2 -no-integrated-cpp -fprofile-use=$PWD/profile/counters -fprofile-prefix-path=$PWD \
  -Wno-error=coverage-mismatch -Wmissing-profile -Werror"
! cmp -s before build/app || fail "the counters make no difference"
sed -i -E '/^(static void step|int machine_run)\(/,/^\{/ s/^\{/{\n\tif (getenv("SLOWLY"))\n\t\tabort();\n/' src/machine.c
sed -i '1i #include <stdlib.h>' src/machine.c
job github counters
[ $status = 5 ] || fail "other code: status $status: $(cat "$work/log")"
rm -r src profile
cp -r "$root/examples/interpreter" src

echo "# the first profile"
job github
good "the first time"
[ -s app.prof ] || fail "no profile is made"
mkdir profile
cp app.prof profile/app.prof
cp build/app before

echo "# after a change of the code"
sed -i 's/2166136261u/2166136259u/' src/table.c
! cmp -s src/table.c "$root/examples/interpreter/table.c" || fail "no line was changed"
for file in github gitlab; do
  job $file
  good "$file, with other code"
  ! cmp -s before build/app || fail "the program is the same"
  grep -q '</html>' diff.html || fail "$file: no page of the comparison"
done

if command -v perf >/dev/null; then
  echo "# a stored recording of hardware, whose program is beside it: short stacks, and marks of predictions"
  mkdir hardware
  cp before hardware/app
  # where recording.py has it, without randomisation
  "$softlbr" record -q -c 250us -n 16 --timer-correction=off -o short.data -- setarch -R hardware/app src/training.asm 500 >"$work/log"
  perf script -i short.data -F ip,brstack 2>"$work/log" | sed 's#/-/-/-/0/#/P/-/-/0/#g' >stacks.txt
  "$root/tests/cases/recording.py" hardware/app hardware/app.data --stacks stacks.txt
  for file in github gitlab; do
    job $file hardware
    good "$file, hardware"
    grep '^edge ' "$work/log"
    grep -q '</html>' hardware.html || fail "$file: no page of the comparison"
  done
  "$root/tests/cases/recording.py" hardware/app hardware/app.data --stacks <(grep -m 3 0x stacks.txt)
  job github hardware
  [ $status = 7 ] || fail "another recording of hardware: status $status: $(cat "$work/log")"
else
  skip_part "perf is not installed: the job against hardware was not run"
fi

echo "# when the lines of hot functions have moved, the old profile fits no more, which ends the job"
sed -i -E '/^(static void step|int machine_run)\(/,/^\{/ s/^\{/{\n\n\n\n/' src/machine.c
job github
[ $status = 7 ] || fail "status $status: $(cat "$work/log")"
[ -s app.prof ] || fail "no new profile to commit"
