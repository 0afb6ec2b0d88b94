#!/bin/sh
# campaign.sh EYOTRUN PROGRAM OTHER - campaigns of eyotrun --seeds: any number of jobs gives the same journal and output; one that is killed continues where it was; shards are one campaign when merged; what does not belong together is refused.
eyotrun=$1 program=$2 other=$3
sim="$eyotrun --fabric sim -n 2 --clock real --order chaos"
. "$(dirname "$0")/../support/refuse.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

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
# A journal without times and without the counts on its way.
timeless() { grep -v '"verdict": null' "$1" | sed 's/"seconds": [0-9.]*/"seconds": 0/g'; }
# same NAME A B: two journals of the same campaign with the same outcome.
same() {
  timeless "$2" >same.a
  timeless "$3" >same.b
  cmp -s same.a same.b || { echo "$1: $2 and $3 differ:"; diff same.a same.b; bad=1; }
}

# Neither journal nor output depends on the number of jobs.
for jobs in 1 5 ''; do
  code jobs 9 $sim --seed 3 --seeds 42 --keep-going ${jobs:+--jobs "$jobs"} --journal "all$jobs" "$program" 13 5
  printf '%s\n' "$output" >"said$jobs"
  cmp -s said1 "said$jobs" || { echo "jobs $jobs: $output"; bad=1; }
  same "jobs $jobs" all1 "all$jobs"
  code stop 9 $sim --seed 3 --seeds 42 ${jobs:+--jobs "$jobs"} --journal "stop$jobs" "$program" 13 5
  same "stop $jobs" stop1 "stop$jobs"
done
name=jobs output=$(cat all1)
shows '^\{"campaign": 1, "tool": "eyotrun", "version": "[0-9.]*", "runtime": "[0-9a-f]{16}", "build": "[0-9a-f]{16}", "program": \["[^"]*", "13", "5"\], "options": \["units=2", .*"order=chaos".*\], "seed": 3, "seeds": 42, "shard": 1, "shards": 1, "keep_going": true, "run_limit": 120\}$'
shows '^\{"failed_seed": 18, "exit_code": 9, "reason": "exit code 9", "seconds": 0\.[0-9]*, "repeat": "eyotrun .*--seed 18 .* 13 5"\}$'
shows '^\{"runs": 42, "failed": 4, "seconds": [0-9.]*, "verdict": "failed"\}$'
[ "$(grep -c failed_seed all1)" -eq 4 ] || { echo "jobs: $output"; bad=1; }
name=stop output=$(cat stop1)
shows '^\{"runs": 3, "failed": 1, .*"verdict": "failed"'
name=said output=$(cat said1)
shows '^eyotrun: 4 of 42 runs failed; seeds: 5 18 31 44$'
shows '^bad seed 5$'
hides '^bad seed 18$'
# The command of an entry repeats its failure.
again=$(sed -n 's/^{"failed_seed": 44.*"repeat": "eyotrun \(.*\)"}$/\1/p' all1)
code repeat 9 sh -c "$eyotrun $again"
shows 'bad seed 44'

# Killed in the middle, then continued: the same as without. kill.sh leaves a torn line, as a crash of the machine may.
long="$sim --seeds 200 --keep-going"
code whole 9 $long --jobs 8 --journal whole "$program" 59 23 20
(exec $long --jobs 2 --journal killed "$program" 59 23 20) >/dev/null 2>&1 &
pid=$!
waited=0
until grep -q '^{"runs"' killed 2>/dev/null; do
  sleep 0.1
  waited=$((waited + 1))
  [ $waited -lt 600 ] || { echo "killed: no counts after 60 s"; bad=1; break; }
done
kill -9 $pid 2>/dev/null || { echo "killed: it had ended before"; bad=1; }
wait $pid 2>/dev/null
grep -q '"verdict": "' killed && { echo "killed: it had ended before: $(cat killed)"; bad=1; }
cp killed early
printf '{"failed_seed": 200, "exit_code": 9, "reason": "exit code 9", "seconds": 0.000001, "repeat": "x"}\n{"runs": 40' >>killed
cp killed torn
refused busy_merge 'has [0-9]+ of its 200 runs only; to go on: eyotrun --resume killed' "$eyotrun" --merge killed
code resumed 9 "$eyotrun" --resume killed --jobs 7
shows '^eyotrun: 4 of 200 runs failed; seeds: 23 82 141 200$'
shows '^bad seed 23$'
same resumed whole killed
[ "$(grep -c '"campaign"' killed)" -eq 1 ] || { echo "resumed: began anew"; bad=1; }
# It went on where it was, and all else could be given again.
had=$(sed -n 's/^{"runs": \([0-9]*\).*/\1/p' early | tail -n 1)
[ "$(sed -n 's/^{"runs": \([0-9]*\).*/\1/p' killed | sed -n 2p)" -gt "$had" ] || { echo "resumed: not from run $had on: $(cat killed)"; bad=1; }
code resumed_whole 9 $long --jobs 8 --resume torn "$program" 59 23 20
same resumed_whole whole torn
code resumed_ended 9 "$eyotrun" --resume killed
shows '^bad seed 23$'
same resumed_ended whole killed
# Ctrl-C, and the signal of a batch system. A shell without job control lets commands in the background ignore the first.
for signal in INT TERM; do
  rm -f interrupted
  set -- $long --jobs 2 --journal interrupted "$program" 0 0 20
  if [ $signal = INT ]; then
    env --default-signal=INT true 2>/dev/null || continue
    set -- env --default-signal=INT "$@"
  fi
  "$@" >interrupted.said 2>&1 &
  pid=$! waited=0
  until grep -q '^{"runs"' interrupted 2>/dev/null; do
    sleep 0.1
    waited=$((waited + 1))
    [ $waited -lt 600 ] || { echo "$signal: no counts after 60 s"; bad=1; break; }
  done
  kill -$signal $pid
  wait $pid
  got=$? name=$signal output=$(cat interrupted.said)
  [ $got -eq $((128 + $([ $signal = INT ] && echo 2 || echo 15))) ] || { echo "$signal: exit code $got: $output"; bad=1; }
  shows '^eyotrun: interrupted by signal [0-9]+ \(.*\) after [0-9]+ of 200 runs, 0 failed; to go on: eyotrun --resume interrupted$'
  hides 'all passed'
done
code after_term 0 "$eyotrun" --resume interrupted --junit x.xml
shows '^eyotrun: 200 runs, seeds 1\.\.200: all passed$'
grep -q '200 runs, 0 failed' x.xml || { echo "after_term: $(cat x.xml)"; bad=1; }

# Another program, options or version are refused.
cp early kept
resume="$long --resume early"
mkdir changed
cp "$program" changed/ && printf x >>"changed/$(basename "$program")"
refused program "early is of another campaign than this command's: the hash of the program's file: '" $resume "changed/$(basename "$program")" 59 23 20
refused name "the program's name" $resume "$other" 59 23 20
refused argument "an argument of the program: '59' and '96'" $resume "$program" 96 23 20
refused option "an option: 'order=chaos' and 'order=rdma'" $resume --order rdma "$program" 59 23 20
refused fewer "an option" "$eyotrun" --max-steps 10000 --resume early
refused seeds "seeds: 200 and 201" $resume --seeds 201 "$program" 59 23 20
refused shard "N of --shard K/N: 1 and 3" $resume --shard 1/3 "$program" 59 23 20
refused limit "--run-limit: 120 and 7" $resume --run-limit 7 "$program" 59 23 20
sed '1s/"version": "/&9/' early >versioned
refused version "the version of eyot: '9" "$eyotrun" --resume versioned
sed '1s/"runtime": "[0-9a-f]*"/"runtime": "0"/' early >rebuilt
refused runtime "the hash of eyot's libraries" "$eyotrun" --resume rebuilt
sed '2s/: /;/' killed >damaged
refused damaged 'damaged is no journal of a campaign \(--journal\): line 2 is damaged, and later ones are not' "$eyotrun" --resume damaged
refused format 'line 1 is no campaign' "$eyotrun" --resume "$work/x.xml"
: >empty
refused empty 'it has no whole line' "$eyotrun" --resume empty
refused none 'cannot read nothing: No such file' "$eyotrun" --resume nothing
cmp -s early kept || { echo "refused: the journal has changed"; bad=1; }
refused exists 'all1 exists; continue its campaign by --resume all1' $sim --seeds 2 --journal all1 "$program" 0 0
refused both '--resume continues the file that it names' $sim --resume early --journal new "$program" 59 23 20

# Three shards are the whole, with and without failures, and when the first failure ends it.
for way in keep_going pass stop; do
  case $way in
    keep_going) set -- 9 --keep-going "$program" 13 5 ;;
    pass) set -- 0 --keep-going "$program" 0 0 ;;
    stop) set -- 9 "$program" 13 5 ;;
  esac
  want=$1
  shift
  code "whole_$way" "$want" $sim --seed 3 --seeds 61 --journal "whole_$way" --junit "whole_$way.xml" --json "whole_$way.json" "$@"
  for k in 1 2 3; do
    $sim --seed 3 --seeds 61 --shard $k/3 --journal "shard_${way}_$k" "$@" >/dev/null 2>&1
  done
  code "merge_$way" "$want" "$eyotrun" --merge --journal "merged_$way" --junit "merged_$way.xml" --json "merged_$way.json" "shard_${way}_3" "shard_${way}_1" "shard_${way}_2"
  same "merge_$way" "whole_$way" "merged_$way"
  for kind in xml json; do
    sed 's/\(time\|seconds\)[":= ]*[0-9.]*/T/g; s/"places": \[.*\]/P/' "whole_$way.$kind" >whole.t
    sed 's/\(time\|seconds\)[":= ]*[0-9.]*/T/g; s/"places": \[.*\]/P/' "merged_$way.$kind" >merged.t
    cmp -s whole.t merged.t || { echo "merge_$way: $kind:"; diff whole.t merged.t; bad=1; }
  done
done
name=merge
output=$("$eyotrun" --merge shard_keep_going_1 shard_keep_going_2 shard_keep_going_3 2>&1)
shows '^eyotrun: run 3 of 61 \(seed 5\) failed: exit code 9$'
shows '^eyotrun: to repeat it: eyotrun .*--seed 5 '
shows '^eyotrun: 5 of 61 runs failed; seeds: 5 18 31 44 57$'
runs merge_passed '^eyotrun: 61 runs, seeds 3\.\.63: all passed$' "$eyotrun" --merge shard_pass_1 shard_pass_2 shard_pass_3
refused missing '^eyotrun: --merge: these shards are missing: 2/3$' "$eyotrun" --merge shard_pass_1 shard_pass_3
refused twice '^eyotrun: --merge: shard 1 of 3 is in shard_pass_1 and in shard_pass_1$' "$eyotrun" --merge shard_pass_1 shard_pass_2 shard_pass_1
refused others 'are of different campaigns: an argument' "$eyotrun" --merge shard_pass_1 shard_keep_going_2
refused unfinished 'has [0-9]+ of its 200 runs only' "$eyotrun" --merge early
refused no_file 'cannot read nothing' "$eyotrun" --merge shard_pass_1 nothing
refused late_option 'cannot read --json: .*; options are given before the journals$' "$eyotrun" --merge shard_pass_1 --json late.json
# No report lies over a journal, another report or the program.
cp shard_pass_2 kept
refused over_merged '^eyotrun: --json and a journal to merge are the same file, \./shard_pass_2; give --json another one$' "$eyotrun" --merge --json ./shard_pass_2 shard_pass_1 shard_pass_2 shard_pass_3
cmp shard_pass_2 kept || bad=1
refused over_report '^eyotrun: --junit and --result are the same file, both.xml' "$eyotrun" --merge --junit both.xml --result both.xml shard_pass_1 shard_pass_2 shard_pass_3
[ ! -e both.xml ] || { echo "over_report: both.xml is there"; bad=1; }
refused over_journal '^eyotrun: --json and --journal are the same file, over.jsonl' $sim --seeds 5 --json over.jsonl --journal over.jsonl "$program"
cp early kept
refused over_resumed '^eyotrun: --result and the journal of --resume are the same file' "$eyotrun" --resume early --result early
cmp early kept || bad=1
cp "$program" over_program
refused over_program '^eyotrun: --sarif and the program are the same file, over_program; give --sarif another one$' $sim --seeds 5 --sarif over_program ./over_program
cmp over_program "$program" || bad=1
runs over_device 'all passed' $sim --seeds 5 --json /dev/null --junit /dev/null "$program" 1000 999
refused no_journal 'no journal given' "$eyotrun" --merge
refused merge_options '--merge takes --result' "$eyotrun" --merge --seeds 3 shard_pass_1
refused merge_conf '--merge takes --result' "$eyotrun" --merge -n 3 shard_pass_1
runs shard '^eyotrun: 2 runs, shard 3/3 of seeds 1\.\.7: all passed$' $sim --seeds 7 --shard 3/3 "$program" 0 0
refused shards 'there are 2 seeds only' $sim --seeds 2 --shard 1/3 "$program" 0 0
refused shard_words "--shard is '3/2'; expected K/N" $sim --seeds 2 --shard 3/2 "$program" 0 0
runs array '^eyotrun: 2 runs, shard 2/3 of' env SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=0 $sim --seeds 6 --shard array/3 "$program" 0 0
runs no_array '^eyotrun: 6 runs, seeds' env SLURM_ARRAY_TASK_ID=1 $sim --seeds 6 "$program" 0 0

# Files that cannot be written: from the start, and in the middle.
refused unwritable 'cannot open the journal /nowhere/x: No such' $sim --seeds 2 --journal /nowhere/x "$program" 0 0
if [ -w /dev/full ]; then
  code full 2 $sim --seeds 2 --journal /dev/full "$program" 0 0
  shows 'cannot write the journal /dev/full: No space left'
fi
if command -v prlimit >/dev/null; then
  # A build for coverage would write beyond the limit too, at its end: its data go nowhere, and what
  # it says of that, which is long, through a pipe.
  mkfifo full_later.pipe
  cat full_later.pipe >full_later.said &
  reader=$!
  GCOV_PREFIX=/dev/null $sim --seeds 200 --keep-going --jobs 2 --journal small "$program" 2 0 20 >full_later.pipe 2>&1 &
  pid=$!
  until [ -s small ]; do sleep 0.1; done
  prlimit --pid $pid --fsize=4000
  wait $pid
  got=$?
  wait $reader
  name=full_later output=$(cat full_later.said)
  [ $got -eq 2 ] || { echo "full_later: exit code $got, expected 2: $output"; bad=1; }
  shows 'cannot write the journal small: File too large'
  grep -q '"verdict": "' small && { echo "full_later: the journal has an end"; bad=1; }
  code not_full 9 "$eyotrun" --resume small --jobs 8
  code small_whole 9 $sim --seeds 200 --keep-going --jobs 8 --journal small_whole "$program" 2 0 20
  same not_full small_whole small
fi
refused alone 'this option is for --seeds, which is not given: --jobs' $sim --jobs 2 "$program" 0 0

# Progress: lines now and then, one that is drawn again on a terminal, nothing without.
code lines 0 $sim --seeds 60 --jobs 2 --progress-line "$program" 0 0 50
shows '^eyotrun: \[[#.]{20}\] [0-9]+ of 60 runs, [0-9]+ %, [0-9]+/s, [0-9:]+( s)? left, 0 failed$'
code quiet 0 $sim --seeds 30 --jobs 1 "$program" 0 0 50
hides ' of 30 runs'
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
  code terminal 0 script -qec "$sim --seeds 20 --jobs 2 $program 0 0 50" /dev/null
  shows "$(printf '\r')eyotrun: \\[[#.]{20}\\] [0-9]+ of 20 runs"
  code terminal_off 0 script -qec "$sim --seeds 20 --jobs 2 --progress-line=off $program 0 0 50" /dev/null
  hides ' of 20 runs'
fi
[ $bad -eq 0 ] && echo "campaign: ok"
exit $bad
