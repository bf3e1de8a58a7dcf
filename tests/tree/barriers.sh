#!/bin/bash
# SPDX-License-Identifier: MIT
# Each file with an atomic operation is named in docs/barriers.md, which says what the operation orders.
set -euo pipefail
cd "$(dirname "$0")/../.."
files=$(grep -rlE '\batomic_(read|write|add|swap)_|__atomic_[a-z_]+\(' --include='*.[ch]' base isa formats converter collector library pgo report cli |
  grep -vx base/atomics.h | sed 's,^collector/,,' | sort)
[ "$(wc -w <<<"$files")" -gt 40 ]
failed=0
for file in $files; do
  grep -qF "\`$file\`" docs/barriers.md || {
    echo "docs/barriers.md lacks $file"
    failed=1
  }
done
[ $failed = 0 ] && echo "$(wc -w <<<"$files") files with atomic operations"
exit $failed
