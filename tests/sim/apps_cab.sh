#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# apps_cab.sh SOURCE_DIR BUILD_DIR - on the simulated cab the ways of communication are in the order in which their source has them (A. Friedley, 2013): on one node
# every gain of bench/apps_gains.tsv is one, and that of messages in one copy over MPI's lies within the published range; few steps, virtual time.
set -eu
here=$1/bench build=$(cd "$2" && pwd) work=$(mktemp -d)
bin=$build/bench
trap 'rm -rf "$work"' EXIT
say() { echo "apps_cab: $*" >&2; }
. "$here/suite_apps.sh"
apps_limit=60 app_cab_steps=3
app_cab_units() { case $1 in lulesh_halo) echo 8 ;; *) echo 16 ;; esac; }
mkdir "$work/bin"
for app in fft2d minimd lulesh_halo; do
  [ -x "$bin/bench_${app}_face" ] || { say "skipped: $app, which is not built"; continue; }
  ln -s "$bin/bench_${app}_face" "$work/bin/"
done
bin=$work/bin
for app in fft2d minimd lulesh_halo; do app_on_cab $app; done >"$work/values"
awk -v gains="$here/apps_gains.tsv" -f "$here/apps_gains.awk" "$here/apps_gains.tsv" "$work/values" >"$work/tables"
sed -n '/virtual time/,$p' "$work/tables" | tee "$work/virtual"
awk -F ' *[|] *' '/^[|] [a-z0-9_]+ [|] (msg|own|exchange) / && $8 ~ /^[0-9]+$/ {
    rows++
    if ($9 <= 0 || $10 <= 0) { print "apps_cab: " $2 ": " $3 " gains nothing over " $4 ": " $9 " and " $10 " %"; bad = 1 }
    if ($3 == "msg") { split($6, range, " to "); if ($9 < range[1] || $9 > range[2]) { print "apps_cab: " $2 ": " $3 " gains " $9 " % over " $4 ", published " $6; bad = 1 } }
  }
  END { if (rows < 4) { print "apps_cab: " rows + 0 " rows"; bad = 1 } exit bad }' "$work/virtual"
