#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# parts.sh BUILD_DIR PAGE.md FILE.parts - compiles and runs the blocks of C of a page that no line `<!-- snippet: ... -->` marks. They take
# the place of the lines `@part` of the file, which is a program around them, in their order.
set -u
[ $# -eq 3 ] || { echo "usage: parts.sh BUILD_DIR PAGE.md FILE.parts" >&2; exit 2; }
build=$(cd "$1" && pwd) || exit 2
work=$(mktemp -d "${TMPDIR:-/tmp}/parts.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT INT TERM
awk -v page="$2" '
  FNR == NR {
    if (/^<!-- snippet: /) { marked = 1; next }
    if (/^```/ && inside) { inside = 0; next }
    if (/^```/) { inside = 1; taken = /^```c$/ && !marked; marked = 0; if (taken) { blocks++; line[blocks] = FNR + 1 } next }
    if (inside && taken) text[blocks] = text[blocks] $0 "\n"
    next
  }
  /^@part$/ {
    if (++used > blocks) next
    printf "#line %d \"%s\"\n%s#line %d \"%s\"\n", line[used], page, text[used], FNR + 1, FILENAME
    next
  }
  { print }
  END {
    if (used == blocks && blocks > 0) exit 0
    printf "parts: %s has %d blocks of C that are no program, %s %d lines @part\n", page, blocks, FILENAME, used >"/dev/stderr"
    exit 1
  }' "$2" "$3" >"$work/parts.c" || exit 1
"$build/bin/eyotcc" -std=gnu17 -Wall -Wextra -Wno-unused-result -Wno-unknown-pragmas -Werror "$work/parts.c" -o "$work/parts" || exit 1
for units in 3 4 6; do
  "$build/bin/eyotrun" --fabric sim -n $units "$work/parts" || { echo "parts: $units units: the program fails" >&2; exit 1; }
done
echo "parts: ok"
