#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check.sh SOURCE_DIR BUILD_DIR - the harness of the suites counts a program that passes, one that fails and one that races, each where it belongs, and
# its exit code tells failures that are not known.
set -u
suites=$1/tests/suites build=$2 work=$(mktemp -d) bad=0
trap 'rm -rf "$work"' EXIT

# run CODE KNOWN OPTIONS...
run() {
  want=$1 known=$2 code=0
  shift 2
  sh "$suites/suites.sh" "$build" "$suites/sample" --mpi 0 --chaos 0 --sim 2 --races 2 --check 2 --runs 5 --limit 20 --work "$work/w" --known "$known" "$@" >"$work/out" 2>"$work/err" || code=$?
  [ $code -eq "$want" ] || fail "exit code $code, expected $want ($*)"
}
fail() { echo "check.sh: $*"; cat "$work/out" "$work/err"; bad=1; }
has() { grep -q -e "$1" "$work/out" || fail "no line '$1'"; }

: >"$work/none"
run 1 "$work/none" --suite own
has '^own  *4  *4/0/0/0  *3/1/0/0  *2/2/0/0  *2/2/0/0$'
has '^  own/fails sim.2: exit code 1: FAILED: expected 42 apples$'
has '^  own/races races.2: .*race'

# What is known is no failure, and what is not supported is not run. Results that are there are not made again.
printf 'own\tfails\t.*\town\tapples\nown\traces\t(races|check).*\tunsupported\tpears\n' >"$work/known"
run 0 "$work/known" --suite own
has '^own  *4  *4/0/0/0  *3/0/1/0  *2/0/1/1  *2/0/1/1$'
has '^  own/fails (own): apples$'

run 2 "$work/known" --sim two
run 2 "$work/known" --suite nothing
printf 'own\tfails\n' >"$work/known"
run 2 "$work/known"
exit $bad
