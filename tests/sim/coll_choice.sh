#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# coll_choice.sh SOURCE_DIR BUILD_DIR [MACHINE:UNITS[,UNITS...]...] - what the choice of algorithms by
# the model loses on simulated machines, in virtual time, at the places of bench/coll_grid.txt, or at
# those of some machines and numbers of units. Prints each place where it loses more than 10 %, and
# a line for each machine and one for all: the places, those within 10 %, and the worst. Fails if more
# than a tenth of all places lose more, if it loses half of the best one's time anywhere, or if a
# place was not measured.
set -eu
bench=$1/bench build=$2 work=$(mktemp -d) bad=0
trap 'rm -rf "$work"' EXIT
shift 2
. "$bench/coll_places.sh"
. "$bench/coll_sim.sh"
coll_eyotrun() { "$build/bin/eyotrun" "$@"; }
judge() { awk -v brief=1 -v check="$2" -f "$bench/coll_heat.awk" "$work/$1"; }

[ $# -gt 0 ] || set -- $(awk '!/^#/ && $1 != "mpi" && !seen[$1]++ { print $1 ":" }' "$bench/coll_grid.txt")
for some in "$@"; do
  coll_platform=${some%%:*} fabric=${some%%:*}
  [ "$fabric" != sim ] || coll_platform=xc40
  [ "$fabric" != xc40 ] || fabric=sim
  # shellcheck disable=SC2046
  coll_places "$bench/coll_grid.txt" "$fabric" coll_sim_info coll_sim_run $(echo "${some#*:}" | tr , ' ') >"$work/places" ||
    { echo "coll_choice: failed: $some"; exit 1; }
  awk -v machine="$coll_platform" '{ $2 = machine ":" $2; print }' "$work/places" >"$work/$coll_platform"
  cat "$work/$coll_platform" >>"$work/all"
  [ $# -eq 1 ] || { echo "$coll_platform:"; judge "$coll_platform" 0 || bad=1; }
done
if [ $# -eq 1 ]; then
  judge all 1 || bad=1
else
  echo "all machines:"
  judge all 1 | tail -n 1
  judge all 1 >/dev/null || bad=1
fi
exit $bad
