#!/bin/bash
# SPDX-License-Identifier: MIT
# A file says what it is: below the license every header begins with a comment, and so does every .c file that
# has no header of its own name.
set -euo pipefail
cd "$(dirname "$0")/../.."

failed=0 files=0
while read -r file; do
	files=$((files + 1))
	[ "$(head -1 "$file")" = "/* SPDX-License-Identifier: MIT */" ] || {
		echo "$file: its first line is not the license"
		failed=1
	}
	[[ $file == *.c && -e ${file%.c}.h ]] && continue
	[[ $(sed -n 2p "$file") == "/*"* ]] || {
		echo "$file: there is no comment that says what it is"
		failed=1
	}
done < <(find base isa formats mcf converter compare report library collector pgo cli include -name '*.[ch]' | sort)

[ $files -gt 300 ]
[ $failed = 0 ] && echo "$files files say what they are"
exit $failed
