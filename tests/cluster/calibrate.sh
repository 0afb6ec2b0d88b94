#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# calibrate.sh BUILD_DIR - eyot-calibrate measures this machine in the shortest way, writes every figure, and the simulator runs a program on
# that machine; what would fail at the end is refused before anything is measured. Nothing here asserts a time.
set -u
build=$1
. "$(dirname "$0")/../support/refuse.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
calibrate() { timeout 100 "$build/bin/eyot-calibrate" "$@"; }
fault() { echo "calibrate: $*"; bad=1; }

refused "ending" "must end in .machine, and does not: $work/a.txt" calibrate --output "$work/a.txt"
refused "folder" "no/such/a.machine: No such file" calibrate --output "$work/no/such/a.machine"
refused "jobs" "jobs is '0'; expected a whole number from 1" calibrate --jobs 0
refused "argument" "unexpected argument file" calibrate file
refused "option" "unknown option --file" calibrate --file x
[ ! -e "$work/a.txt" ] || fault "a refused run has left a file"
if command -v taskset >/dev/null; then
  refused "one processor" "may use 1 processor" taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" "$build/bin/eyot-calibrate" --output "$work/one.machine"
  [ ! -e "$work/one.machine" ] || fault "a refused run has left a file"
fi
refused "failing job" "failed: .*eyot-calibrate-probe" env EYOT_MPIEXEC=nowhere "$build/bin/eyot-calibrate" --jobs 1 --rounds 1 --output "$work/none.machine"
[ ! -e "$work/none.machine" ] || fault "a run that failed has left a file"

calibrate --jobs 1 --rounds 1 --output "$work/here.machine" >"$work/out" 2>"$work/err" || { fault "exit code $?"; cat "$work/err"; exit 1; }
grep -q 'takes about [0-9]* s' "$work/err" || fault "does not say how long it takes"
[ "$(find "$work" -name '*.machine' | wc -l)" -eq 1 ] || fault "more files than the result"
"$build/bin/eyot-info" --platform dragonfly | awk 'NF > 3 && $2 ~ /^([0-9.]+|no)$/ { print $1 }' | sort >"$work/keys"
sed -n '/^\[platform\]/,/^\[model\]/s/^\([a-z0-9_]*\) = .*/\1/p' "$work/here.machine" | grep -vx base | sort >"$work/written"
[ "$(wc -l <"$work/keys")" -ge 40 ] && cmp -s "$work/keys" "$work/written" || { fault "the figures of the file are not those of the machine:"; diff "$work/keys" "$work/written"; }
grep -E '^[a-z0-9_.]+ = ' "$work/here.machine" | grep -vE '^base = ' | grep -vE ' # .' && fault "lines without their origin"
for line in 'overhead_node = [0-9.e+-]* ns \[[0-9.e+-]* [0-9.e+-]*\] # median of 1:' 'bw_copy_1 = [0-9.e+-]* GB/s \[' 'node.one_way = ' 'network.bandwidth = ' 'network.put_half = [0-9]* bytes' 'node.overhead = [0-9.e+-]* ns .*: posting a signal' 'node.look = [0-9.e+-]* ns \[' 'node.memory = [0-9.e+-]* GB/s \[' 'node.units = [0-9]* #' \
  'collective = [0-9.e+-]* ns \[.*: a broadcast' 'rx_message = [0-9.e+-]* ns \[.* between nodes: a broadcast' 'signal_after = [0-9.e+-]* ns \[' 'progress = [01] # median of 1 between nodes: a get from a unit that computes'; do
  grep -q "^$line" "$work/here.machine" || fault "no line '$line'"
done
"$build/bin/eyot-info" --platform "$work/here.machine" | grep -q 'source 1: the machine file says' || fault "eyot-info does not say where figures are from"
# The choice of collectives' algorithms reads the same file: of the machine's own figures the least is taken, whichever that is.
choice=$("$build/bin/eyot-info" --coll allreduce --bytes 1024 --units 4 --per-node 4 --machine "$work/here.machine") || fault "the model of the file: code $?"
printf '%s\n' "$choice" | awk -v file="$work/here.machine" '
  NR == 1 { ok = index($0, "on " file) > 0 }
  /^operators/ { close_list(); n = 0; taken = least = "" }
  /^  / { n++; if (least == "" || $2 + 0 < least + 0) least = $2; if (/taken, the cheapest$/) taken = taken $2 }
  function close_list() { if (n > 0) { lists++; if (n < 3 || taken != least) ok = 0 } }
  END { close_list(); exit !(ok && lists == 2) }' || { fault "the model of the file does not take the cheapest:"; printf '%s\n' "$choice"; }
runs "a job that reads it" "" timeout 60 "$build/bin/eyotrun" --fabric mpi -n 2 --machine "$work/here.machine" "$build/tests/bin/check_coll" allreduce
for nodes in 0 1; do
  runs "heat3d, $nodes units a node" "heat3d: verified" timeout 60 "$build/bin/eyotrun" --fabric sim -n 2 --units-per-node $nodes --platform "$work/here.machine:late=5" \
    --compute measured "$build/examples/heat3d" --block 6 --steps 5
done
exit $bad
