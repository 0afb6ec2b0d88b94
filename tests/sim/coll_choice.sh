#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# coll_choice.sh SOURCE_DIR BUILD_DIR [UNITS...] - what the choice of algorithms by the model loses on
# a simulated xc40, in virtual time, at the places of bench/coll_grid.txt. Prints each place where it
# loses more than 10 %, and fails if these are more than a tenth of the places, or if it loses half
# of the best one's time anywhere.
set -eu
bench=$1/bench build=$2 work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
shift 2
. "$bench/coll_places.sh"
. "$bench/coll_sim.sh"
coll_eyotrun() { "$build/bin/eyotrun" "$@"; }
coll_platform=xc40
coll_places "$bench/coll_grid.txt" sim coll_sim_info coll_sim_run "$@" >"$work/places" || { echo "coll_choice: failed"; exit 1; }
awk -v brief=1 -v check=1 -f "$bench/coll_heat.awk" "$work/places"
