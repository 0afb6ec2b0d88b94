#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# coverage_report.sh INFO PREFIX [PERCENT [DETAILS]] - from an lcov tracefile: the files of which fewer
# than FEW percent of the lines are covered, then the totals of each folder of src and of all. Fails when
# fewer lines of all than PERCENT are covered. DETAILS: a file for every file's figures and the ranges of
# lines that no test reached.
info=$1 prefix=$2 least=${3:-0} details=${4:-/dev/null}
FEW=80
[ -s "$info" ] || { echo "coverage: $info is missing or empty" >&2; exit 1; }
awk -v prefix="$prefix" -v least="$least" -v details="$details" -v few="$FEW" '
  function percent(a, b) { return b ? 100 * a / b : 100 }
  function flush_range() { if (first) ranges = ranges (ranges == "" ? "" : " ") (first == last ? first : first "-" last); first = 0 }
  function folder_of(f) { sub(/^src\//, "", f); sub(/\/.*/, "", f); return f }
  /^SF:/ { file = substr($0, 4); if (index(file, prefix) == 1) file = substr(file, length(prefix) + 1)
           found = hit = bfound = bhit = 0; ranges = ""; first = 0 }
  /^DA:/ { split(substr($0, 4), d, ","); found++
           if (d[2] > 0) { hit++; flush_range() } else { if (!first) first = d[1]; last = d[1] } }
  /^BRDA:/ { bfound++; n = split($0, b, ","); if (b[n] != "-" && b[n] > 0) bhit++ }
  /^end_of_record/ {
    flush_range()
    total += found; hits += hit; btotal += bfound; bhits += bhit; files++
    at = folder_of(file)
    if (!(at in lines)) order[++folders] = at
    lines[at] += found; covered[at] += hit
    line = sprintf("%6.1f%% lines %6.1f%% branches  %s", percent(hit, found), percent(bhit, bfound), file)
    print line (ranges == "" ? "" : ": " ranges) >details
    if (percent(hit, found) < few) { if (!low++) printf "coverage: files with fewer than %d%% of their lines covered:\n", few; print line } }
  END {
    if (!low) printf "coverage: at least %d%% of the lines of each file are covered\n", few
    for (i = 1; i <= folders; i++) printf "%s%s %.1f%%", (i == 1 ? "coverage by folder: " : ", "), order[i], percent(covered[order[i]], lines[order[i]])
    printf "\ncoverage of src: %.1f%% of %d lines, %.1f%% of %d branches, %d files\n", total ? percent(hits, total) : 0, total, btotal ? percent(bhits, btotal) : 0, btotal, files
    if (!total || percent(hits, total) < least) { printf "coverage: at least %s%% of the lines are expected\n", least; exit 1 } }
' "$info"
