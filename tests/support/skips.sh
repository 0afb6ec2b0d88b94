#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# skips.sh LIST JUNIT... - names the tests that were skipped, and why; fails if one of them had to run.
#
# JUNIT are files of ctest --output-junit. LIST has one line for each reason to skip a test, in three
# fields separated by tabs: an extended REGEX of test names, the NEED (a shell command), the REASON.
# A test may be skipped only if the NEED of a line whose REGEX matches its name fails on this machine.
# So a test is never skipped where its need is met, and a test without a line is never skipped.
set -u
list=${1:?skips.sh LIST JUNIT...}
shift
[ $# -gt 0 ] || { echo "skips.sh: no results; expected files of ctest --output-junit" >&2; exit 2; }
[ -s "$list" ] || { echo "skips.sh: $list is missing or empty" >&2; exit 2; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# One line for each test that did not run: its name, a tab, the last line of its output.
awk '
  FNR == 1 { name = "" }
  /<testsuite / { suites++ }
  /<testcase / {
    tests++
    name = $0; sub(/.*<testcase name="/, "", name); sub(/".*/, "", name); skipped = 0; said = ""
    if ($0 ~ /status="(notrun|disabled)"/) skipped = 1
  }
  /<skipped/ { skipped = 1 }
  name != "" && /[Ss]kipped[:,]|^ *<system-out>|units of this node/ {
    line = $0; sub(/.*<system-out>/, "", line); sub(/<\/system-out>.*/, "", line)
    if (line ~ /[Ss]kipped[:,]|units of this node/ || said == "") said = line
  }
  /<\/testcase>/ { if (skipped) print name "\t" said; name = "" }
  END {
    if (suites != ARGC - 1) { print "skips.sh: " suites + 0 " of " ARGC - 1 " files are results of ctest" >"/dev/stderr"; exit 2 }
    print tests + 0 >"/dev/stderr"
  }' "$@" >"$work/skipped" 2>"$work/tests" || { cat "$work/tests" >&2; exit 2; }
tests=$(cat "$work/tests")
[ "$tests" -gt 0 ] || { echo "skips.sh: the results have no test" >&2; exit 2; }

# Needs are tried once each. Reasons of lines whose need fails here excuse tests.
tab=$(printf '\t')
line=0
: >"$work/excused"
while IFS=$tab read -r regex need reason; do
  line=$((line + 1))
  case $regex in '' | '#'*) continue ;; esac
  [ -n "$reason" ] || { echo "skips.sh: $list:$line: expected REGEX, NEED and REASON, separated by tabs" >&2; exit 2; }
  (eval "$need") >/dev/null 2>&1 </dev/null && continue
  printf '%s\t%s\n' "$regex" "$reason" >>"$work/excused"
done <"$list"

: >"$work/by_reason"
bad=0
while IFS=$tab read -r name said; do
  reason=$(awk -F '\t' -v name="$name" 'name ~ $1 { print $2; exit }' "$work/excused")
  if [ -n "$reason" ]; then
    printf '%s\t%s\n' "$reason" "$name" >>"$work/by_reason"
  else
    echo "skips: $name was skipped, but must run here: ${said:-it printed nothing}"
    bad=1
  fi
done <"$work/skipped"
n=$(wc -l <"$work/by_reason")
if [ "$n" -gt 0 ]; then
  echo "skips: $n of $tests tests were skipped:"
  sort "$work/by_reason" | awk -F '\t' '
    $1 != last { if (last != "") printf "  %4d  %s (%s%s)\n", count, last, first, (count > 1 ? ", ..." : ""); last = $1; first = $2; count = 0 }
    { count++ }
    END { printf "  %4d  %s (%s%s)\n", count, last, first, (count > 1 ? ", ..." : "") }'
elif [ $bad -eq 0 ]; then
  echo "skips: none of $tests tests was skipped"
fi
[ $bad -eq 0 ] || echo "skips: meet what the tests need, or state in $list why they may be skipped"
exit $bad
