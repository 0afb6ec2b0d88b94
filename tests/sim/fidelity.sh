#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fidelity.sh SOURCE_DIR BUILD_DIR MACHINE ENGINE - the small rows of `./dev bench fidelity` for a machine: all stay within their bounds
# (bench/fidelity/MACHINE.tsv), and their virtual times are exactly those of fidelity_MACHINE.txt beside this file, on both executors. Where prices or protocols change
# them rightly, WRITE=1 writes that file anew.
set -eu
source=$1 build=$2 machine=$3 engine=$4 work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bin=$build/bench expected=$source/tests/sim/fidelity_$machine.txt
case $machine in xc40) fidelity_units=${UNITS:-64} ;; *) fidelity_units=4 ;; esac
measured() { "$@"; }
say() { echo "fidelity.sh: $*" >&2; }
# word NAME: prints the word after NAME in the text on stdin, at its last occurrence.
word() { awk -v name="$1" '{ for (i = 1; i < NF; i++) if ($i == name) v = $(i + 1) } END { print v }'; }
. "$source/bench/fidelity/$machine.sh"
eval "${machine}_engine=\$engine"
"fidelity_${machine}_small" >"$work/rows" || { say "a program failed"; exit 1; }
awk -v check=1 -f "$source/bench/fidelity.awk" "$source/bench/fidelity/$machine.tsv" "$work/rows" || { cat "$work/rows"; exit 1; }
[ -z "${WRITE:-}" ] || cp "$work/rows" "$expected"
diff "$expected" "$work/rows" || { say "rows of $machine (>) differ from those of $expected (<)"; exit 1; }
