#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# soak.sh BUILD_DIR [SECONDS] [SEED] - a long campaign: every program of tests/soak/programs under random, pct and guided, each for its share of SECONDS (600) of wall time.
#
# The seed is $CAMPAIGN_SEED, or the day's, if none is given, so that every day looks somewhere else and a campaign can be repeated. Ends with a table; files of failing runs stay in BUILD_DIR/soak.
# Another list is EYOT_SOAK_LIST, another folder for what is found EYOT_SOAK_OUT. Exit code 1: a run failed; 2: something could not be explored.
set -u
export EYOT_ERRORS=return # the programs check the codes of mistakes that they make on purpose
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../support/result.sh"
build=$(cd "${1:?soak.sh BUILD_DIR [SECONDS] [SEED]}" && pwd) || exit 2
seconds=${2:-600} seed=${3:-${CAMPAIGN_SEED:-$(date -u +%Y%m%d)}}
for number in "$seconds" "$seed"; do
  case $number in
    '' | *[!0-9]*) echo "soak.sh: '$number' is not a whole number; expected SECONDS [SEED]" >&2; exit 2 ;;
  esac
done
strategies="random pct guided"
list=${EYOT_SOAK_LIST:-$here/programs}
n=$(grep -cv '^#' "$list")
share=$((seconds / (3 * n)))
[ $share -ge 1 ] || share=1
out=${EYOT_SOAK_OUT:-$build/soak}
mkdir -p "$out" || exit 2
table=$out/table
: >"$table"
code=0
echo "soak: $n programs under $strategies, $share s each: about $((share * 3 * n)) s; seed $seed (repeat: soak.sh BUILD_DIR $seconds $seed)"

# one NAME STRATEGY UNITS OPTIONS... -- PROGRAM ARGUMENTS...: a line of the table.
one() {
  name=$1 strategy=$2 units=$3
  shift 3
  file=$out/$name.$strategy.run
  rm -f "$file" "$out/result"
  EYOT_LOG=error "$build/bin/eyotcheck" -n "$units" --strategy "$strategy" --seed "$seed" --time "$share" --jobs "$(nproc)" --max-run 20000 --no-shrink --save "$file" --result "$out/result" "$@" >"$out/log" 2>&1
  got=$?
  runs=- failed=- cut=-
  if [ $got -le 1 ] || [ $got -eq 5 ]; then # 5: runs were cut
    runs=$(result_of "$out/result" runs) && failed=$(result_of "$out/result" failed) && cut=$(result_of "$out/result" cut) || got=2
  fi
  case $got in
    0 | 5) word=- ;;
    1) word=$file code=$((code | 1)) ;;
    *) word="not explored (exit code $got)" code=$((code | 2))
      sed 's/^/  /' "$out/log" | tail -n 5 ;;
  esac
  printf '%-52s %-7s %10s %7s %7s  %s\n' "$name" "$strategy" "$runs" "$failed" "$cut" "$word" | tee -a "$table" >&2
}

while read -r units line; do
  case $units in '' | '#'*) continue ;; esac
  options=${line%%-- *} program=${line#*-- }
  name=$(printf '%s' "$units $program" | tr -c 'A-Za-z0-9=_\n' '-')
  case $program in
    examples/*) program=$build/$program ;;
    *) program=$build/tests/bin/$program ;;
  esac
  for strategy in $strategies; do
    # shellcheck disable=SC2086 # words of the list are words
    one "$name" "$strategy" "$units" $options -- $program </dev/null
  done
done <"$list"

echo
printf '%-52s %-7s %10s %7s %7s  %s\n' program strategy runs failed cut file
cat "$table"
[ $((code & 1)) -eq 0 ] || echo "soak: runs have failed; make them smaller and look at them: eyotcheck --shrink FILE, eyotcheck --replay FILE"
[ $code -ne 0 ] || echo "soak: no run failed"
[ $code -lt 2 ] || exit 2
exit $code
