#!/bin/sh
# check_lin.sh EYOTCHECK PROGRAM - a run that its history refutes: found, made smaller, written down, told with a table; repeated from its file; and not by a program that is right.
check=$1 program=$2
file=${TMPDIR:-/tmp}/check_lin.$$.run
trap 'rm -f "$file"' EXIT
fail() { echo "check_lin: $1"; echo "$out"; exit 1; }
has() { printf '%s\n' "$out" | grep -Eq -- "$1" || fail "the output of $what lacks: $1"; }

what=the\ search
out=$("$check" -n 3 --detect=-race --runs 20000 --save "$file" "$program" queue_empty 2>&1) && fail "nothing was found"
has 'made smaller in [0-9]+ runs'
has '^eyotcheck: queue "it": not linearizable: no place for dequeue\(\) -> empty by unit 0'
has 'at the same time \(calls and returns as positions in the history'
has 'unit 0 +dequeue\(\) -> empty .*has no place'
has 'unit [12] +enqueue\(1[12]\)'
has '^eyotcheck: failed: queue "it": not linearizable'

what=the\ replay
out=$("$check" --replay "$file" 2>&1) && fail "the replay passed"
has '^eyotcheck: failed: queue "it": not linearizable: no place for dequeue\(\) -> empty by unit 0, eyot_check_call at check_lin.c:[0-9]+ '
printf '%s\n' "$out" | grep -q 'not the recorded run' && fail "the replay is another run"

what=the\ right\ program
out=$("$check" --replay "$file" "$program" queue_ticket 2>&1)
[ $? -eq 6 ] || fail "expected exit code 6: the program that is right takes other steps"
has 'does not fail'

# Which return comes before which call is all that makes its interleavings different.
what=an\ exhaustive\ search
out=$("$check" -n 3 --detect=-race --units-per-node 1 --strategy exhaustive --no-shrink --save "$file" "$program" queue_empty 2>&1) && fail "exhaustive search found nothing"
has 'queue "it": not linearizable'
