#!/bin/sh
# run.sh BUILD_DIR [--quick] [--every N] [--named] [--jobs N] [NAME...] - plants each fault of tests/mutants/*.mutant in the library and runs the tests that
# should notice.
#
# A mutant is a text file:
#   file: src/... or tools/...    the one source file that it changes
#   in: src/...                   a header that it includes, which is changed instead, for it alone
#   fault: one sentence           what is wrong
#   quick: yes                    its named tests are short enough for --quick
#   == original                   lines that occur exactly once in the file; else the run fails, as does rules.planted, which reads all
#   == replacement
#   == tests                      ORDER UNITS [--small] [--option=value...] PROGRAM [ARGUMENTS]: programs of tests/bin on the simulator;
#                                 the first is the one of --quick. --small: a machine of small nodes and groups, so that four units cross
#                                 each kind of boundary
#   == check                      instead of these, for check.sh
#   == named                      instead of `tests`: RUNS NAME, tests of ctest, and the runs within which one of them fails (named.sh)
# The changed file is compiled by the command of BUILD_DIR's compile_commands.json, outside the tree, and linked with BUILD_DIR's other
# objects to a library of its own, which eyotrun, fabric and programs of BUILD_DIR then use.
#
# In full: 1,000 runs of each test in strict order (how hard is it?), then each test in its order until it fails, at most 20,000 runs. Fails
# when a mutant is not caught, or when fewer than 8 survive strict order. Quick: the first test only, at most 4,000 runs. --every N: of those
# with programs on the simulator one of N, 1 by default; the others must fit. Before all, the
# unchanged sources, built in the same way, must pass.
set -u
export EYOT_ERRORS=return # the programs check the codes of mistakes that they make on purpose
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${1:?run.sh BUILD_DIR [--quick] [NAME...]}
build=$(cd "$build" && pwd) || exit 2
shift
quick=0 only_named=0 every=1 jobs=$(nproc) names=
# A run that livelocks is caught by time. Quick is run by ./dev test.
RUN_LIMIT=20
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=1 RUN_LIMIT=4 ;;
    --named) only_named=1 ;;
    --jobs) jobs=$2; shift ;;
    --every) every=$2; shift ;;
    -*) echo "mutants: unknown option $1; run.sh BUILD_DIR [--quick] [--every N] [--named] [--jobs N] [NAME...]" >&2; exit 2 ;;
    *) names="$names $1" ;;
  esac
  shift
done
STRICT_RUNS=1000 BOUND=20000 CONTROL_RUNS=100 QUICK_BOUND=4000 HARD_LEAST=8
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
. "$here/plant.sh"
# shellcheck source=named.sh
. "$here/named.sh"

# series LIBRARY_DIR ORDER RUNS TEST...: 0: all passed. 1: one failed; $after: which, $how: how.
series() {
  lib=$1 order=$2 runs=$3 units=$4
  shift 4
  read_test "$@"
  rm -f "$work/result"
  LD_LIBRARY_PATH=$lib EYOT_FABRIC_DIR=$build/lib/eyot EYOT_ERRORS=return \
    "$build/bin/eyotrun" --fabric sim -n "$units" --order "$order" --seeds "$runs" --jobs "$jobs" \
    --run-limit $RUN_LIMIT --log silent --result "$work/result" $options "$program" $arguments >"$work/log" 2>&1 && return 0
  after=$(result_of "$work/result" first) && how=$(result_of "$work/result" reason) || { cat "$work/log"; die "the test did not run"; }
  # What was said by an oracle, a check or an assertion says more than the exit code.
  said=$(grep -m1 -E '^oracle: |^unit [0-9]+: |^eyot: .*(panic|aborted)' "$work/log" | sed 's/^oracle: //; s/^unit [0-9]*: //; s/^eyot: //
    s#^/[^ ]*/##; s#^panic at [^ ]*/\([^/ ]*\) \[[^]]*\]: #assertion in \1: #' | cut -c1-90)
  case $how in 'exit code 1' | 'exit code 134') [ -n "$said" ] && how=$said ;; esac
  return 1
}

mutants= named= fitting= n=0
for name in ${names:-$(cd "$here" && ls | sed -n 's/\.mutant$//p')}; do
  [ -f "$here/$name.mutant" ] || die "there is no tests/mutants/$name.mutant"
  if [ -n "$(section "$here/$name.mutant" named)" ]; then named="$named $name"; continue; fi
  n=$((n + 1))
  if [ $((n % every)) -eq 0 ]; then mutants="$mutants $name"; else fitting="$fitting $name"; fi
done
[ $only_named -eq 0 ] || mutants= fitting=

# The control: whatever fails here catches no mutant.
link "$work/control" ""
section_tests() { section "$here/$1.mutant" tests | grep -v '^ *$'; }
for name in $mutants; do
  if [ $quick -eq 1 ]; then section_tests "$name" | head -n 1; else section_tests "$name"; fi
done | sort -u >"$work/all"
controls=0
while read -r order rest; do
  controls=$((controls + 1))
  n=$CONTROL_RUNS
  [ $quick -eq 1 ] && n=10
  series "$work/control" "$order" $n $rest || { cat "$work/log"; die "the unchanged library fails: $order $rest"; }
done <"$work/all"
echo "mutants: $controls tests pass on the unchanged library"

total=0 caught=0 hard=0 planted=0
printf '%-26s %-16s %-7s %-8s %-58s %s\n' mutant "strict order" caught "by" test how
for name in $mutants; do
  total=$((total + 1))
  mutant=$here/$name.mutant dir=$work/$name
  mkdir "$dir"
  compile "$mutant" "$dir"
  link "$dir" "$dir/mutant.o" "$(header "$mutant" file)"
  section_tests "$name" >"$dir/tests"
  [ -s "$dir/tests" ] || die "$mutant: no tests"
  strict=- found=
  if [ $quick -eq 0 ]; then
    strict="survives $STRICT_RUNS"
    sed 's/^[a-z]* *//' "$dir/tests" | sort -u >"$dir/strict"
    while read -r test; do
      series "$dir" strict $STRICT_RUNS $test || { strict="caught after $after"; break; }
    done <"$dir/strict"
    case $strict in survives*) hard=$((hard + 1)) ;; esac
  fi
  bound=$BOUND
  [ $quick -eq 1 ] && bound=$QUICK_BOUND
  while read -r order test; do
    if ! series "$dir" "$order" $bound $test; then
      found=1
      break
    fi
    [ $quick -eq 0 ] || break
  done <"$dir/tests"
  if [ -n "$found" ]; then
    caught=$((caught + 1))
    printf '%-26s %-16s %-7s %-8s %-58s %s\n' "$name" "$strict" "$after" "$order" "$test" "$how"
  else
    printf '%-26s %-16s %-7s %-8s %-58s %s\n' "$name" "$strict" NOT "" "" "survives $bound runs: $(header "$mutant" fault)"
  fi
  rm -rf "$dir"
done

# named_tests NAME: the lines of its section.
named_tests() { section "$here/$1.mutant" named | grep -v '^ *$'; }
# The others of a quick run are not compiled, but must still fit: a mutant cannot rot unseen.
for name in $fitting; do
  change "$here/$name.mutant" "$work"
  planted=$((planted + 1))
done
run=
for name in $named; do
  mutant=$here/$name.mutant
  if ! has_library "$(made_of "$(header "$mutant" file)")"; then
    [ $quick -eq 1 ] || die "$name: $build has no library of $(header "$mutant" file)"
  elif [ $quick -eq 0 ] || [ "$(header "$mutant" quick)" = yes ]; then
    run="$run $name"
    continue
  fi
  change "$mutant" "$work"
  planted=$((planted + 1))
done
# The control of these: each test once, with each library built in the same way but unchanged.
if [ -n "$run" ]; then
  for name in $run; do
    library=$(made_of "$(header "$here/$name.mutant" file)")
    named_tests "$name" | while read -r runs test; do echo "$library $test"; done
  done | sort -u >"$work/all"
  for library in $(cut -d ' ' -f 1 "$work/all" | sort -u); do named_link "$work/named-$library" "$library"; done
  controls=0
  while read -r library test; do
    controls=$((controls + 1))
    named_control "$work/named-$library" "$library" "$test" || { cat "$work/log"; die "the unchanged library fails: $test"; }
  done <"$work/all"
  echo "mutants: $controls named tests pass on the unchanged library"
fi
for name in $run; do
  total=$((total + 1))
  mutant=$here/$name.mutant dir=$work/$name file=$(header "$here/$name.mutant" file)
  mkdir "$dir"
  compile "$mutant" "$dir"
  library=$(made_of "$file") found=
  named_link "$dir" "$library" "$dir/mutant.o" "$file"
  named_tests "$name" >"$dir/tests"
  while read -r runs test; do
    named_series "$dir" "$library" "$runs" "$test" "$dir/mutant.o" "$file" || { found=1; break; }
  done <"$dir/tests"
  if [ -n "$found" ]; then
    caught=$((caught + 1))
    printf '%-26s %-16s %-7s %-8s %-58s %s\n' "$name" - "$after" "$library" "$test" "$how"
  else
    printf '%-26s %-16s %-7s %-8s %-58s %s\n' "$name" - NOT "$library" "" "survives: $(header "$mutant" fault)"
  fi
  rm -rf "$dir"
done
[ $planted -eq 0 ] || echo "mutants: $planted more still fit their sources; ./dev mutants runs their tests"
echo "mutants: $caught of $total caught"
bad=0
[ $caught -eq $total ] || { echo "mutants: $((total - caught)) survive: the tests have a hole"; bad=1; }
if [ $quick -eq 0 ]; then
  echo "mutants: $hard survive $STRICT_RUNS runs in strict order"
  [ -n "$names" ] || [ $only_named -eq 1 ] || [ $hard -ge $HARD_LEAST ] || { echo "mutants: only $hard are hard; expected at least $HARD_LEAST"; bad=1; }
fi
exit $bad
