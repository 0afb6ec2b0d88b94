#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# layer_prices.sh EYOTRUN PROGRAM - the figures of a machine that concern eyot's own layers (collective, rx_message, signal_after, progress): each makes
# slower what it is said to, by what was given, and nothing else. PROGRAM is tests/programs/layer_prices.c.
run=$1 program=$2
bad=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# costs FILE OPTIONS...
costs() {
  out=$1
  shift
  "$run" --fabric sim -n 2 --order strict "$@" "$program" >"$work/$out" || { echo "$*: code $?"; bad=1; }
  [ "$(wc -l <"$work/$out")" -eq 13 ] || { echo "$*: expected 13 times:"; cat "$work/$out"; bad=1; }
}
# adds WHAT BASE FILE "NAME=NS ..." SLACK: the named times are that much longer, give or take the slack, all others the same.
adds() {
  awk -v what="$1" -v list="$4" -v slack="$5" '
    BEGIN { n = split(list, part, " "); for (i = 1; i <= n; i++) { split(part[i], kv, "="); by[kv[1]] = kv[2] } }
    NR == FNR { was[$1] = $2; next }
    { d = $2 - was[$1] - by[$1]; s = $1 in by ? slack : 1; if (d > s || d < -s) { print what ": " $1 " takes " $2 " ns, without it " was[$1] "; expected " by[$1] + 0 " more"; bad = 1 } }
    END { exit bad }' "$work/$2" "$work/$3" || bad=1
}

costs node
costs apart --units-per-node 1
costs node_call --platform xc40:collective=1000
costs apart_call --units-per-node 1 --platform xc40:collective=1000
adds "collective, within a node" node node_call "allreduce=1000 broadcast=1000" 1
adds "collective" apart apart_call "allreduce=1000 broadcast=1000" 1
# with --compute measured the layers take their own time
measured=$("$run" --fabric sim -n 2 --compute measured --platform xc40:collective=900000 "$program" | awk '$1 == "allreduce" { print $2 }')
[ "${measured:-900000}" -lt 900000 ] || { echo "collective is charged beside measured computation: $measured ns"; bad=1; }

costs node_late --platform xc40:rx_message=1300,signal_after=1000,progress=1
adds "messages, signals and progress within a node" node node_late "" 1
costs message --units-per-node 1 --platform xc40:rx_message=1300
adds "rx_message" apart message "allreduce=1000 broadcast=1000 barrier=1000" 1
costs sooner --units-per-node 1 --platform xc40:rx_message=100
adds "rx_message, less than rx" apart sooner "allreduce=-200 broadcast=-200 barrier=-200" 1
costs after --units-per-node 1 --platform xc40:signal_after=1000
adds "signal_after" apart after "bytes=1000" 1
# 80 us are left of the target's computation when the operation is posted
costs away --units-per-node 1 --platform xc40:progress=1
adds "progress" apart away "away_get=78500 away_long_get=78500 away_put=79000 away_long_put=79000 away_add=79000 away_posted=79000 away_order=79000" 1500
[ $bad -eq 0 ] && echo ok
exit $bad
