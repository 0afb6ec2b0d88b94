#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# litmus_runs.sh PROGRAM ROUNDS COMMAND [PATTERN] - runs each litmus test of OpenSHMEM whose name matches ROUNDS times 64 times, by COMMAND and the program; %n in it is the number of PEs.
# Prints the outcomes with their counts (test, outcome, count; "not there" where this OpenSHMEM lacks a function), and fails on one that the text forbids or that litmus.tsv does not have,
# and on a test without any. Any OpenSHMEM will do:
#   sh tests/openshmem/litmus_runs.sh build/tests/bin/osh_litmus 500 'build/bin/eyotrun --fabric mpi -n %n --node-size 1'
#   oshcc -std=gnu17 -O2 -I. tests/openshmem/litmus*.c -o litmus; sh tests/openshmem/litmus_runs.sh ./litmus 500 'oshrun -np %n'
# Only outcomes are judged: an OpenSHMEM may end with an error after them.
program=$1 rounds=$2 command=$3 pattern=${4:-.}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
"$program" --list | grep -E "^[^	]*($pattern)" >"$work/tests" || { echo "litmus_runs: nothing matches '$pattern'" >&2; exit 2; }
for pes in $(cut -f 2 "$work/tests" | sort -u); do
  names=$(awk -F '\t' -v n="$pes" '$2 == n { print $1 }' "$work/tests")
  $(echo "$command" | sed "s/%n/$pes/g") "$program" --rounds "$rounds" $names </dev/null 2>"$work/err" | grep -E '^[a-z0-9.+]+	([0-9?]+|not there)	[0-9]+$' >"$work/seen.$pes"
  [ -s "$work/seen.$pes" ] || head -n 20 "$work/err" >&2
done
cat "$work"/seen.* | sort >"$work/seen"
cat "$work/seen"
awk -F '\t' '
  function complain(what) { print "litmus_runs: " what; bad++ }
  FILENAME ~ /litmus.tsv$/ {
    if (/^#/) next
    if (!at["text"]) { for (i = 1; i <= NF; i++) at[$i] = i; next }
    text[$at["test"], $at["outcome"]] = $at["text"]
    next
  }
  FILENAME ~ /seen$/ {
    ran[$1] = 1
    if ($2 == "not there") next
    if (!(($1, $2) in text)) complain($1 ": " $2 " was seen " $3 " times, and litmus.tsv does not have it")
    if (text[$1, $2] == "forbidden") complain($1 ": " $2 " was seen " $3 " times, which the text of OpenSHMEM forbids")
    next
  }
  !ran[$1] { complain($1 " has not run") }
  END { exit bad > 0 }' "$here/litmus.tsv" "$work/seen" "$work/tests" >&2
