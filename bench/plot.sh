#!/bin/sh
# plot.sh CSV DIR - draws what a suite measured over sizes: of the cases named SERIES@BYTES one picture for each metric, with the medians and, as bars, the lowest and the
# highest round; DIR/SUITE_METRIC.png and .svg. A series named ..._again is in the table only. Says on stdout which pictures there are. Without such cases, or without
# gnuplot, there are none. SPDX-License-Identifier: BSD-3-Clause
set -eu
csv=$1 dir=$2
metrics=$(awk -F, 'NR > 1 && $2 ~ /@/ { print $3 }' "$csv" | sort -u)
[ -n "$metrics" ] || exit 0
command -v gnuplot >/dev/null || { echo "bench: no plots: gnuplot is not installed" >&2; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
suite=$(awk -F, 'NR == 2 { print $1 }' "$csv")

# shown SERIES: its name in the legend.
shown() {
  case $1 in
    floor) echo "copy by hand" ;;
    eyot) echo "eyot" ;;
    eyot_nb) echo "eyot, non-blocking" ;;
    mpi) echo "MPI" ;;
    shmem) echo "OpenSHMEM" ;;
    *) echo "$1" | tr _ ' ' ;;
  esac
}

# look SERIES NUMBER: colour and mark; those that many pictures have look alike in all of them.
look() {
  case $1 in
    eyot) echo "lc rgb '#0072b2' pt 7 lw 2" ;;
    eyot_nb) echo "lc rgb '#56b4e9' pt 6 lw 2" ;;
    mpi) echo "lc rgb '#d55e00' pt 5 lw 2" ;;
    shmem) echo "lc rgb '#009e73' pt 9 lw 2" ;;
    floor) echo "lc rgb '#666666' pt 2 lw 2 dt 2" ;;
    *) echo "lt $2 pt $2 lw 2" ;;
  esac
}

# A tick for every size, or, of more than 12, for every power of four, in the words of people.
ticks() {
  awk -F, -v m="$1" 'NR > 1 && $2 ~ /@/ && $3 == m { sub(/.*@/, "", $2); print $2 }' "$csv" | sort -nu | awk '
    { size[NR] = $1 }
    END {
      if (NR > 12) { for (b = 1; b <= size[NR]; b *= 4) if (b >= size[1]) tick[++n] = b } else for (n = 1; n <= NR; n++) tick[n] = size[n]
      for (i = 1; i in tick; i++) {
        b = tick[i]
        text = b >= 1048576 ? b / 1048576 " MiB" : b >= 1024 ? b / 1024 " KiB" : b " B"
        printf "%s\"%s\" %d", sep, text, b
        sep = ", "
      }
    }'
}

draw() { # METRIC
  metric=$1 lines='' number=0
  unit=$(awk -F, -v m="$metric" 'NR > 1 && $3 == m { print $4; exit }' "$csv")
  marks=$(ticks "$metric")
  series=$(awk -F, -v m="$metric" 'NR > 1 && $2 ~ /@/ && $2 !~ /_again@/ && $3 == m { sub(/@.*/, "", $2); if (!seen[$2]++) print $2 }' "$csv")
  for s in $series; do
    number=$((number + 1))
    awk -F, -v s="$s" -v m="$metric" '$3 == m && index($2, s "@") == 1 { x = $2; sub(/.*@/, "", x); print x, $5, $6, $7 }' "$csv" | sort -n >"$work/$s"
    lines="$lines${lines:+, }'$work/$s' using 1:2:3:4 with yerrorlines $(look "$s" $number) title '$(shown "$s")'"
  done
  # A share is drawn from 0 to 100, a time over its magnitudes.
  if [ "$unit" = % ]; then range="set yrange [-20:120]"; else range="set logscale y; set format y '%g'"; fi
  case $unit in %) side="share of the time in %" ;; MB/s) side="bandwidth in MB/s (more is better)" ;; us | ns) side="time in $unit (less is better)" ;; *) side=$unit ;; esac
  for form in png svg; do
    case $form in png) terminal="pngcairo size 1000,600 font 'sans,12'" ;; svg) terminal="svg size 1000,600 dynamic font 'sans,12'" ;; esac
    out=$dir/${suite}_$metric.$form
    gnuplot <<END
set terminal $terminal
set output '$out'
set title '$suite: $(echo "$metric" | tr _ ' ')'
set xlabel 'size of a message'
set ylabel '$side'
set logscale x 2
set xtics ($marks) rotate by -35
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
