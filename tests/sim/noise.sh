#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# noise.sh EYOTRUN EYOT_INFO PROGRAM - noise of the operating system over p units, in virtual time: steps of computation that end in a barrier (PROGRAM is
# tests/programs/noise_steps.c) against the expectation for the longest of p draws; noises that units share; several at once; profiles. SIMGRID=1: on both executors.
run=$1 info=$2 program=$3
bad=0
fail() {
  echo "$1"
  bad=1
}
# step UNITS STEPS OPTIONS...: the mean step of 1 ms of work, in ns.
step() {
  units=$1 steps=$2
  shift 2
  "$run" --fabric sim -n $units --order strict "$@" "$program" barrier 1000000 $steps | sed -n 's/^step \([0-9]*\) ns$/\1/p'
}
# adds UNITS STEPS FAULT: what the noise adds to a step.
adds() { echo $(($(step $1 $2 --fault "$3") - $(step $1 $2))); }
# near WHAT VALUE EXPECTED: within 10 %.
near() {
  printf '%s %s\n' "$2" "$3" | awk '{ exit !(NF == 2 && $1 > $2 * 0.9 && $1 < $2 * 1.1) }' || fail "$1: $2 ns, expected $3 ns"
}
# A detour of 25 us each 100 ms of a unit: in 1 ms with probability 0.01, of one of p units with 1 - 0.99^p.
for p in 2:8000 16:1000 128:200; do
  units=${p%:*} steps=${p#*:}
  near "$units units" "$(adds $units $steps noise:unit=all,every=100ms,takes=25us,gaps=equal)" "$(awk -v p=$units 'BEGIN { print 25000 * (1 - 0.99 ^ p) }')"
done
near "16 units, drawn gaps" "$(adds 16 4000 noise:unit=all,every=100ms,takes=25us)" "$(awk 'BEGIN { print 25000 * (1 - 0.99 ^ 16) }')"
# What all units see at the same time does not add up over units, what a node sees adds up over nodes.
near "128 units, one noise" "$(adds 128 400 noise:unit=all,every=100ms,takes=25us,gaps=equal,per=all)" 250
near "16 nodes of 8 units" "$(($(step 128 400 --units-per-node 8 --fault noise:unit=all,every=100ms,takes=25us,gaps=equal,per=node) - $(step 128 400 --units-per-node 8)))" "$(awk 'BEGIN { print 25000 * (1 - 0.99 ^ 16) }')"
# Several at once add up.
near "two noises of one unit" "$(adds 2 2000 'noise:unit=1,every=10ms,takes=25us,gaps=equal;noise:unit=1,every=20ms,takes=100us,gaps=equal')" 7500
near "the profile medium, one unit" "$(adds 2 2000 noise:profile=medium,unit=0)" 25000
"$run" --fabric sim -n 2 --fault 'noise:unit=all,every=10us,takes=6us,gaps=equal;noise:unit=1,every=10us,takes=6us,gaps=equal' "$program" barrier 1 1 2>&1 |
  grep -q 'all noises together take 120 %' || fail "noises that leave no time are accepted"
[ "$(adds 2 200 noise:profile=tick)" -gt 0 ] || fail "the profile tick adds nothing"
for name in $("$info" --noise | sed -n 's/^\([a-z]*\): .*/\1/p'); do
  [ -n "$(step 2 1 --fault noise:profile=$name)" ] || fail "the profile $name, which eyot-info --noise lists, is not accepted"
done
[ "$("$info" --noise | grep -c '^  source: ..')" = "$("$info" --noise | grep -c '^[a-z]*: ')" ] || fail "a profile has no source"
# hash ENGINE: of a run with noise.
hash() {
  "$run" --fabric sim -n 16 --fault noise:profile=busy --trace-hash --engine $1 "$program" barrier 1000000 50 2>&1 | sed -n 's/^trace hash: //p'
}
fiber=$(hash fiber)
[ -n "$fiber" ] && { [ -z "$SIMGRID" ] || [ "$fiber" = "$(hash simgrid)" ]; } || fail "the executors differ: '$fiber'"
exit $bad
