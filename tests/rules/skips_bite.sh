#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# skips_bite.sh SOURCE_DIR CTEST - proof that skips.sh refuses a test that was skipped and had to run, on
# results that ctest itself writes.
set -u
root=$1 ctest=$2
skips=$root/tests/support/skips.sh
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat >CTestTestfile.cmake <<'END'
add_test(runs sh -c "echo skipped: this is only a word of its output")
add_test(lacks sh -c "echo skipped: there is no gadget; exit 77")
add_test(lacks.too sh -c "echo skipped: there is no gadget; exit 77")
set_tests_properties(lacks lacks.too PROPERTIES SKIP_RETURN_CODE 77)
END
"$ctest" --output-junit "$work/all.xml" >log 2>&1 || { cat log; echo "skips_bite: ctest failed"; exit 1; }
"$ctest" -R runs --output-junit "$work/one.xml" >log 2>&1 || { cat log; echo "skips_bite: ctest failed"; exit 1; }

# expects NAME CODE REGEX LIST_LINE... -- RESULTS...
expects() {
  name=$1 code=$2 regex=$3
  shift 3
  printf '# a list\n' >list
  while [ "$1" != -- ]; do printf "$1\n" >>list; shift; done
  shift
  output=$(sh "$skips" list "$@" 2>&1)
  got=$?
  [ $got -eq "$code" ] || { echo "skips_bite: $name: exit code $got, expected $code: $output"; exit 1; }
  printf '%s\n' "$output" | grep -Eq -- "$regex" || { echo "skips_bite: $name: expected '$regex': $output"; exit 1; }
}
expects "need not met" 0 '^ +2  no gadget' '^lacks\tfalse\tno gadget' -- all.xml
expects "need met" 1 '^skips: lacks was skipped, but must run here: skipped: there is no gadget$' '^lacks\ttrue\tno gadget' -- all.xml
expects "one of two needs met" 0 '^ +2  no gizmo' '^lacks\ttrue\tno gadget' '^lacks\tfalse\tno gizmo' -- all.xml
expects "no line" 1 '^skips: lacks.too was skipped, but must run' '^lacks$\tfalse\tno gadget' -- all.xml
expects "nothing skipped" 0 '^skips: none of 1 tests was skipped$' '^lacks\tfalse\tno gadget' -- one.xml
expects "no reason" 2 'expected REGEX, NEED and REASON' '^lacks\tfalse' -- all.xml
expects "no results" 2 'are results of ctest' '^lacks\tfalse\tno gadget' -- list
# The list of the project itself is well formed.
sh -c 'cd "$1" && sh tests/support/skips.sh tests/baseline/may-skip.tsv "$2"' sh "$root" "$work/one.xml" || exit 1
echo "skips_bite: ok"
