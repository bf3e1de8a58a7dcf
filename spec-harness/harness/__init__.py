# SPDX-License-Identifier: MIT
"""The papers' evaluation, on SPEC or on an open suite: see spec-harness/README.md."""
