#!/bin/sh
# SPDX-License-Identifier: MIT
# tour.sh SOFTLBR SESSION: the session docs/tour/SESSION.md still prints what its page has.
set -eu
softlbr=$1
. "$(dirname "$0")/../prelude.sh"
needs python3
needs_recording
python3 "$root/scripts/tour.py" --program "$softlbr" "$root/docs/tour/$2.md"
