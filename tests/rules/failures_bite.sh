#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# failures_bite.sh SOURCE_DIR CTEST - proof that failures.sh names each test that failed, with the end of what it printed, and no other, on
# results that ctest itself writes.
set -u
failures=$1/tests/support/failures.sh ctest=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat >CTestTestfile.cmake <<'END'
add_test(runs sh -c "echo fine")
add_test(fails sh -c "seq 100; echo \"2 < 3 & 'so' on\"; exit 3")
add_test(lasts sh -c "echo begins; exec sleep 60")
set_tests_properties(lasts PROPERTIES TIMEOUT 1)
END
"$ctest" --output-junit all.xml >log 2>&1 && { cat log; echo "failures_bite: ctest does not fail"; exit 1; }
"$ctest" -R runs --output-junit one.xml >log 2>&1 || { cat log; echo "failures_bite: ctest failed"; exit 1; }
sh "$failures" one.xml missing.xml >none || { echo "failures_bite: it ends with code $?"; exit 1; }
[ ! -s none ] || { cat none; echo "failures_bite: a test failed, it says, but none did"; exit 1; }
sh "$failures" one.xml all.xml >said
[ "$(sed 's/ after .*//' said | grep -c '^failed: ')" = 2 ] || { cat said; echo "failures_bite: expected two tests"; exit 1; }
for line in '^failed: fails after [0-9.]* s$' '^  100$' "^  2 < 3 & 'so' on\$" '^failed: lasts after [0-9.]* s$' '^  begins$'; do
  grep -q -- "$line" said || { cat said; echo "failures_bite: expected a line '$line'"; exit 1; }
done
grep -qx '  50' said && { cat said; echo "failures_bite: more than the end of what a test printed"; exit 1; }
echo "failures_bite: ok"
