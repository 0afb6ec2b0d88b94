#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# coll_heat_plot.sh CSV DIR SUITE LIMIT - draws the heat maps of coll_heat.awk's CSV: for each function
# DIR/SUITE_heat_FUNCTION.png and .svg, with the winner's name and what the choice loses in each
# field; fields are the darker the more it loses. Prints the names of the pictures. Without gnuplot
# there are none.
set -eu
csv=$1 dir=$2 suite=$3 limit=$4
command -v gnuplot >/dev/null || { echo "bench: no heat maps: gnuplot is not installed" >&2; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# fields FUNCTION: lines `COLUMN ROW LOSS "NAME|LOSS"`, and the ticks of both axes in files.
fields() {
  awk -F, -v f="$1" -v x="$work/x" -v y="$work/y" '
    function size(b) { return b >= 1048576 && b % 1048576 == 0 ? b / 1048576 " MiB" : b >= 1024 && b % 1024 == 0 ? b / 1024 " KiB" : b " B" }
    function shape(s, part) { return split(s, part, "/") == 2 ? part[1] ", " part[2] " a node" : s }
    NR > 1 && $1 == f {
      if (!($3 in column)) { column[$3] = ++columns; printf("%s\"%s\" %d", (columns > 1 ? ", " : ""), size($3), columns) > x }
      if (!($2 in row)) { row[$2] = ++rows; printf("%s\"%s\" %d", (rows > 1 ? ", " : ""), shape($2), rows) > y }
      printf "%d %d %s \"%s\\n%.2f\"\n", column[$3], row[$2], $6, $4, $6
    }' "$csv"
}

for function in $(awk -F, 'NR > 1 && !seen[$1]++ { print $1 }' "$csv"); do
  fields "$function" >"$work/fields"
  for form in png svg; do
    case $form in png) terminal="pngcairo size 1100,900 font 'sans,10'" ;; svg) terminal="svg size 1100,900 dynamic font 'sans,10'" ;; esac
    out=$dir/${suite}_heat_$function.$form
    gnuplot <<END
set terminal $terminal
set output '$out'
set title '$suite: $function, the fastest algorithm, and the time of the choice by its time'
set xlabel 'bytes'
set ylabel 'units'
set xtics ($(cat "$work/x"))
set ytics ($(cat "$work/y"))
set autoscale xfix
set autoscale yfix
set offsets 0.5, 0.5, 0.5, 0.5
set palette defined (1 '#f7fbff', $limit '#c6dbef', 1.5 '#e6550d')
set cbrange [1:1.5]
set cblabel 'time of the choice by that of the fastest'
set style fill solid border lc rgb '#ffffff'
unset key
plot '$work/fields' using 1:2:(0.5):(0.5):3 with boxxyerror lc palette, '' using 1:2:4 with labels font ',8'
END
    echo "$out"
  done
done
