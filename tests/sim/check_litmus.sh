#!/bin/sh
# check_litmus.sh EYOTCHECK PROGRAM MODEL EVERY AGAIN [PATTERN] - every litmus test whose name matches: exhaustive exploration reaches what its table allows, and nothing else; and the same without
# reduction. Where that would take too long, random runs without reduction must stay within what is allowed. Races and handles that nobody waits for are what many tests are about: no
# detector but that of deadlocks is on. EVERY: so many tests apart are those that run, 1: all; of these, one of AGAIN runs
# without reduction too.
check=$1 program=$2 model=$3 every=$4 again=$5 pattern=${6:-.}
samples=1500
bad=0
tests=0
reached() { sed -n 's/^ *[0-9][0-9]*  \([0-9?][0-9?]*\)$/\1/p' | sort | tr '\n' ' '; }
. "$(dirname "$0")/../support/result.sh"
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
"$program" --list "$model" | grep -E "^[^ ]*($pattern)" | awk -v every="$every" 'NR % every == 0' >"$work/tests" && [ -s "$work/tests" ] || { echo "check_litmus: nothing matches '$pattern'"; exit 2; }
while read -r name units nodes search allowed; do
  tests=$((tests + 1))
  want=$(printf '%s\n' $allowed | sort | tr '\n' ' ')
  rm -f "$work/first" "$work/second"
  out=$("$check" --result "$work/first" --detect deadlock -n "$units" --units-per-node "$nodes" --order "$model" --strategy exhaustive "$program" "$name" 2>&1 </dev/null) || { echo "$name: $out"; bad=$((bad + 1)); continue; }
  got=$(echo "$out" | reached)
  if [ "$got" != "$want" ]; then echo "$name ($model): reached $got, allowed are $want"; bad=$((bad + 1)); fi
  first_runs=$(result_of "$work/first" runs) || { echo "$name ($model): no result"; bad=$((bad + 1)); }
  [ "$(result_of "$work/first" exhausted)" = yes ] || { echo "$name ($model): not all was explored: $out"; bad=$((bad + 1)); }
  if [ $((tests % again)) -ne 0 ]; then
    echo "$name $model: $got in $first_runs runs"
    continue
  fi
  if [ "$search" = all ]; then
    all=$("$check" --result "$work/second" --detect deadlock -n "$units" --units-per-node "$nodes" --order "$model" --strategy exhaustive --no-reduction "$program" "$name" 2>&1 </dev/null)
    plain=$(echo "$all" | reached)
    if [ "$plain" != "$got" ]; then echo "$name ($model): reached $got with reduction, $plain without"; bad=$((bad + 1)); fi
  else
    all=$("$check" --result "$work/second" --detect deadlock -n "$units" --units-per-node "$nodes" --order "$model" --runs $samples "$program" "$name" 2>&1 </dev/null)
    for one in $(echo "$all" | reached); do
      case " $want" in *" $one "*) ;; *) echo "$name ($model): a random run came to $one, allowed are $want"; bad=$((bad + 1)) ;; esac
    done
  fi
  plain_runs=$(result_of "$work/second" runs) || { echo "$name ($model): no result"; bad=$((bad + 1)); }
  echo "$name $model: $got in $first_runs runs, $plain_runs without reduction ($search)"
done <"$work/tests"
echo "check_litmus: $tests tests under $model, $bad differences"
[ $bad -eq 0 ]
