#!/bin/sh
# plot.sh CSV DIR - draws what a suite measured over sizes: of the cases named SERIES@BYTES one picture for each metric, with the medians and, as bars, the lowest and the
# highest round; DIR/SUITE_METRIC.png and .svg. Says on stdout which pictures there are. Without such cases, or without gnuplot, there are none. SPDX-License-Identifier: BSD-3-Clause
set -eu
csv=$1 dir=$2
metrics=$(awk -F, 'NR > 1 && $2 ~ /@/ { print $3 }' "$csv" | sort -u)
[ -n "$metrics" ] || exit 0
command -v gnuplot >/dev/null || { echo "bench: no plots: gnuplot is not installed" >&2; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
suite=$(awk -F, 'NR == 2 { print $1 }' "$csv")
for metric in $metrics; do
  series=$(awk -F, -v m="$metric" 'NR > 1 && $2 ~ /@/ && $3 == m { sub(/@.*/, "", $2); if (!seen[$2]++) print $2 }' "$csv")
  unit=$(awk -F, -v m="$metric" 'NR > 1 && $3 == m { print $4; exit }' "$csv")
  lines=
  for s in $series; do
    awk -F, -v s="$s" -v m="$metric" '$3 == m && index($2, s "@") == 1 { x = $2; sub(/.*@/, "", x); print x, $5, $6, $7 }' "$csv" | sort -n >"$work/$s"
    lines="$lines${lines:+, }'$work/$s' using 1:2:3:4 with yerrorlines title '$(echo "$s" | tr _ ' ')'"
  done
  # A share is drawn from 0 to 100, a time over its magnitudes.
  if [ "$unit" = % ]; then range="set yrange [-20:120]"; else range="set logscale y"; fi
  for form in png svg; do
    case $form in png) terminal="pngcairo size 1000,600 font 'sans,11'" ;; svg) terminal="svg size 1000,600 dynamic font 'sans,11'" ;; esac
    out=$dir/${suite}_$metric.$form
    gnuplot <<END
set terminal $terminal
set output '$out'
set title '$suite: $(echo "$metric" | tr _ ' ')'
set xlabel 'bytes'
set ylabel '$unit'
set logscale x 2
set format x '%.0f'
$range
set grid
set key outside right top
plot $lines
END
    echo "$out"
  done
done
