#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# plot.sh CSV DIR - draws measurements over sizes, distances or units: DIR/SUITE_METRIC.png and .svg
# for each metric of the cases named SERIES@NUMBER, with the medians and, as bars, the lowest and
# the highest round. A series named ..._again is not drawn. Prints the names of the pictures.
# Without such cases, or without gnuplot, there are none. The suite determines the meaning of the
# numbers (axis_of).
set -eu
csv=$1 dir=$2
metrics=$(awk -F, 'NR > 1 && $2 ~ /@/ { print $3 }' "$csv" | sort -u)
[ -n "$metrics" ] || exit 0
command -v gnuplot >/dev/null || { echo "bench: no plots: gnuplot is not installed" >&2; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
suite=$(awk -F, 'NR == 2 { print $1 }' "$csv")

# axis_of METRIC: the meaning of the number after the @: bytes, distance, units (gups, coll-scale) or
# cells of a row.
axis_of() {
  case $suite:$1 in
    distance:* | gups:*) echo "$suite" ;;
    coll-scale:* | upc:*) echo gups ;;
    overlap:cell_wall_*) echo cells ;;
    *) echo bytes ;;
  esac
}

# shown SERIES: its name in the legend.
shown() {
  case $1 in
    floor) echo "copy by hand" ;;
    eyot) echo "eyot" ;;
    eyot_nb) echo "eyot, non-blocking" ;;
    mpi) echo "MPI" ;;
    shmem) echo "OpenSHMEM" ;;
    bound) echo "bound" ;;
    model) echo "multi-object model" ;;
    eyot_xor) echo "eyot, xor atomics in flight" ;;
    put_* | get_*) echo "${1%%_*} of ${1#*_}" | sed 's/\([0-9]\)\([A-Z]\)/\1 \2/' ;;
    node_* | apart_*) echo "${1#*_}" | tr _ ' ' ;; # the place is the picture's
    *) echo "$1" | tr _ ' ' ;;
  esac
}

# look SERIES NUMBER: color and mark; those that many pictures have look alike in all of them.
look() {
  case $1 in
    eyot) echo "lc rgb '#0072b2' pt 7 lw 2" ;;
    eyot_nb | eyot_xor) echo "lc rgb '#56b4e9' pt 6 lw 2" ;;
    put_*) echo "lc rgb '#0072b2' pt 7 ps 0.6 lw 4" ;;
    get_*) echo "lc rgb '#d55e00' pt 5 ps 0.3 lw 1.5" ;;
    mpi) echo "lc rgb '#d55e00' pt 5 lw 2" ;;
    shmem) echo "lc rgb '#009e73' pt 9 lw 2" ;;
    floor | bound) echo "lc rgb '#666666' pt 2 lw 2 dt 2" ;;
    model) echo "lc rgb '#009e73' pt 9 lw 2 dt 2" ;;
    *) echo "lt $2 pt $2 lw 2" ;;
  esac
}

# A tick for every number, or, of more than 12, for every power of four, in the words of people; of distances some 16, in steps of a power of two.
ticks() {
  awk -F, -v m="$1" 'NR > 1 && $2 ~ /@/ && $3 == m { sub(/.*@/, "", $2); print $2 }' "$csv" | sort -nu | awk -v axis=$axis '
    { size[NR] = $1 }
    function text(b) { return axis != "bytes" ? b : b >= 1048576 ? b / 1048576 " MiB" : b >= 1024 ? b / 1024 " KiB" : b " B" }
    END {
      if (axis == "distance") {
        for (step = 1; step * 16 < size[NR]; step *= 2);
        for (b = 0; b < size[NR] + step; b += step) tick[++n] = b
      } else if (NR > 12) { for (b = 1; b <= size[NR]; b *= 4) if (b >= size[1]) tick[++n] = b } else for (n = 1; n <= NR; n++) tick[n] = size[n]
      for (i = 1; i in tick; i++) {
        printf "%s\"%s\" %d", sep, text(tick[i]), tick[i]
        sep = ", "
      }
    }'
}

# Room beside the first and the last number, of which there may be but one.
around() { ticks "$1" | tr ',' '\n' | awk '{ if (NR == 1) first = $NF; last = $NF } END { printf "set xrange [%g:%g]", first * 0.85, last / 0.85 }'; }

draw() { # METRIC
  metric=$1 lines='' number=0 axis=$(axis_of "$1")
  unit=$(awk -F, -v m="$metric" 'NR > 1 && $3 == m { print $4; exit }' "$csv")
  marks=$(ticks "$metric")
  series=$(awk -F, -v m="$metric" 'NR > 1 && $2 ~ /@/ && $2 !~ /_again@/ && $3 == m { sub(/@.*/, "", $2); if (!seen[$2]++) print $2 }' "$csv")
  for s in $series; do
    number=$((number + 1))
    awk -F, -v s="$s" -v m="$metric" '$3 == m && index($2, s "@") == 1 { x = $2; sub(/.*@/, "", x); print x, $5, $6, $7 }' "$csv" | sort -n >"$work/$s"
    lines="$lines${lines:+, }'$work/$s' using 1:2:3:4 with yerrorlines $(look "$s" $number) title '$(shown "$s")'"
  done
  # A share is drawn from 0 to 100 and a time on a logarithmic axis; over distances and cells from 0, where steps of a few tenths matter.
  if [ "$unit" = % ]; then range="set yrange [-20:120]"; elif [ $axis = distance ] || [ $axis = cells ]; then range="set yrange [0:*]"; else range="set logscale y; set format y '%g'"; fi
  case $axis in
    distance) below="set xlabel 'distance (units)'; set xrange [0:*]" turn='' ;;
    cells) below="set xlabel 'cells of a row'; set logscale x 2; $(around "$metric")" turn='' ;;
    gups) below="set xlabel 'units'; set logscale x 2; $(around "$metric")" turn='' ;;
    *) below="set xlabel 'size of a message'; set logscale x 2" turn='rotate by -35' ;;
  esac
  case $unit in %) side="share of the time in %" ;; MB/s) side="bandwidth in MB/s (more is better)" ;; GUP/s) side="giga updates a second (more is better)" ;; us | ns) side="time in $unit$([ $axis != cells ] || echo " a cell") (less is better)" ;; *) side=$unit ;; esac
  for form in png svg; do
    case $form in png) terminal="pngcairo size 1000,600 font 'sans,12'" ;; svg) terminal="svg size 1000,600 dynamic font 'sans,12'" ;; esac
    out=$dir/${suite}_$metric.$form
    gnuplot <<END
set terminal $terminal
set output '$out'
set title '$suite: $(echo "$metric" | tr _ ' ')'
$below
set ylabel '$side'
set xtics ($marks) $turn
$range
set grid
set key outside right top
set bars 0.6
plot $lines
END
    echo "$out"
  done
}

for m in $metrics; do draw "$m"; done
