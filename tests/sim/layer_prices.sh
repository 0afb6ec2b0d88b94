#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# layer_prices.sh EYOTRUN PROGRAM - the figures of a machine that concern eyot's own layers (collective, rx_message, rx_signal, overhead_signal, signal_after,
# progress, serve, serve_atomic, first): each makes
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
  [ "$(wc -l <"$work/$out")" -eq 22 ] || { echo "$*: expected 22 times:"; cat "$work/$out"; bad=1; }
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

costs node_late --platform xc40:rx_message=1300,rx_signal=1300,overhead_signal=1000,signal_after=1000,progress=1,serve=1000,first=1000
adds "messages, signals and progress within a node" node node_late "" 1
costs message --units-per-node 1 --platform xc40:rx_message=1300
adds "rx_message" apart message "allreduce=1000 broadcast=1000 barrier=1000 served_waits=1000 both_post=3" 1
costs sooner --units-per-node 1 --platform xc40:rx_message=100
adds "rx_message, less than rx" apart sooner "allreduce=-200 broadcast=-200 barrier=-200 served_waits=-200" 1
costs signals --units-per-node 1 --platform xc40:rx_signal=1300
adds "rx_signal" apart signals "signal=1000 away_order=1000 served_waits=1000" 2
costs posts --units-per-node 1 --platform xc40:overhead_signal=1000
adds "overhead_signal" apart posts "signal=1000 bytes=1000 away_order=1000 served_waits=1000" 1
# Ten operations at a target that computes are ten times its time. One that waits is as before; two that post have their own work and the other's, and
# lose a flush's latency in which there is nothing to do.
costs serves --units-per-node 1 --platform xc40:serve=1000,serve_atomic=0
adds "serve" apart serves "served_put=10000 served_get=10000 served_bytes=10000 away_posted=749 both_post=1097" 1
costs serves_all --units-per-node 1 --platform xc40:serve_atomic=1000
adds "serve_atomic" apart serves_all "served_add=10000 served_signal=10000 served_bytes=10000" 1
costs first --units-per-node 1 --platform xc40:first=1000
# unit 1 begins later: 1000 in 20 trips
adds "first" apart first "first=1000 signal=50" 1
costs after --units-per-node 1 --platform xc40:signal_after=1000
adds "signal_after" apart after "bytes=1000" 1
# 80 us are left of the target's computation when the operation is posted
costs away --units-per-node 1 --platform xc40:progress=1
adds "progress" apart away "away_get=78500 away_long_get=78500 away_put=79000 away_long_put=79000 away_add=79000 away_posted=79000 away_order=79000" 1500
[ $bad -eq 0 ] && echo ok
exit $bad
