#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# smpi.sh SOURCE_DIR BUILD_DIR - the suite `smpi` with 32 units: all its programs run, verify themselves in both simulators, and print the values of the table; one that does not verify stops it.
set -u
here=$1/bench build=$2 bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
cp "$build/bench/bench_messages" "$bin/" || exit 1
say() { echo "smpi.sh: $*"; }
measured() { timeout 100 "$build/bench/bench_measure" "$@" 2>"$bin/stderr" || { say "failed: $*"; tail -n 20 "$bin/stderr"; return 1; }; }
. "$here/suite_smpi.sh"
smpi_build && smpi_files 32 && smpi_round 32 2 4 heat >"$bin/values" || exit 1
for program in barrier flood heat3d; do
  for way in eyot eyot_flows smpi; do
    n=$(awk -v c="32_${program}_$way" '$1 == "value" && $2 == c && $5 > 0 { n++ } END { print n + 0 }' "$bin/values")
    [ "$n" -eq 3 ] || { say "$n values of ${program}_$way, expected 3"; cat "$bin/values"; exit 1; }
  done
done
smpi_values wrong "wall_s 1 cpu_s 1 peak_kb 1 exit 0" >"$bin/wrong" && { say "a run that has not verified itself is taken"; exit 1; }
# A run that takes too long is ended, and the suite goes on; one that fails ends it.
smpi_limit=1
smpi_run slow sleep 30 >"$bin/slow" && grep -qx 'value slow not_over_after s 1' "$bin/slow" || { say "a run beyond the limit:"; cat "$bin/slow"; exit 1; }
smpi_run fails false >"$bin/fails" && { say "a run that failed is taken"; exit 1; }
echo "smpi: ok"
