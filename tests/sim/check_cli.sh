#!/bin/sh
# check_cli.sh EYOTCHECK PROGRAM OTHER - eyotcheck and programs, options and files that it must refuse or cope with: each message says what was wrong, and what to do. OTHER is
# a program that does not fail.
set -u
check=$1 program=$2 other=$3
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$(dirname "$check")/.." && pwd)
. "$(dirname "$0")/../support/refuse.sh"
. "$here/../support/result.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

# code NAME CODE REGEX COMMAND...: must end with this code and print REGEX; its output is left in $output.
code() {
  name=$1 want=$2 regex=$3
  shift 3
  output=$("$@" 2>&1 </dev/null)
  got=$?
  if [ $got -eq "$want" ] && printf '%s\n' "$output" | grep -Eq -- "$regex"; then
    echo "$name: ok"
  else
    echo "$name: code $got, expected $want and '$regex', got: $(printf '%s' "$output" | head -c 3000)"
    bad=1
  fi
}
two() { mode=$1; shift; "$check" -n 2 --runs 200 "$@" "$program" "$mode"; }

# Options.
code help 0 'usage: eyotcheck .*PROGRAM' "$check" --help
code alone 2 'no program given .eyotcheck --help' "$check"
code program 127 "nowhere" "$check" -n 2 ./nowhere
code folder 126 . "$check" -n 2 "$dir"
code strategy 2 "strategy is 'best'; expected random, pct, exhaustive or guided" two plain --strategy best
code option 2 'unknown option --startegy; did you mean' two plain --startegy pct
code runs 2 "runs is '-1'; expected a whole number from 0" two plain --runs=-1
code jobs 2 "jobs is '65'; expected a whole number from 1 to 64" two plain --jobs 65
code depth 2 "depth is 'x'; expected a whole number" two plain --depth x
code time 2 "time is '0'; expected a whole number from 1" two plain --time 0
code value 2 'this option needs a value' "$check" --runs
code switch 2 "steps is 'maybe'; expected on or off" two plain --steps=maybe
code units 2 "EYOT_N .*is '0'; expected a whole number from 1" "$check" -n 0 "$program"
code engine 2 'explored by --engine fiber' two plain --engine simgrid
code gdb 2 'gdb is for --replay FILE' two plain --gdb

# Programs that never come to the beginning of a run.
code before 2 'did not reach the beginning of a run .*2 units ended with a code' two before
code first 1 'ended with code 6' two first
code end_first 0 'end: a run ends that has not begun: call eyot_check_begin first' two end_first
code never 1 'leak: unit 1 ends|unit 0: in eyot_check_begin.*waits for the other units' two never
code alone_waits 1 'unit 1: in eyot_wait_until.*no unit has written it' two alone
code others_wait 1 'unit 0: in eyot_check_begin.*waits for the other units' two alone
code twice 1 'ended with code 7' two twice

# Programs that end or break in a run; the run is shown again, as often as one likes.
code ends 1 'a unit ended with code 3' two code
code exits 1 'called exit with code 5' two exit
code errx 1 'unit [01]: the process was ended with code 0, by a library' two errx --jobs 2
code aborts 1 'called abort' two abort
code asserts 1 "Assertion .came == 0. failed" two assert
code crashes 1 'Segmentation fault at address 0x40' two crash
code raises 1 'Floating point exception' two raise
code late 1 'deadlock: no unit can continue' two late
code again 1 'deadlock: no unit can continue' "$check" --replay eyotcheck.run
code runs 1 '^eyotcheck: eyotcheck.run: runs .*/check_cli' "$check" --replay eyotcheck.run
code steps 1 'arrives: add .1. to unit 0.*0 -> 1; wakes unit' "$check" --replay eyotcheck.run
code endless 1 'made no fabric call that waits for 0.4 s .*endless loop' two loop --watchdog 400ms
printf '%s\n' "$output" | grep -q 'does not end is not made smaller' || { echo "endless: each try to make it smaller takes as long: $output"; bad=1; }
code endless_again 1 'made no fabric call that waits for 0.4 s' "$check" --replay eyotcheck.run

# Programs that are only unusual.
for mode in print memory file; do code $mode 0 '200 runs.* 0 failed' two $mode; done
[ "$(wc -l <check_cli.out)" -ge 400 ] || { echo "file: what runs wrote is not there"; bad=1; }
code clock 2 'it did not fail when it was run again: the program depends on something other than its choices .time' two clock --runs 50000 --clock real

# Files of failing runs.
two late >/dev/null 2>&1
good=eyotcheck.run
code missing 2 'cannot read nowhere.run: No such file' "$check" --replay nowhere.run
code directory 2 'cannot be read|Is a directory' "$check" --replay "$dir"
: >empty.run
code empty 2 'empty.run' "$check" --replay empty.run
sed 's/^units .*/units none/' $good >units.run
code malformed 2 'units.run:' "$check" --replay units.run
sed '/^end$/d' $good >cut.run
code cut 2 'cut.run:' "$check" --replay cut.run
sed 's/^program .*/program ".\/nowhere"/' $good >gone.run
code gone 127 'nowhere' "$check" --replay gone.run
sed 's/^option .*/option "no-such=1"/' $good >option.run
code unknown 2 "'no-such' is not an option" "$check" --replay option.run
sed 's/^trace .*/trace 0123456789abcdef/' $good >trace.run
code changed 1 'not the recorded run .*the program has changed' "$check" --replay trace.run

# A replay that does not apply is never a pass: another program, other arguments, units or options.
cp $good kept.run
code mended 6 'says nothing about the failure .exit code 6.: .*a run of the program .*check_cli' "$check" --replay $good "$other"
code arguments 6 'a run with other arguments of the program' "$check" --replay $good "$program" plain
code fewer 6 'a run of 2 units, not of 3' "$check" --replay $good -n 3 "$program" plain
code options 6 "order is 'rdma' in the file" "$check" --replay $good --order strict "$program" plain
code bound 1 'not the recorded run: --max-run is 1000000 in the file' "$check" --replay $good --max-run 2000
code detector 6 'detect is source,destination,range,leak,collective,deadlock,race,owner in the file' "$check" --replay $good --detect=-deadlock
cmp -s $good kept.run || { echo "a replay has changed its file"; bad=1; }
# The environment does not change a recorded run, and an option of equal value is no other.
code environment 1 'failed: deadlock' env EYOT_ORDER=strict EYOT_HEAP_SIZE=1M "$check" --replay $good
two late --save heap.run --heap-size 2M >/dev/null 2>&1
code equal 1 'failed: deadlock' "$check" --replay heap.run --heap-size 2048K
printf '%s\n' "$output" | grep -q 'not the recorded run' && { echo "equal: 2M is 2048K: $output"; bad=1; }
# Options that make a run fail are in the file: without them it would pass.
code livelock 1 'livelock: no end within 200 steps' "$check" -n 2 --seed 4 --runs 20 --max-run 200 --livelock --no-shrink --save live.run "$build/tests/bin/seeds" poll 4
code livelock_again 1 'livelock: no end within 200 steps' "$check" --replay live.run
code livelock_other 6 'livelock is on in the file' "$check" --replay live.run --livelock=off
two late --save old.run >/dev/null 2>&1
# The same steps without the failure: the trace decides, whatever the program's file.
sed 's/^build .*/build 0123456789abcdef/' old.run >build.run
code build 1 "program's file has changed" "$check" --replay build.run
# A file of version 0.1 has neither version nor hash.
sed -e 's/^eyotcheck 2/eyotcheck 1/' -e '/^eyot /d' -e '/^build /d' old.run >first.run
code first_format 1 'failed: deadlock' "$check" --replay first.run
sed 's/^eyotcheck 2/eyotcheck 3/' old.run >future.run
code future 2 'future.run:1: found .3.; expected the version of the format, a number from 1 to 2' "$check" --replay future.run
# A long name of an option is refused.
long=$(printf 'x%.0s' $(seq 5000))
sed "s/^units /option \"$long=1\"\nunits /" old.run >long.run
code long 2 "is not an option" "$check" --replay long.run
sed "s/^units /option \"fault=$long\"\nunits /" old.run >long.run
code long_value 2 'a fault of more than 255 characters' "$check" --replay long.run

# Cut runs prove nothing.
code cut_runs 5 'inconclusive .exit code 5.: no run failed, but 20 of 20 runs did not end within 200 steps' "$check" -n 2 --seed 4 --runs 20 --max-run 200 "$build/tests/bin/seeds" poll 4
code cut_short 5 'inconclusive .*ended the exhaustive search' two plain --strategy exhaustive --runs 1
code last_run 0 'all 2 interleavings explored' two plain --strategy exhaustive --runs 2

# Interrupted: a summary, and how to go on.
code interrupted 130 'interrupted by signal 2 .*runs so far' timeout --preserve-status -s INT 2 "$check" -n 2 --runs 0 --jobs 2 "$program" plain
printf '%s\n' "$output" | grep -Eq 'random, 2 units, [1-9][0-9]* runs' && printf '%s\n' "$output" | grep -q 'go on .*--seed 2' || { echo "interrupted: $output"; bad=1; }
code terminated 143 'interrupted by signal 15' timeout --preserve-status -s TERM 1 "$check" -n 2 --runs 0 --watchdog 0 "$program" loop

# What silent and debug say.
code silent_option 2 "EYOT_N .*is '0'" env EYOT_LOG=silent "$check" -n 0 "$program"
code silent_file 2 'units.run:' "$check" --log silent --replay units.run
code silent_platform 2 'nowhere' "$check" --log silent --platform nowhere "$program" plain
code debug 0 'debug: .*worker 0: 200 runs' two plain --log debug
code version 0 '^eyotcheck [0-9]+[.][0-9]+' "$check" --version
code unwritable 2 'cannot write /nowhere/x: No such file' two late --save /nowhere/x

# The line of --result.
# line NAME CODE WANTED COMMAND...: the command, with $to, writes the line; the keys that WANTED names have those values (blanks as _).
to='--result result'
line() {
  line=$1 want=$2 wanted=$3
  shift 3
  rm -f result
  code "$line" "$want" . "$@"
  for pair in $wanted; do
    value=$(result_of result "${pair%%=*}" 2>&1)
    case $(printf '%s' "$value" | tr ' ' _) in ${pair#*=}) ;; *) echo "$line: expected $pair, got '$value'"; bad=1 ;; esac
  done
}
line line_passed 0 'tool=eyotcheck strategy=random units=2 seed=7 runs=200 failed=0 first=- reason=- choices=- exhausted=no' two plain $to --seed 7
line line_failed 1 'failed=1 first=[1-9]* units=2 reason=deadlock:_no_unit_can_continue choices=[0-9]* nonzero=[0-9]*' two late $to
line line_going 1 'failed=[1-9]* first=1 runs=200' two assert $to --keep-going
line line_exhausted 0 'strategy=exhaustive failed=0 exhausted=yes' two plain $to --strategy exhaustive
line line_bound 5 'strategy=exhaustive runs=1 failed=0 exhausted=no' two plain $to --strategy exhaustive --runs 1
line line_cut 5 "failed=0 cut=20" "$check" -n 2 --seed 4 --runs 20 --max-run 200 $to "$build/tests/bin/seeds" poll 4
line line_replay 1 'strategy=replay runs=1 failed=1' "$check" $to --replay $good
line line_mended 6 'strategy=replay runs=1 failed=0' "$check" $to --replay $good "$other"
code line_none 2 . two before $to
result_of result runs 2>/dev/null && { echo "line_none: no run, but a line"; bad=1; }
code line_unwritable 2 'result: cannot write /nowhere/x: No such file' two plain --result /nowhere/x

# ./dev soak: two programs, of which one fails.
soak=$here/../soak/soak.sh
printf '# a comment\n2 -- check_cli plain\n' >list
code soak 0 'soak: no run failed' env EYOT_SOAK_LIST="$dir/list" EYOT_SOAK_OUT="$dir/out" sh "$soak" "$build" 3
echo '2 --units-per-node 1 -- check_cli late' >>list
code soak_fails 1 "2-check_cli-late +pct +[0-9]+ +[1-9][0-9]* +0 +$dir/out/2-check_cli-late.pct.run" env EYOT_SOAK_LIST="$dir/list" EYOT_SOAK_OUT="$dir/out" sh "$soak" "$build" 6 7
code soak_file 1 'deadlock: no unit can continue' "$check" --replay out/2-check_cli-late.random.run
echo '2 -- nowhere' >list
code soak_bad 2 'not explored .exit code 127' env EYOT_SOAK_LIST="$dir/list" EYOT_SOAK_OUT="$dir/out" sh "$soak" "$build" 3
code soak_seconds 2 "'long' is not a whole number" sh "$soak" "$build" long
exit $bad
