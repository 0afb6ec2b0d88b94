#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ci_files.sh SOURCE_DIR BUILD_DIR - runs ci_files.py. Exit code 77: python3 or python3-yaml is not installed.
command -v python3 >/dev/null || { echo "ci_files: skipped: python3 is not installed"; exit 77; }
exec python3 "$(dirname "$0")/ci_files.py" "$@"
