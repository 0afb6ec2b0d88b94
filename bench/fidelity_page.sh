#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fidelity_page.sh BUILD PAGE - replaces the tables of PAGE by those of the last run of the suite
# `fidelity`: what stands between a line `<!-- tables: MACHINE -->` and the next `<!-- end -->`. A
# machine without a measured row in BUILD/bench/fidelity.values keeps its tables.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1 page=$2 work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
values=$build/bench/fidelity.values
[ -f "$values" ] || { echo "fidelity_page.sh: no $values: run ./dev bench fidelity first" >&2; exit 1; }
for tsv in "$here"/fidelity/*.tsv; do
  # Only the lines of this machine's tables: those that its file gives a title.
  awk -F '\t' 'FNR == NR { if ($2 == "*") own[$1] = 1; next } { split($0, word, " "); if (word[2] in own) print }' "$tsv" "$values" >"$work/own"
  [ ! -s "$work/own" ] || awk -f "$here/fidelity.awk" "$tsv" "$work/own" >"$work/$(basename "$tsv" .tsv)"
done
awk -v work="$work" '
  /^<!-- end -->$/ { inside = 0 }
  !inside { print }
  /^<!-- tables: [a-z0-9_]+ -->$/ {
    file = work "/" $3
    if ((getline line <file) <= 0) next
    inside = 1
    print ""
    do print line; while ((getline line <file) > 0)
    print ""
  }' "$page" >"$work/page"
cat "$work/page" >"$page"
