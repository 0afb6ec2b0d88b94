#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# names.sh SOURCE_DIR BUILD_DIR CTEST - the build has the tests of tests/baseline/ctest.txt, no fewer and no more.
set -u
list=$1/tests/baseline/ctest.txt build=$2 ctest=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
(cd "$build" && "$ctest" -N) | sed -n 's/^ *Test *#[0-9]*: //p' | LC_ALL=C sort >"$work/names"
[ -s "$work/names" ] || { echo "names: ctest lists no test in $build"; exit 1; }
LC_ALL=C comm -3 "$list" "$work/names" >"$work/differences" 2>"$work/order"
[ -s "$work/order" ] && { echo "names: $list is not sorted (LC_ALL=C)"; exit 1; }
[ -s "$work/differences" ] || { echo "names: ok, $(wc -l <"$work/names") tests"; exit 0; }
echo "names: tests that the build does not have (left), and tests that are not in tests/baseline/ctest.txt (right):"
cat "$work/differences"
echo "names: if the change is wanted: ctest -N | sed -n 's/^ *Test *#[0-9]*: //p' | LC_ALL=C sort >tests/baseline/ctest.txt"
exit 1
