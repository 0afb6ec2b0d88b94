#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# computes.sh EYOTRUN PROGRAM - computation that is measured (--compute measured) is the processor's time: a machine that others use makes it little longer,
# where its wall time doubles; and --compute-scale multiplies it. Ratios of times on one processor, in turns.
run=$1 program=$2
bad=0
cpu=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/') || exit 1

# computed OPTION...: the microseconds that the program has computed.
computed() {
  taskset -c "$cpu" "$run" --fabric sim -n 1 "$@" | sed -n 's/^computed \([0-9]*\) us$/\1/p'
}
# ratio A B LEAST MOST WHAT: A / B, in percent, must be between.
ratio() {
  [ -n "$1" ] && [ -n "$2" ] && [ "$2" -gt 0 ] || { echo "$5: no times: '$1' '$2'"; bad=1; return; }
  r=$(($1 * 100 / $2))
  echo "$5: $r %"
  [ $r -ge "$3" ] && [ $r -le "$4" ] || { echo "$5: $1 us is $r % of $2 us, expected $3 to $4"; bad=1; }
}
# least N...: the least of some numbers.
least() { printf '%s\n' "$@" | sort -n | head -n 1; }

quiet='' busy='' scaled=''
for round in 1 2 3; do
  quiet="$quiet $(computed --compute measured "$program")"
  scaled="$scaled $(computed --compute measured --compute-scale 300 "$program")"
  # two that take the processor's time from the run
  taskset -c "$cpu" sh -c 'while :; do :; done' & first=$!
  taskset -c "$cpu" sh -c 'while :; do :; done' & second=$!
  busy="$busy $(computed --compute measured "$program")"
  kill $first $second
  wait $first $second 2>/dev/null
done
# Options are words: the lists are of numbers.
ratio "$(least $busy)" "$(least $quiet)" 60 170 "beside two others"
ratio "$(least $scaled)" "$(least $quiet)" 200 450 "three times as slow"
[ "$(computed "$program")" = 0 ] || { echo "computation that is declared takes time"; bad=1; }
[ "$(computed --compute declared --compute-scale 300 "$program")" = 0 ] || { echo "a scale alone takes time"; bad=1; }
"$run" --fabric sim -n 1 --compute-scale 300 "$program" 2>&1 | grep -q 'EYOT_COMPUTE_SCALE (--compute-scale) has no effect without --compute measured' ||
  { echo "no warning of a scale alone"; bad=1; }
"$run" --fabric sim -n 1 --compute measured --compute-scale 300 "$program" 2>&1 | grep -q 'no effect' && { echo "a warning of a scale that is used"; bad=1; }
# Calls of 10 ns each with nothing between take their price at least. What the program's own part takes is the machine's affair
# (unit.test_sim_measured: readings of the clock are not charged), so nothing is asked of it.
declared=$(computed "$program" calls)
measured=$(computed --compute measured "$program" calls)
echo "calls with nothing between: $measured us, $declared of them declared"
[ "${measured:-0}" -ge "${declared:-1}" ] && [ "${declared:-0}" -ge 100 ] || { echo "expected at least 100 us, and no less than what is declared"; bad=1; }
# A million reads in a row are ten microseconds each at most: a loop by number ends.
reads=$(computed "$program" reads)
[ "${reads:-0}" -ge 9000000 ] && [ "$reads" -le 10000000 ] || { echo "a million reads of the clock: $reads us, expected 9000000 to 10000000"; bad=1; }
exit $bad
