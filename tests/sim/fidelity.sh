#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fidelity.sh SOURCE_DIR BUILD_DIR ENGINE - the small rows of `./dev bench fidelity` for xe6: all stay within their bounds (bench/fidelity/xe6.tsv), and both executors say the same.
set -eu
source=$1 build=$2 engine=$3 work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bin=$build/bench
measured() { "$@"; }
. "$source/bench/fidelity/xe6.sh"
xe6_engine=$engine
fidelity_xe6_small >"$work/rows"
rows=$(grep -c '^fidelity ' "$work/rows")
[ "$rows" -ge 45 ] || { echo "fidelity.sh: only $rows rows were measured"; cat "$work/rows"; exit 1; }
awk -v check=1 -f "$source/bench/fidelity.awk" "$source/bench/fidelity/xe6.tsv" "$work/rows" || { cat "$work/rows"; exit 1; }
