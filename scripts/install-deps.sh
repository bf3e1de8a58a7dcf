#!/bin/sh
# SPDX-License-Identifier: MIT
# install-deps.sh [--build] [--test] [--demo] [--benchmark] [--suite] [--survival] [--package=NAME]...: install
# what building, testing, the demo, benchmarks/convert.sh and spec-harness/run need; --survival: the programs of
# the long tests (tests/live/survival.sh, servers.sh); --package: this one.
#
# For Debian 12 and its relatives. Quick when everything is there: apt is not even asked. With no
# option: --build. Packages marked optional are skipped with a note where the release lacks them.
set -eu

build="gcc g++ cmake ninja-build pkg-config libdw-dev libelf-dev libcapstone-dev libglpk-dev
  libjansson-dev zlib1g-dev libzstd-dev liblzma-dev libcmocka-dev libzydis-dev libiberty-dev
  libprotobuf-c-dev protobuf-c-compiler"
test="binutils elfutils python3 time valgrind linux-perf xz-utils gcc-11 python3-yaml"
test_optional="gcc-12 g++-12 autofdo clang-16 libclang-rt-16-dev llvm-16 lld-16 bolt-16 clang-19 llvm-19 bolt-19
  clang-format-14 clang-tidy-14 gnuplot-nox git sqlite3 openssl clang-14 libclang-rt-14-dev lld-16 lld-19 dwz gcc-aarch64-linux-gnu
  libc6-dev-arm64-cross libdebuginfod1 lua5.4 perl qemu-system-arm qemu-user cpio e2fsprogs rustc man-db bash-completion zsh fish meson make
  ccache g++-11 dpkg-dev debhelper lintian mmdebstrap musl-tools libc6-dev-i386 lib32gcc-12-dev strace gdb chromium
  nodejs"
# what tests of pages need from npm: of one version, since no lock file holds them
test_npm="eslint@10.15.0 @eslint/js@10.0.1 playwright-core@1.65.1 axe-core@4.14.1"
demo="gcc-12 python3 valgrind binutils apt dpkg-dev make tcl xz-utils ca-certificates"
demo_optional="clang-16 llvm-16 bolt-16"
# the peers, and a large program with its debug information
benchmark="python3 time"
benchmark_optional="autofdo llvm-16 llvm-19 python3.11-dbg"
# spec-harness/run: what it lacks, it skips
suite="python3 valgrind gcc g++ make binutils apt dpkg-dev xz-utils"
suite_optional="gcc-12 g++-12 clang-16 llvm-16 libclang-rt-16-dev bolt-19 linux-perf gnuplot-nox"
survival="git sqlite3 xz-utils openssl perl gcc g++ python3"
survival_optional="libpython3.11-testsuite redis-server redis-tools nginx-light wrk postgresql
  postgresql-contrib openjdk-17-jdk-headless nodejs clang-16 x264 golang-go rustc
  mariadb-server memcached lighttpd dnsmasq-base unbound bind9 bind9-dnsutils slapd ldap-utils rsync php-fpm php-cli
  libfcgi-bin etcd-server etcd-client vsftpd exim4-daemon-light vim-nox ruby lua5.4 guile-3.0 sbcl ocaml-nox erlang-base
  ffmpeg tmux make cmake qemu-user gnuplot-nox apache2 haproxy emacs-nox ghc mono-runtime mono-mcs octave r-base-core
  imagemagick uwsgi uwsgi-plugin-python3 mosquitto mosquitto-clients squid varnish gdb gdbserver openssh-server
  openssh-client firefox-esr bubblewrap chromium dovecot-imapd libreoffice-calc-nogui libreoffice-writer-nogui unzip rr
  firejail"

required=
optional=
modules=
[ $# -gt 0 ] || set -- --build
for set in "$@"; do
  case $set in
    --build) required="$required $build" ;;
    --test)
      required="$required $build $test" optional="$optional $test_optional" modules=$test_npm
      # another nodejs than Debian's has its own npm
      command -v npm >/dev/null || optional="$optional npm"
      ;;
    --demo) required="$required $build $demo" optional="$optional $demo_optional" ;;
    --benchmark) required="$required $build $benchmark" optional="$optional $benchmark_optional" ;;
    --suite) required="$required $build $suite" optional="$optional $suite_optional" ;;
    --survival) required="$required $survival" optional="$optional $survival_optional" ;;
    --package=*) required="$required ${set#--package=}" ;;
    *)
      echo "usage: install-deps.sh [--build] [--test] [--demo] [--benchmark] [--suite] [--survival]" \
        "[--package=NAME]..." >&2
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

missing=$(absent $required)
wished=$(absent $optional)
modules=$(absent_modules $modules)
[ -n "$missing$wished$modules" ] || exit 0

as_root() {
  if [ "$(id -u)" = 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  elif command -v sudo >/dev/null; then
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  else
    echo "install-deps: needs root or sudo to install: $missing$wished" >&2
    return 1
  fi
}

apt_get() {
  as_root apt-get -qq -o Dpkg::Use-Pty=0 -o Acquire::Retries=2 "$@"
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "install-deps: installing $missing$wished$modules"
# A failing third-party repository on the machine must not stop us: the install decides.
[ -z "$missing$wished" ] || apt_get update >"$log" 2>&1 || echo "install-deps: apt-get update: $(tail -n 1 "$log")" >&2
if [ -n "$missing" ]; then
  apt_get install --no-install-recommends -y $missing >"$log" 2>&1 || {
    cat "$log" >&2
    echo "install-deps: could not install: $missing" >&2
    exit 1
  }
fi
# Optional ones together, for speed; one by one if the release lacks some of them.
if [ -n "$wished" ] && ! apt_get install --no-install-recommends -y $wished >"$log" 2>&1; then
  for package in $wished; do
    apt_get install --no-install-recommends -y "$package" >"$log" 2>&1 ||
      echo "install-deps: optional package $package is not to be had: $(tail -n 1 "$log")" >&2
  done
fi
if [ -n "$modules" ] && ! as_root npm install -g --no-audit --no-fund $modules >"$log" 2>&1; then
  echo "install-deps: npm has no $modules: $(grep -v 'complete log' "$log" | tail -n 1)" >&2
fi
