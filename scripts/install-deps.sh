#!/bin/sh
# SPDX-License-Identifier: MIT
# install-deps.sh [--build] [--test] [--demo] [--benchmark] [--suite] [--survival] [--projects] [--package=NAME]...:
# install what building, testing, the demo, benchmarks/convert.sh and spec-harness/run need; --survival: the programs of
# the long tests (tests/live/survival.sh, servers.sh); --projects: what benchmarks/projects.py builds with; --package: this one.
#
# For Debian 12 and later, and their relatives. Quick when everything is there: apt is not even asked. With no
# option: --build. Packages marked optional are skipped with a note where the release lacks them; of those that have
# a version in their name the newest is installed if none is there yet.
set -eu

build="gcc g++ cmake ninja-build pkg-config libdw-dev libelf-dev libcapstone-dev libglpk-dev
  libjansson-dev zlib1g-dev libzstd-dev liblzma-dev libcmocka-dev libzydis-dev libiberty-dev
  libprotobuf-c-dev protobuf-c-compiler protobuf-compiler"
test="binutils elfutils python3 time valgrind linux-perf xz-utils python3-yaml"
test_optional="gcc-11 gcc-12 g++-12 autofdo clang-16 libclang-rt-16-dev llvm-16 lld-16 bolt-16 clang-19 llvm-19 bolt-19
  clang-format-14 clang-tidy-14 gnuplot-nox git sqlite3 openssl clang-14 libclang-rt-14-dev lld-16 lld-19 dwz gcc-aarch64-linux-gnu
  libc6-dev-arm64-cross libdebuginfod1 lua5.4 perl qemu-system-arm qemu-user cpio e2fsprogs rustc man-db bash-completion zsh fish meson make
  ccache g++-11 dpkg-dev debhelper lintian mmdebstrap musl-tools libc6-dev-i386 lib32gcc-12-dev strace gdb chromium
  nodejs"
# what tests of pages need from npm: of one version, since no lock file holds them
test_npm="eslint@10.15.0 @eslint/js@10.0.1 playwright-core@1.65.1 axe-core@4.14.1"
demo="python3 valgrind binutils apt dpkg-dev make tcl xz-utils ca-certificates"
# the peers, and a large program with its debug information
benchmark="python3 time"
benchmark_optional="autofdo llvm-16 llvm-19 python3.11-dbg"
# spec-harness/run: what it lacks, it skips
suite="python3 valgrind gcc g++ make binutils apt dpkg-dev xz-utils"
suite_optional="gcc-12 g++-12 clang-16 llvm-16 libclang-rt-16-dev bolt-19 linux-perf gnuplot-nox"
projects="gcc g++ make cmake ninja-build meson bison flex automake autoconf libtool pkg-config libsnappy-dev libgmock-dev libonig-dev
  tcl perl valgrind binutils apt dpkg-dev xz-utils python3"
survival="git sqlite3 xz-utils openssl perl gcc g++ python3"
survival_optional="libpython3.11-testsuite redis-server redis-tools nginx-light wrk postgresql
  postgresql-contrib openjdk-17-jdk-headless nodejs clang-16 x264 golang-go rustc
  mariadb-server memcached lighttpd dnsmasq-base unbound bind9 bind9-dnsutils slapd ldap-utils rsync php-fpm php-cli
  libfcgi-bin etcd-server etcd-client vsftpd exim4-daemon-light vim-nox ruby lua5.4 guile-3.0 sbcl ocaml-nox erlang-base
  ffmpeg tmux make cmake qemu-user gnuplot-nox apache2 haproxy emacs-nox ghc mono-runtime mono-mcs octave r-base-core
  imagemagick uwsgi uwsgi-plugin-python3 mosquitto mosquitto-clients squid varnish gdb gdbserver openssh-server
  openssh-client firefox-esr bubblewrap chromium dovecot-imapd libreoffice-calc-nogui libreoffice-writer-nogui unzip rr
  firejail"

# Of which any version will do, for tests and the demo.
any_version="clang llvm lld bolt"

required=
optional=
modules=
versioned=
[ $# -gt 0 ] || set -- --build
for set in "$@"; do
  case $set in
    --build) required="$required $build" ;;
    --test)
      required="$required $build $test" optional="$optional $test_optional" modules=$test_npm versioned=$any_version
      # another nodejs than Debian's has its own npm
      command -v npm >/dev/null || optional="$optional npm"
      ;;
    --demo) required="$required $build $demo" versioned=$any_version ;;
    --benchmark) required="$required $build $benchmark" optional="$optional $benchmark_optional" ;;
    --suite) required="$required $build $suite" optional="$optional $suite_optional" ;;
    --survival) required="$required $survival" optional="$optional $survival_optional" ;;
    --projects) required="$required $build $projects" ;;
    --package=*) required="$required ${set#--package=}" ;;
    *)
      echo "usage: install-deps.sh [--build] [--test] [--demo] [--benchmark] [--suite] [--survival]" \
        "[--projects] [--package=NAME]..." >&2
      exit 2
      ;;
  esac
done

is_installed() {
  dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -q '^installed$'
}

absent() {
  for package in $(printf '%s\n' "$@" | sort -u); do
    is_installed "$package" || printf '%s ' "$package"
  done
}

command -v apt-get >/dev/null || {
  echo "install-deps: no apt-get here; install the equivalents of: $required $optional" >&2
  exit 1
}
absent_modules() {
  [ $# = 0 ] || folder=$(npm root -g 2>/dev/null) || folder=
  for module; do
    grep -qs "\"version\": \"${module##*@}\"" "$folder/${module%@*}/package.json" || printf '%s ' "$module"
  done
}

# absent_versions NAME...: of which no NAME-N is installed
absent_versions() {
  for name; do
    dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$name-[0-9]*" 2>/dev/null | grep -qE "^installed $name-[0-9]+$" ||
      printf '%s ' "$name"
  done
}

# newest_package NAME: NAME-N of the greatest N that apt knows, else NAME
newest_package() {
  newest=$(apt-cache pkgnames "$1-" | grep -E "^$1-[0-9]+$" | sort -V | tail -n 1)
  echo "${newest:-$1}"
}

missing=$(absent $required)
wished=$(absent $optional)
modules=$(absent_modules $modules)
versioned=$(absent_versions $versioned)
[ -n "$missing$wished$modules$versioned" ] || exit 0

. "$(dirname "$0")/alive.sh"

as_root() {
  if [ "$(id -u)" = 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  elif command -v sudo >/dev/null; then
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  else
    echo "install-deps: needs root or sudo to install: $missing$wished$versioned" >&2
    return 1
  fi
}

apt_get() {
  alive install-deps as_root apt-get -qq -o Dpkg::Use-Pty=0 -o Acquire::Retries=2 "$@"
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "install-deps: installing $missing$wished$modules$versioned"
# A failing third-party repository on the machine must not stop us: the install decides.
[ -z "$missing$wished$versioned" ] || apt_get update >"$log" 2>&1 || echo "install-deps: apt-get update: $(tail -n 1 "$log")" >&2
if [ -n "$missing" ]; then
  apt_get install --no-install-recommends -y $missing >"$log" 2>&1 || {
    cat "$log" >&2
    echo "install-deps: could not install: $missing" >&2
    exit 1
  }
fi
# install_optional PACKAGE...: those that the release has; together, for speed, one by one if that fails
install_optional() {
  known=$(apt-cache pkgnames | sort | { printf '%s\n' "$@" | sort -u >"$log" && comm -12 - "$log"; })
  unknown=$(printf '%s\n' "$known" | comm -13 - "$log" | tr '\n' ' ')
  [ -z "${unknown% }" ] || echo "install-deps: this release has no ${unknown% }" >&2
  [ -n "$known" ] || return 0
  ! apt_get install --no-install-recommends -y $known >"$log" 2>&1 || return 0
  for package in $known; do
    apt_get install --no-install-recommends -y "$package" >"$log" 2>&1 ||
      echo "install-deps: optional package $package is not to be had: $(tail -n 1 "$log")" >&2
  done
}
[ -z "$wished" ] || install_optional $wished
versioned=$(absent_versions $versioned)
[ -z "$versioned" ] || install_optional $(for name in $versioned; do newest_package "$name"; done)
if [ -n "$modules" ] && ! as_root npm install -g --no-audit --no-fund --fetch-retries=1 --fetch-retry-mintimeout=1000 \
  --fetch-retry-maxtimeout=5000 $modules >"$log" 2>&1; then
  echo "install-deps: npm has no $modules: $(grep -v 'complete log' "$log" | tail -n 1)" >&2
fi
