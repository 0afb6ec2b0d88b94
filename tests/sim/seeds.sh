#!/bin/sh
# seeds.sh EYOTRUN PROGRAM - eyotrun --seeds: that it passes, that it finds the one bad seed, says so, and shows that run's output only.
run="$1 --fabric sim -n 3" program=$2
. "$(dirname "$0")/../support/refuse.sh"
. "$(dirname "$0")/../support/result.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# code NAME CODE COMMAND...: must end with this code; its output is left in $output.
code() {
  name=$1 want=$2
  shift 2
  output=$("$@" 2>&1 </dev/null)
  got=$?
  [ $got -eq "$want" ] || { echo "$name: exit code $got, expected $want: $output"; bad=1; }
}
shows() { printf '%s\n' "$output" | grep -Eq -- "$1" || { echo "$name: expected '$1', got: $output"; bad=1; }; }
hides() { printf '%s\n' "$output" | grep -Eq -- "$1" && { echo "$name: did not expect '$1', got: $output"; bad=1; }; }

runs passes '^eyotrun: 12 runs, seeds 5\.\.16: all passed$' $run --seed 5 --seeds 12 "$program" fail 4
code silent 0 $run --seeds 4 "$program" fail 9
hides 'this is seed'
for jobs in 1 3; do
  code fails 7 $run --seeds 20 --seed 3 --jobs $jobs --order chaos --log error "$program" fail 11
  shows '^this is seed 11$'
  hides '^this is seed (9|10|12)$'
  shows 'unit 1 aborted the run with code 7'
  shows '^eyotrun: run 9 of 20 \(seed 11\) failed: exit code 7$'
  shows "^eyotrun: to repeat it: eyotrun --fabric sim --units 3 --order chaos (--errors return )?--log error --seed 11 .*seeds fail 11$"
  hides 'all passed'
done
# The command that it gives fails in the same way.
again=$(printf '%s\n' "$output" | sed -n 's/^eyotrun: to repeat it: eyotrun//p')
code again 7 sh -c "$1 $again"
shows 'this is seed 11'
code deadlock 3 $run --seeds 5 "$program" deadlock 2
shows 'seed 2\) failed: exit code 3 \(deadlock\)'
code crash 136 $run --seeds 5 "$program" crash 5
shows 'unit 1: Floating point exception'
code limit 124 $run --seeds 5 --run-limit 1 "$program" poll 4
shows 'run 4 of 5 \(seed 4\) failed: no end within 1 s'
code going 7 $run --seeds 5 --keep-going "$program" fail 2
shows '1 of 5 runs failed; seeds: 2$'
code words 7 $run --seeds 1 "$program" fail 1
# The line of --result says the same to scripts.
# line NAME CODE WANTED OPTIONS... : the keys that WANTED names have those values.
line() {
  wanted=$3
  name=$1 want=$2
  shift 3
  rm -f "$work/result"
  code "$name" "$want" $run --result "$work/result" "$@"
  for pair in $wanted; do
    value=$(result_of "$work/result" "${pair%%=*}" 2>&1)
    [ "$(printf '%s' "$value" | tr ' ' _)" = "${pair#*=}" ] || { echo "$name: expected $pair, got '$value'"; bad=1; }
  done
}
line line_passed 0 'tool=eyotrun strategy=seeds units=3 seed=5 runs=12 failed=0 first=- reason=-' --seed 5 --seeds 12 "$program" fail 4
line line_failed 7 'seed=11 runs=9 failed=1 first=9 reason=exit_code_7' --seed 3 --seeds 20 "$program" fail 11
line line_going 7 'seed=11 runs=20 failed=1 first=9' --seed 3 --seeds 20 --keep-going "$program" fail 11
line line_deadlock 3 'seed=2 failed=1 reason=exit_code_3_(deadlock)' --seeds 5 "$program" deadlock 2
line line_crash 136 'seed=5 failed=1 first=5 reason=exit_code_136' --seeds 5 "$program" crash 5
line line_limit 124 'seed=4 failed=1 reason=no_end_within_1_s_of_wall_time_(--run-limit)' --seeds 5 --run-limit 1 "$program" poll 4
printf 'result: runs=1 reason="a \\"b\\" c\\\\d"\n' >"$work/quoted"
[ "$(result_of "$work/quoted" reason)" = 'a "b" c\d' ] || { echo "quoted: $(result_of "$work/quoted" reason)"; bad=1; }
for text in '' 'runs=1' 'result: failed=1' 'result: runs=' 'result: failed=0 runs="1' 'result: runs=1 runs=2' "$(printf 'result: runs=1\nresult: runs=1')"; do
  printf '%s' "$text" >"$work/bad"
  value=$(result_of "$work/bad" runs 2>/dev/null) && { echo "result.sh takes '$text' and says '$value'"; bad=1; }
done
refused result_alone 'this option is for --seeds, which is not given: --result' $run --result "$work/result" "$program" fail 9
refused result_unwritable '--result: cannot write /nowhere/x: No such' $run --seeds 2 --result /nowhere/x "$program" fail 9
refused number "--seeds is '0'; expected a whole number from 1" $run --seeds 0 "$program" fail 1
refused number "--jobs is '-1'; expected" $run --seeds 1 --jobs=-1 "$program" fail 1
refused switch "--keep-going is 'maybe'" $run --seeds 1 --keep-going=maybe "$program" fail 1
runs highest '^eyotrun: 1 runs, seeds 18446744073709551615\.\.18446744073709551615: all passed$' $run --seed 18446744073709551615 --seeds 1 "$program" fail 1
refused last 'the seeds would exceed 64 bits' $run --seed 18446744073709551615 --seeds 2 "$program" fail 1
refused csv 'name one file, which all runs of --seeds would write' $run --seeds 2 --stats-csv "$work/csv" "$program" fail 9
refused dot 'name one file, which all runs of --seeds would write' env EYOT_DEADLOCK_DOT="$work/dot" $run --seeds 2 "$program" fail 9
refused mpi 'this option is for --fabric sim: over MPI a seed has no effect: --seeds' "$1" --fabric mpi --seeds 2 "$program" fail 1
refused nothing 'not found|No such file' $run --seeds 2 "$program.not" fail 1
exit $bad
