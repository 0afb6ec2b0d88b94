#!/bin/sh
# coll_pairs.sh EYOTRUN PROGRAM UNITS_OF_A_NODE FIRST STEP - each STEP-th pair of collective functions from FIRST on
# (tests/programs/coll_pairs.c) in a simulated run of its own: it ends with EYOT_EMISMATCH on all members, or with the
# report of a deadlock or a livelock (of members that test without end) in which units are in two functions.
eyotrun=$1 program=$2 per_node=$3 at=$4 step=$5 checked=0
run() {
  EYOT_LOG=silent EYOT_ERRORS=return timeout -k 5 120 "$eyotrun" --fabric sim -n 4 --units-per-node "$per_node" --max-virtual-time 30ms "$program" "$@" 2>&1
}
pairs=$(run) || { echo "coll_pairs.sh: no number of pairs: $pairs"; exit 1; }
while [ "$at" -lt "$pairs" ]; do
  output=$(run "$at" "$pairs")
  code=$?
  calls=$(printf '%s\n' "$output" | sed -n 's/^  unit [0-9]*: in \(eyot_[a-z_]*\( of eyot_[a-z_]*\)*\).*/\1/p' | sort -u | wc -l)
  case $code in
    0) right=true ;;
    3 | 4) [ "$calls" -ge 2 ] && right=true || right=false ;;
    *) right=false ;;
  esac
  $right || { printf '%s\n' "$output"; echo "coll_pairs.sh: exit code $code, $calls functions named in a report"; exit 1; }
  checked=$((checked + 1)) at=$((at + step))
done
echo "$checked pairs"
[ "$checked" -gt 0 ]
