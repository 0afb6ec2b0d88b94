#!/bin/sh
# summary.sh EYOTRUN PROGRAM - checks the simulator's summary, as text and as CSV, of tests/programs/summary.c against what that program does.
eyotrun=$1 program=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail() { echo "summary: $*"; cat "$work/text" "$work/csv" 2>/dev/null; exit 1; }

run() { "$eyotrun" --fabric sim -n 4 --units-per-node 2 --stats --stats-csv "$work/csv" "$@" "$program" >"$work/text" 2>&1 || fail "the run failed: $*"; }
# value KIND NAME METRIC: one figure of the CSV.
value() { awk -F, -v k="$1" -v n="$2" -v m="$3" '$1 == k && $2 == n && $3 == m { print $5 }' "$work/csv"; }
is() { [ "$(value "$1" "$2" "$3")" = "$4" ] || fail "$1 $2 $3 is '$(value "$1" "$2" "$3")', expected $4"; }

run
is run '' units 4
is distance NUMA put 3
is distance NUMA put_bytes 24
is distance 'same unit' get 2
is distance 'same unit' get_bytes 32
is distance blade atomic 1
is distance blade atomic_bytes 8
is phase think virtual_min 5.000000
is phase think virtual_max 5.000000
[ "$(value host '' wall_run)" != "" ] || fail "no wall time in the CSV"
for text in 'virtual min us' 'virtual time' 'think' 'talk' 'wall-clock' 'peak memory'; do
  grep -q "$text" "$work/text" || fail "the summary does not say '$text'"
done
# Signals of the runtime itself (barriers) are counted too, so of these only a lower bound is known: 24 bytes and the word.
[ "$(value distance blade signal_bytes)" -ge 32 ] || fail "the signal with 24 bytes is not counted"

run --compute measured
grep -q 'measured' "$work/text" || fail "a measured run does not say so"
run --trace-hash
grep -Eq 'trace hash: [0-9a-f]{16}' "$work/text" || fail "no trace hash"
"$eyotrun" --fabric sim -n 4 --stats-csv "$work/no/such/folder" "$program" >"$work/text" 2>&1 && fail "a summary that cannot be written is not an error"
grep -q 'which cannot be written: No such file' "$work/text" || fail "the reason is not told"
"$eyotrun" --fabric sim -n 4 --stats-csv /dev/full "$program" >"$work/text" 2>&1 && fail "a summary without space is not an error"
grep -q 'cannot write /dev/full' "$work/text" || fail "the reason is not told"
# What a tool prints is lost without a word otherwise.
if [ -w /dev/full ]; then
  bin=${eyotrun%/*}
  for tool in "eyotrun --help" "eyotcheck --help" eyot-info "eyot-calibrate --help" "eyotrun --fabric sim -n 4 ${program%/*}/bad_stack 16"; do
    # shellcheck disable=SC2086
    "$bin/"$tool >/dev/full 2>"$work/text"
    [ $? -eq 2 ] || fail "$tool: output that cannot be written is not an error"
    grep -q "^${tool%% *}: cannot write the output" "$work/text" || fail "$tool: the reason is not told"
  done
fi
echo "summary: ok"
