#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# format.sh SOURCE_DIR [LEAST] - every C and C++ file is as clang-format writes it; there are LEAST or more. Another
# version formats otherwise, so that without version 14 the test is skipped (exit code 77).
root=$1 LEAST=${2:-550}
tool=
for name in clang-format-14 clang-format; do
  [ -n "$tool" ] || case $("$name" --version 2>/dev/null) in *"version 14."*) tool=$name ;; esac
done
[ -n "$tool" ] || { echo "format: skipped: clang-format 14 is not installed"; exit 77; }
cd "$root" || exit 1
work=$(mktemp) || exit 1
trap 'rm -f "$work"' EXIT
find src include tests tools examples bench \( -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.hpp' \) | sort >"$work"
files=$(wc -l <"$work")
[ "$files" -ge $LEAST ] || { echo "format: looked at $files files only; expected at least $LEAST"; exit 1; }
xargs -P 2 -n 100 "$tool" --dry-run -Werror <"$work" || { echo "format: run clang-format -i on these files (version 14)"; exit 1; }
echo "format: ok, $files files"
