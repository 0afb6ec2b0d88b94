#!/bin/sh
# seeds.sh EYOTRUN PROGRAM - eyotrun --seeds: that it passes, that it finds the one bad seed, says so, and shows that run's output only.
run="$1 --fabric sim -n 3" program=$2
. "$(dirname "$0")/../support/refuse.sh"

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
  shows "^eyotrun: to repeat it: eyotrun --fabric sim --units 3 --order chaos --log error --seed 11 .*seeds fail 11$"
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
refused number "--seeds is '0'; expected a whole number from 1" $run --seeds 0 "$program" fail 1
refused number "--jobs is '-1'; expected" $run --seeds 1 --jobs=-1 "$program" fail 1
refused switch "--keep-going is 'maybe'" $run --seeds 1 --keep-going=maybe "$program" fail 1
refused last 'there are no such seeds' $run --seed 18446744073709551615 --seeds 2 "$program" fail 1
refused mpi '--seeds is for --fabric sim' "$1" --fabric mpi --seeds 2 "$program" fail 1
refused nothing 'not found|No such file' $run --seeds 2 "$program.not" fail 1
exit $bad
