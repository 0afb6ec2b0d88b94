#!/bin/sh
# outcomes.sh OUTCOME... -- COMMAND... - runs an exhaustive search, which must be complete and without failures; its table of outcomes must have these rows, and no other.
set -f
expected=$(mktemp) || exit 1
found=$(mktemp) || exit 1
trap 'rm -f "$expected" "$found"' EXIT
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  printf '%s\n' "$1"
  shift
done | LC_ALL=C sort >"$expected"
while [ "$1" != -- ]; do shift; done
shift
output=$("$@" 2>&1)
code=$?
printf '%s\n' "$output"
[ $code -eq 0 ] || { echo "outcomes.sh: exit code $code, expected 0"; exit 1; }
# A row is a number of runs, right in 12 columns, two blanks, and the outcome.
printf '%s\n' "$output" | sed -n 's/^ *[0-9][0-9]*  //p' | sed 's/ *$//' | LC_ALL=C sort >"$found"
diff "$expected" "$found" || { echo "outcomes.sh: the rows above with < are missing, those with > were not expected"; exit 1; }
