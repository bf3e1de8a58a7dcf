#!/bin/sh
# SPDX-License-Identifier: MIT
# exports.sh BUILD_DIRECTORY: the collector shows a program what collector/collector.map names and no
# more, needs nothing but libc, and its handler's code calls nothing outside the library.
set -eu
cd "$(dirname "$0")/../.."
library=$1/libsoftlbr-collector.so
[ -e "$library" ] || {
  echo "SKIP: $library is not built here"
  exit 77
}
fail() {
  echo "FAIL: $*"
  exit 1
}

expected="__fxstat __fxstat64 close close_range closefrom dlclose dup2 dup3 fcntl fcntl64 fstat fstat64 mmap mmap64 mprotect
pthread_create pthread_sigmask sigaction sigaltstack signal sigprocmask softlbr_collector_dump softlbr_collector_reset softlbr_collector_start softlbr_collector_stop thrd_create"
found=$(nm -D --defined-only "$library" | awk '{ print $3 }' | sed 's/@.*//' | sort | tr '\n' ' ')
[ "$found" = "$(echo $expected | tr ' ' '\n' | sort | tr '\n' ' ')" ] || fail "exported: $found"

needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p')
for name in $needed; do
  case $name in
    libc.so.* | libm.so.* | ld-linux*) ;;
    *) fail "it needs $name" ;;
  esac
done

# What may be reached from the handler: it may call the library's own code only (freestanding.c), so none
# of its objects may want a symbol that the library does not define. (cs_ is Capstone,
# linked in; names like __divmodti4 are the compiler's own, from libgcc.a.)
defined=$(mktemp)
trap 'rm -f "$defined"' EXIT
objects=$(find "$1" -path '*softlbr-collector.dir*' -name '*.o' -o -path '*softlbr-core.dir*' -name '*.o' \
  -o -path '*softlbr-isa.dir*' -name '*.o' -o -path '*softlbr-base.dir*' -name '*.o')
nm --defined-only -A $objects | awk '{ print $NF }' | sort -u >"$defined"
for object in trap delivery stacks thread descriptors sampler buffer memory cache core restartable restartable_file restartable_scan workspace isa; do
  case $object in
    isa) file=$(echo "$objects" | grep 'softlbr-isa.dir/x86_64/') ;;
    *) file=$(echo "$objects" | grep "softlbr-co[a-z]*\.dir/$object\.c\.o$") ;;
  esac || fail "no object of $object"
  outside=$(nm -u $file | awk '{ print $2 }' | sort -u | comm -23 - "$defined" |
    grep -v -e '^_GLOBAL_OFFSET_TABLE_$' -e '^cs_' -e '^__[a-z]*[dst]i[234]$' \
      -e '^__cpu_model$' -e '^_r_debug$' || true)
  [ -z "$outside" ] || fail "$object.c wants from outside: $outside"
done
