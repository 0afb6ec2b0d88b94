#!/bin/sh
# check.sh BUILD_DIR [--quick] [NAME...] - has eyotcheck find each planted fault of tests/mutants/*.mutant: by a random walk within 10,000 runs, by pct within 5,000; shrink it;
# and replay it. Prints a table, and fails when a fault is not found by one of them, not shrunk to four units or fewer, or does not fail again when it is replayed. --quick: random alone.
#
# A mutant with the line `strategy: pct` is looked for by pct alone: its fault shows only when a unit is held back for long, which a random walk does not do.
#
# Before all, the tests must pass on the unchanged library: 200 runs of each.
# The tests of a mutant are those of its section `check`, in the form of run.sh, else those of run.sh; the order modes of time (rdma, chaos) are one here: every order that the contract allows.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${1:?check.sh BUILD_DIR [NAME...]}
build=$(cd "$build" && pwd) || exit 2
shift
quick=0 names=
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=1 ;;
    -*) echo "mutants: unknown option $1; check.sh BUILD_DIR [--quick] [NAME...]" >&2; exit 2 ;;
    *) names="$names $1" ;;
  esac
  shift
done
CONTROL_RUNS=200 STEPS_MOST=20000 RANDOM_RUNS=10000 PCT_RUNS=5000 UNITS_MOST=4 LIMIT=600
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
. "$here/plant.sh"

# find_it LIBRARY_DIR STRATEGY RUNS FILE TEST...: 0: found; $after: by which run, $how, $left: choices after shrinking, those not 0.
find_it() {
  lib=$1 strategy=$2 runs=$3 file=$4 units=$6
  shift 6
  read_test "$@"
  after= how= left= units_left=
  rm -f "$work/result"
  LD_LIBRARY_PATH=$lib EYOT_FABRIC_DIR=$build/lib/eyot timeout $LIMIT "$build/bin/eyotcheck" -n "$units" --strategy "$strategy" --runs "$runs" --seed 1 --max-run $STEPS_MOST --save "$file" \
    --log silent --result "$work/result" $options "$program" $arguments >"$work/log" 2>&1
  code=$?
  case $code in 0 | 5) return 1 ;; 1) ;; *) cat "$work/log"; die "eyotcheck ended with code $code" ;; esac
  after=$(result_of "$work/result" first) && how=$(result_of "$work/result" reason) && left="$(result_of "$work/result" choices) ($(result_of "$work/result" nonzero))" &&
    units_left=$(result_of "$work/result" units) || die "no result of $strategy"
  how=$(printf '%s\n' "$how" | sed 's/^[^;]*; it printed: //; s/^eyot: panic at [^ ]* \[\(unit [0-9]*\), in [^]]*\]: /\1: /; s|[^ ]*/||g' | cut -c1-80)
  LD_LIBRARY_PATH=$lib EYOT_FABRIC_DIR=$build/lib/eyot timeout $LIMIT "$build/bin/eyotcheck" --replay "$file" --save "$work/again" >"$work/replay" 2>&1
  [ $? -eq 1 ] || { cat "$work/replay"; die "the run of $strategy does not fail again"; }
  return 0
}

# any STRATEGY RUNS: the first of the mutant's tests with which it is found.
any() {
  while read -r test; do
    find_it "$dir" "$1" "$2" "$work/$name.run" $test && return 0
  done <"$dir/tests"
  return 1
}

# What fails on the unchanged library finds nothing.
tests_of() {
  section "$here/$1.mutant" check | grep -v '^ *$' >"$2"
  [ -s "$2" ] || section "$here/$1.mutant" tests | grep -v '^ *$' >"$2"
}
link "$work/control" ""
# Without names: all that programs on the simulator show (the others: named.sh).
[ -n "$names" ] || names=$(cd "$here" && grep -L '^== named$' -- *.mutant | sed 's/\.mutant$//')
for name in $names; do
  [ -f "$here/$name.mutant" ] || die "there is no tests/mutants/$name.mutant"
  tests_of "$name" "$work/some"
  cat "$work/some"
done | sort -u >"$work/all"
while read -r test; do
  if find_it "$work/control" random $CONTROL_RUNS "$work/control.run" $test; then
    cat "$work/log"
    die "the unchanged library fails: $test"
  fi
done <"$work/all"

total=0 bad=0
if [ $quick -eq 1 ]; then other= ; else other=pct; fi
printf '%-26s %-8s %-8s %-14s %-6s %s\n' "fault" random "$other" "choices left" units how
for name in $names; do
  mutant=$here/$name.mutant dir=$work/$name
  total=$((total + 1))
  mkdir "$dir"
  compile "$mutant" "$dir"
  link "$dir" "$dir/mutant.o" "$(header "$mutant" file)"
  tests_of "$name" "$dir/tests"
  by_pct= by_random=- alone=$(header "$mutant" strategy)
  if [ $quick -eq 0 ] || [ "$alone" = pct ]; then any pct $PCT_RUNS && by_pct=$after || { by_pct=NOT; bad=$((bad + 1)); }; fi
  if [ "$alone" != pct ]; then any random $RANDOM_RUNS && by_random=$after || { by_random=NOT left=- how="not found within $RANDOM_RUNS runs"; bad=$((bad + 1)); }; fi
  printf '%-26s %-8s %-8s %-14s %-6s %s\n' "$name" "$by_random" "$by_pct" "$left" "$units_left" "$how"
  [ "${units_left:-99}" -le $UNITS_MOST ] || bad=$((bad + 1))
  rm -rf "$dir"
done
echo "mutants: eyotcheck, $total faults, $bad shortfalls"
[ $bad -eq 0 ]
