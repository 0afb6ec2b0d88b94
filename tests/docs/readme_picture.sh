#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# readme_picture.sh README.md PAGE.md - the picture on README's first screen is one of the page, whose test draws them.
set -u
work=$(mktemp -d "${TMPDIR:-/tmp}/picture.XXXXXX") || exit 2
trap 'rm -rf "$work"' EXIT INT TERM
blocks() { awk -v to="$2" '/^```mermaid$/ { n++; inside = 1; next } /^```$/ { inside = 0 } inside { print > (to "." n) } END { print n + 0 }' "$1"; }
[ "$(blocks "$1" "$work/readme")" = 1 ] || { echo "$1: expected one picture" >&2; exit 1; }
blocks "$2" "$work/page" >/dev/null
for picture in "$work"/page.*; do cmp -s "$picture" "$work/readme.1" && { echo "the picture of $1 is one of $2"; exit 0; }; done
echo "$1: its picture is none of $2" >&2
exit 1
