#!/bin/sh
# check_fault.sh time|check EYOTRUN EYOTCHECK PROGRAM - time: faults whose effect is a number to be
# compared (slow units, noise); check: faults that are the strategy's choice.
part=$1 eyotrun=$2 eyotcheck=$3 program=$4
case $part in time | check) ;; *) echo "check_fault.sh: unknown part '$part'"; exit 2 ;; esac
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/../support/result.sh"
bad=0
complain() { echo "$*"; bad=1; }

if [ "$part" = time ]; then
  # Virtual time in us.
  work_of() { "$eyotrun" --fabric sim -n 8 "$@" "$program" work 2>&1; }
  plain=$(work_of)
  for fault in slow:unit=2,factor=10 slow:unit=all,factor=3 slow:unit=2,factor=10,at=300us,for=100us noise:unit=all,every=100us,takes=25us noise:unit=3,every=100us,takes=25us; do
    with=$(work_of --fault "$fault")
    [ "$with" -gt "$plain" ] || complain "$fault: $with us, without faults $plain us"
  done
  ten=$(work_of --fault slow:unit=2,factor=10)
  [ "$ten" -gt $((9 * plain)) ] && [ "$ten" -lt $((11 * plain)) ] || complain "a unit ten times as slow: $ten us, without $plain us"
  one=$(work_of --trace-hash --seed 7 --fault noise:unit=all,every=100us,takes=25us)
  two=$(work_of --trace-hash --seed 7 --fault noise:unit=all,every=100us,takes=25us)
  other=$(work_of --trace-hash --seed 8 --fault noise:unit=all,every=100us,takes=25us)
  [ "$one" = "$two" ] || complain "noise: one seed, two runs: $one; $two"
  [ "$one" != "$other" ] || complain "noise: two seeds, one run: $one"
  # A quarter of the time is noise, in one long computation too.
  plain=$("$eyotrun" --fabric sim -n 2 "$program" long 2>&1) with=$("$eyotrun" --fabric sim -n 2 --fault noise:unit=0,every=100us,takes=25us "$program" long 2>&1)
  [ "$with" -gt $((plain * 11 / 10)) ] && [ "$with" -lt $((plain * 15 / 10)) ] || complain "noise in a long computation: $with us, without $plain us"
  # A crash with a later operation comes later.
  before=0
  for op in 1 3 5 6; do
    at=$("$eyotrun" --fabric sim -n 2 --units-per-node 1 --fault crash:unit=0,op=$op "$program" flight 2>&1 | sed -n 's/.*unit 0 crashed at virtual \([0-9]*\)\.\([0-9]*\) us.*/\1\2/p' | head -n 1)
    [ "${at:-0}" -gt "$before" ] || complain "the crash with operation $op comes at '$at' ns, not after $before"
    before=${at:-0}
  done
  output=$("$eyotrun" --fabric sim -n 4 --units-per-node 1 --fault 'crash:unit=0,at=200us;crash:unit=1,at=200us' "$program" several 2>&1) || complain "several: $output"
  output=$("$eyotcheck" -n 2 --runs 1 --fault 'crash:unit=any,op=any;link-down:between=any,at=any' "$program" flight 2>&1) && complain "two choices of faults are accepted"
  printf '%s\n' "$output" | grep -q 'one fault of a run can be a choice' || complain "two choices of faults: $output"
  exit $bad
fi

# No schedule and no fault breaks what is right; each operation is done or told.
CRASH=crash:unit=any,op=any LINK=link-down:between=any,at=any
fine() {
  name=$1
  shift
  output=$("$eyotcheck" --units-per-node 1 --fault $fault "$@" 2>&1) || complain "$fault $name: $output"
}
outcomes() { printf '%s\n' "$output" | sed -n 's/^ *[0-9]*  unit/unit/p' | sort; }
for fault in $CRASH $LINK; do
  fine flight.exhaustive -n 2 --strategy exhaustive "$program" flight
  fine flight.random -n 2 --runs 5000 "$program" flight
  fine flight.pct -n 3 --strategy pct --runs 5000 "$program" flight
  fine flight.tso -n 2 --order tso --runs 3000 "$program" flight
  fine flight.strict -n 2 --order strict --strategy exhaustive "$program" flight
  fine token-ok.random -n 3 --runs 5000 "$program" token-ok
  fine ordered -n 2 --strategy exhaustive "$program" ordered
  printf '%s\n' "$output" | grep -q ' both$' || complain "ordered: it never comes to that: $output"
  fine token-ok -n 3 --strategy exhaustive "$program" token-ok
  reduced=$(outcomes)
  fine token-ok.all -n 3 --strategy exhaustive --no-reduction "$program" token-ok
  [ "$reduced" = "$(outcomes)" ] && [ "$(printf '%s\n' "$reduced" | wc -l)" -eq 4 ] || complain "outcomes with reduction: $reduced; without: $(outcomes)"
done

# What is posted with the crash arrives in some runs, and is lost in others.
output=$("$eyotcheck" -n 2 --fault crash:unit=0,op=1 --strategy exhaustive --keep-going --save "$work/lost" --result "$work/result" "$program" lost 2>&1)
runs=$(result_of "$work/result" runs) && failed=$(result_of "$work/result" failed) && [ "$failed" -gt 0 ] && [ "$failed" -lt "$runs" ] || complain "lost: $output"

# The planted mistake: only a crash between its two steps, or a hint that is lost, shows it.
output=$("$eyotcheck" -n 3 --strategy exhaustive "$program" token 2>&1) || complain "without a crash: $output"
for fault in $CRASH $LINK; do
  if [ $fault = $CRASH ]; then
    told='^ +[0-9]+ +unit 0 +crashes' again_told='unit 0 crashed at'
  else
    told='^ +[0-9]+ +network +the link between the nodes of units 0 and 1 goes down' again_told='the link between the nodes of units 0 and 1 went down'
  fi
  for strategy in random pct guided exhaustive; do
    output=$("$eyotcheck" -n 3 --units-per-node 1 --fault $fault --strategy $strategy --runs 20000 --save "$work/run" "$program" token 2>&1)
    [ $? -eq 1 ] || complain "$strategy did not find the lost token: $output"
    printf '%s\n' "$output" | grep -q 'made smaller in' || complain "$strategy: not made smaller: $output"
    printf '%s\n' "$output" | grep -Eq "$told" || complain "$strategy: the fault is not told: $output"
    again=$("$eyotcheck" --replay "$work/run" 2>&1)
    [ $? -eq 1 ] || complain "$strategy: the replay does not fail: $again"
    printf '%s\n' "$again" | grep -q "$again_told" || complain "$strategy: no fault in the replay: $again"
  done
done
# Where it strikes may also be said.
output=$("$eyotcheck" -n 3 --fault crash:unit=0,op=2 --strategy exhaustive "$program" token 2>&1) # the signal: may be lost
[ $? -eq 1 ] || complain "a crash with the second operation loses no token: $output"
output=$("$eyotcheck" -n 3 --units-per-node 1 --fault link-down:between=1-2,at=any --strategy exhaustive "$program" token 2>&1) || complain "the hint does not take that link: $output"
output=$("$eyotcheck" -n 3 --units-per-node 1 --fault link-down:between=1-0,at=any --strategy exhaustive --save "$work/run" "$program" token 2>&1)
[ $? -eq 1 ] || complain "the link that the hint takes goes down, and nobody misses it: $output"
refused() {
  said=$1
  shift
  output=$("$eyotcheck" -n 3 "$@" "$program" flight 2>&1) && complain "taken: $*"
  printf '%s\n' "$output" | grep -q -- "$said" || complain "$*: $output"
}
refused 'all units share a node' --units-per-node 3 --fault $LINK
refused 'one fault of a run can be a choice' --units-per-node 1 --fault "$CRASH;$LINK"
refused 'link-down:between=U-V|any,at=any' --units-per-node 1 --fault link-down:between=0-1
refused 'link-down:between=U-V|any,at=any' --units-per-node 1 --fault link-down:between=0-1,at=1us
refused 'a choice only if the time is one too .at=any' --units-per-node 1 --fault link-down:between=any
output=$("$eyotcheck" -n 2 --fault slow:unit=1,factor=2 "$program" flight 2>&1) && complain "a slow unit without time: $output"
printf '%s\n' "$output" | grep -q 'eyotcheck has no durations' || complain "a slow unit without time: $output"
exit $bad
