#!/bin/sh
# coverage_report.sh INFO PREFIX [PERCENT] - from an lcov tracefile: line coverage per file and in all, then the lines that no test reached, as ranges. Fails when the whole
# has fewer lines covered than PERCENT.
info=$1 prefix=$2 least=${3:-0}
[ -s "$info" ] || { echo "coverage: $info is missing or empty" >&2; exit 1; }
awk -v prefix="$prefix" -v least="$least" '
  function flush_range() { if (first) ranges = ranges (ranges == "" ? "" : " ") (first == last ? first : first "-" last); first = 0 }
  /^SF:/ { file = substr($0, 4); sub(prefix, "", file); found = hit = bfound = bhit = 0; ranges = ""; first = 0 }
  /^DA:/ { split(substr($0, 4), d, ","); found++
           if (d[2] > 0) { hit++; flush_range() } else { if (!first) first = d[1]; last = d[1] } }
  /^BRDA:/ { bfound++; n = split($0, b, ","); if (b[n] != "-" && b[n] > 0) bhit++ }
  /^end_of_record/ { flush_range(); total += found; hits += hit; btotal += bfound; bhits += bhit
           printf "%6.1f%% lines %6.1f%% branches  %s\n", found ? 100 * hit / found : 100, bfound ? 100 * bhit / bfound : 100, file
           if (ranges != "") missing[++m] = "  " file ": " ranges }
  END { print "\nLines that no test reached:"; for (i = 1; i <= m; i++) print missing[i]
        printf "\ncoverage of src/ without fabric_real: %.1f%% of %d lines, %.1f%% of %d branches\n", total ? 100 * hits / total : 0, total, btotal ? 100 * bhits / btotal : 0, btotal
        if (!total || 100 * hits / total < least) { printf "coverage: at least %s%% of the lines are expected\n", least; exit 1 } }
' "$info"
