#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# upc_bite.sh SOURCE_DIR - upc.sh refuses a header with a function without a docstring, one that cites another function's section, one too
# wide, a section that does not exist, and a function of no section; and takes the same header without these.
root=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
bites=0
# header DOCSTRING DECLARATION
header() {
  printf '/* licence */\n/* x.h - copies (UPC 7.2.5). */\n\n/* %s */\n%s\n' "$1" "$2" >"$work/x.h"
}
refused() {
  header "$2" "$3"
  out=$(sh "$root/tests/rules/upc.sh" "$root" "$work/x.h") && { echo "upc_bite: $1 was not noticed"; exit 1; }
  printf '%s\n' "$out" | grep -q -- "$4" || { echo "upc_bite: $1: $out"; exit 1; }
  bites=$((bites + 1))
}
put='void upc_memput(upc_shared_t dst, const void *src, size_t bytes);'
for section in 7.2.5.3 7.2.5; do
  header "UPC 7.2.3, $section and 6.4.2." "$put"
  sh "$root/tests/rules/upc.sh" "$root" "$work/x.h" >/dev/null || { echo "upc_bite: a right header is refused"; exit 1; }
done
refused "an empty line before the declaration" "UPC 7.2.5" "
$put" "upc_memput has no docstring"
refused "another section" "UPC 7.2.4" "$put" "does not cite UPC 7.2.5.3"
refused "the section of another copy" "UPC 7.2.5.1" "$put" "does not cite UPC 7.2.5.3"
refused "a section that is too wide" "UPC 7.2" "$put" "does not cite UPC 7.2.5.3"
refused "a section that does not exist" "UPC 7.2.5.3 and 7.2.6" "$put" "no section 7.2.6"
refused "an appendix that does not exist" "UPC 7.2.5.3 and B.7" "$put" "no section B.7"
refused "a function of no section" "UPC 7.2.5" "#define upc_memmove(dst, src, n) 0" "upc_memmove stands in no section"
echo "upc_bite: ok, $bites bites"
