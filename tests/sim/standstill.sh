#!/bin/sh
# standstill.sh EYOTRUN PROGRAM DOT - runs that come to a standstill: what the reports say of each, in words and as a drawing. DOT reads a drawing.
eyotrun=$1 program=$2 dot=$3
. "$(dirname "$0")/../support/refuse.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# ends NAME CODE UNITS OPTIONS... WAY: must end with this code; its output is left in $output.
ends() {
  name=$1 want=$2 units=$3
  shift 3
  output=$(timeout 60 "$eyotrun" --fabric sim -n "$units" --deadlock-dot "$work/dot" "$@" 2>&1 </dev/null)
  got=$?
  [ $got -eq "$want" ] || { echo "$name: exit code $got, expected $want: $output"; bad=1; }
}
shows() { printf '%s\n' "$output" | grep -Eq -- "$1" || { echo "$name: expected '$1', got: $output"; bad=1; }; }
hides() { ! printf '%s\n' "$output" | grep -Eq -- "$1" || { echo "$name: did not expect '$1', got: $output"; bad=1; }; }
# drawn NODES EDGES REGEX: the drawing can be read, and shows that.
drawn() {
  seen=$("$dot" "$work/dot" 2>&1)
  [ "$seen" = "$1 nodes, $2 edges" ] || { echo "$name: drawing: expected $1 nodes and $2 edges, got: $seen: $(cat "$work/dot")"; bad=1; }
  grep -Eq -- "$3" "$work/dot" || { echo "$name: drawing: expected '$3', got: $(cat "$work/dot")"; bad=1; }
  rm -f "$work/dot"
}

line=$(grep -n 'reported line' "$(dirname "$0")/../programs/standstill.c" | cut -d: -f1)
at='called at standstill\.c:[0-9]+ \('
ends cycle 3 5 "$program" cycle
shows "unit 4: in eyot_wait_until, phase none: waits for its word at offset 0 of the memory \(16 bytes, eyot_team_alloc at standstill.c:[0-9]+ \(main\)\) to be >= 2; it is 1, last written by unit 0; called at standstill\.c:$line \(wait_for\)"
shows 'cycle of 5 units: 0 -> 1 -> 2 -> 3 -> 4 -> 0: each waits for the next'
hides 'lost|source lines|directly or not'
drawn 5 5 'b0 -> b1 \[label="last writer"\]'
ends cycle.simgrid 3 3 --engine simgrid "$program" cycle
shows 'cycle of 3 units: 0 -> 1 -> 2 -> 0'
ends cycle.many 3 200 "$program" cycle
shows "units 0-199: in eyot_wait_until, phase none: .* to be >= 2; it is 1; $at"
shows 'cycle of 200 units: 0 -> 1 .* -> 23 -> \.\.\. -> 0'
drawn 29 30 '172 units: 28, '

ends forgotten 3 1000 "$program" cycle
shows 'of [0-9]+ units the last writer is not remembered|cycle of 1000 units'
"$dot" "$work/dot" >/dev/null || { echo "$name: the drawing cannot be read"; bad=1; }

ends missing 3 4 --shared-globals "$program" missing
shows "unit [0-3]: in eyot_team_alloc.*, .*no unit has written it so far; unit [01] is to(, which has ended)?; called at standstill\.c:[0-9]+ \(main\)"
shows 'units 1-3 \(3\) wait for unit 0, directly or not, which has ended'
shows 'unit [0-3]: ended \(returned from main\) with code 0 without eyot_init'
shows 'units that have ended: 1'

# A function that another one of eyot's calls is not named.
ends inner 3 3 "$program" inner
shows 'unit [12]: in eyot_allgather, phase none: waits for its word at a control word .*; called at standstill\.c:[0-9]+ \(inner\)'
hides 'in eyot_team_alloc'

ends overwritten 3 3 "$program" overwritten
shows 'unit 0: .* to be == 1; it is 2; lost wake-up: it was 1, as wanted, before, written by unit 1, and was changed by unit 1 before the unit looked'
shows 'units 1-2 \(2\) wait for unit 0, directly or not, which has lost a wake-up'
shows 'lost wake-up of unit 0: the value that it waits for came and was replaced unseen'
drawn 3 3 'label="wrote 1", style=dotted'
ends reset 3 3 "$program" reset
shows 'it is 0; lost wake-up: it was 1, as wanted, before, written by unit 1, and was changed by unit 0 itself without a fabric operation'
ends seen 3 2 "$program" seen
shows 'unit 0: .* to be == 1; it is 0, last written by unit 0 itself'
hides 'lost|cycle'

ends locks 3 3 "$program" locks
shows 'unit 0: in eyot_lock_acquire of the lock \([0-9]+ bytes, eyot_lock_create at standstill.c:[0-9]+ \(locks\)\), .*, in the queue behind unit 1'
shows 'cycle of 2 units: 0 -> 1 -> 0'

# A cycle is named by its lowest unit, once; units that lead to it are not in it.
ends graph.cycle 3 4 "$program" graph 2 2 1 0
shows '^  cycle of 2 units: 1 -> 2 -> 1: each waits for the next$'
shows '^  units 0,3 \(2\) wait for unit 1, directly or not, which is on a cycle$'
[ "$(printf '%s\n' "$output" | grep -c 'cycle of')" -eq 1 ] || { echo "$name: expected one cycle, got: $output"; bad=1; }
ends graph.cycles 3 12 "$program" graph 1 0 3 2 5 4 7 6 9 8 11 10
shows '^  cycle of 2 units: 6 -> 7 -> 6: '
shows '^  and 2 more cycles$'
hides 'directly or not'
# Each end is named, whether the last unit is the one that waits or the one that is waited for.
ends graph.ends 3 4 "$program" graph - - 0 1
shows '^  unit 2 \(1\) waits for unit 0, directly or not, which waits for a word that no unit has written so far$'
shows '^  unit 3 \(1\) waits for unit 1, '
ends graph.last 3 3 "$program" graph 2 2 -
shows '^  units 0-1 \(2\) wait for unit 2, '
ends graph.crash 3 3 --fault crash:unit=2,at=1ms "$program" graph 2 2 -
shows '^  units 0-1 \(2\) wait for unit 2, directly or not, which crashed$'
ends any 3 2 "$program" any
shows '^  unit 0 \(1\) waits for unit 1, '

ends poll 4 3 --max-steps 20000 "$program" poll
shows 'livelock at virtual [0-9.]+ us, after [0-9]+ steps: EYOT_MAX_STEPS is reached and 3 of 3 units have not ended'
shows 'unit 0: in eyot_get, .*called at standstill\.c:[0-9]+ \(poll\); [0-9]+ calls since virtual [0-9.]+ us: get [0-9]+'
shows '[0-9]+ times at unit 1, offset [0-9]+ of the memory of standstill.c:[0-9]+ \(main\), which is 0, no unit has written it so far'
ends poll.time 4 100 --max-virtual-time 200us "$program" poll
shows 'EYOT_MAX_VIRTUAL_TIME is reached'
shows '    1 in eyot_get, called at standstill\.c:[0-9]+ \(poll\): unit 0$'
ends swap 4 4 --max-virtual-time 1ms "$program" swap
shows 'unit 3: in eyot_swap_u64, .*called at standstill\.c:[0-9]+ \(swap\).*atomic [0-9]+.*, which is [0-3], last written by unit [0-3]'
ends spin 4 3 --max-steps 1000 "$program" spin
shows 'unit 0: in eyot_compute, phase none: continues; .* [0-9]+ calls since virtual [0-9.]+ us: now, compute or locate [0-9]+'
shows 'units 1-2 \(2\) wait for unit 0, directly or not, which continues'
ends enough 0 2 --max-virtual-time 1s --max-steps 1000000000 "$program" nothing
ends half 3 3 --max-virtual-time 200us "$program" overwritten # half of the bound is passed

# Without addr2line, or without debug information, there are symbols.
mkdir "$work/empty"
name=no_tool
output=$(PATH=$work/empty "$eyotrun" --fabric sim -n 2 "$program" cycle 2>&1)
shows 'called at standstill\+0x[0-9a-f]+'
shows 'source lines are missing: addr2line \(of binutils\) could not be run'
name=stripped
strip -g -o "$work/stripped" "$program" 2>/dev/null && output=$("$eyotrun" --fabric sim -n 2 "$work/stripped" cycle 2>&1)
shows 'called at stripped\+0x[0-9a-f]+'
shows 'source lines are missing: the program was compiled without debug information'
name=unwritable
output=$("$eyotrun" --fabric sim -n 2 --deadlock-dot "$work/no/such" "$program" cycle 2>&1)
shows 'no/such, which cannot be written: No such file'
output=$("$eyotrun" --fabric sim -n 2 --deadlock-dot /dev/full "$program" cycle 2>&1)
shows 'cannot write /dev/full'
exit $bad
