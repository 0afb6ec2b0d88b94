#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# machine.sh BUILD_DIR - what a machine file (EYOT_MACHINE) does over MPI: its model and its rules choose
# algorithms of collectives, EYOT_COLL comes before them, members with different files are told
# apart, and a wrong file is refused at the start. On the simulator no file is read.
set -u
build=$1
. "$(dirname "$0")/../support/refuse.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
coll="$build/tests/bin/check_coll" direct="$build/tests/bin/coll_direct"

# job COMMAND...: two units on two virtual nodes.
job() {
  timeout -k 2 60 "$build/bin/eyotrun" --fabric mpi -n 2 --node-size 1 --errors return "$@"
}
differ() { # FIRST SECOND PROGRAM...: machine files of the two units
  first=$1 second=$2
  shift 2
  job sh -c 'if [ "$PMI_RANK" = 1 ]; then export EYOT_MACHINE=$1; else export EYOT_MACHINE=$0; fi; shift; exec "$@"' "$first" "$second" "$@"
}

{
  echo 'eyot-machine 1'
  echo '[model]'
  for level in node network; do
    echo "$level.overhead = 20 ns"
    echo "$level.one_way = 150 ns"
    echo "$level.gap = 10 ns"
    echo "$level.bandwidth = 10 GB/s"
  done
} >"$work/plain.machine"
{ cat "$work/plain.machine"; echo '[collectives]'; echo 'allreduce:0-:multi(k=2) # as a rule of EYOT_COLL'; } >"$work/multi.machine"
{ cat "$work/plain.machine"; echo '[collectives]'; echo 'allreduce:0-:doubling'; } >"$work/doubling.machine"
{ cat "$work/plain.machine"; echo '[collectives]'; echo 'broadcast:0-:binomial'; } >"$work/short.machine"
{ cat "$work/plain.machine"; echo '[collectives]'; echo 'allreduce:0-:ring'; } >"$work/wrong.machine"
sed 's/network.gap = 10 ns/network.gap = ten ns/' "$work/plain.machine" >"$work/ten.machine"

runs "one file" "" job env EYOT_MACHINE="$work/multi.machine" "$coll" allreduce
# also REGEX: the output of the command before has it too.
also() { printf '%s\n' "$output" | grep -Eq -- "$1" || { echo "$name: expected '$1' too, got: $output"; bad=1; }; }
refused "two tables" "member 0 .* called eyot_allreduce .*algorithm multi .k=2." differ "$work/multi.machine" "$work/doubling.machine" "$coll" allreduce
also "member 1 .* called eyot_allreduce .*algorithm doubling"
refused "a file on one member" "member 0 .* called eyot_broadcast .*algorithm direct" differ "" "$work/short.machine" "$direct"
also "member 1 .* called eyot_broadcast .*algorithm binomial"
# The file's rule is that of EYOT_COLL: nobody differs, whichever way a member has it.
runs "a rule and a table" "" job env EYOT_COLL='allreduce:0-:multi(k=2)' sh -c '[ "$PMI_RANK" != 1 ] || export EYOT_COLL= EYOT_MACHINE=$0; exec "$@"' "$work/multi.machine" "$coll" allreduce
runs "a rule before the table" "" differ "$work/multi.machine" "$work/doubling.machine" env EYOT_COLL=allreduce:0-:doubling "$coll" allreduce
refused "a wrong figure" "ten.machine:[0-9]*: network.gap = ten ns; expected 0 to 1000000000 ns" job env EYOT_MACHINE="$work/ten.machine" "$coll" allreduce
refused "a wrong rule" "wrong.machine:12: no such algorithm of the function; expected binomial doubling multi linear direct" job env EYOT_MACHINE="$work/wrong.machine" "$coll" allreduce
refused "no file" "nowhere.machine: No such file" job env EYOT_MACHINE="$work/nowhere.machine" "$coll" allreduce
# Thresholds of messages: units that send to each other before they receive wait for ever where the file lets no send return before its receive; the option goes before the file.
{ cat "$work/plain.machine"; echo '[thresholds]'; echo 'node.put_half = 1024 bytes'; echo 'msg_eager = 0 bytes'; } >"$work/eager.machine"
{ cat "$work/plain.machine"; echo '[thresholds]'; echo 'msg_block = 16 K'; } >"$work/block.machine"
msg="$build/tests/bin/msg"
runs "no threshold" "never received: a message of 8 bytes" job --machine "$work/plain.machine" "$msg" left
refused "a threshold" "in eyot_send to unit [01], tag 11" job --time-limit 5 --machine "$work/eager.machine" "$msg" left
runs "an option before the threshold" "never received: a message of 8 bytes" job --machine "$work/eager.machine" --msg-eager 64K "$msg" left
refused "a wrong threshold" "block.machine:12: msg_block = 16 K; expected a whole number from 0 to 1073741824 bytes" job --machine "$work/block.machine" "$msg" left
runs "an option of eyotrun" "" job --machine "$work/plain.machine" "$coll" allreduce

# eyot-info says what would be taken, and why.
info() { "$build/bin/eyot-info" --coll allreduce --bytes 8 --units 4 --per-node 2 "$@"; }
runs "info: the file's table" "multi +k=2 .*taken, by the machine file" info --machine "$work/multi.machine"
runs "info: its model" "doubling .* 0.322  taken, the cheapest" info --machine "$work/plain.machine"
runs "info: a rule before it" "binomial .*taken, by EYOT_COLL" env EYOT_COLL=allreduce:0-:binomial "$build/bin/eyot-info" --coll allreduce --units 4 --per-node 2 --machine "$work/multi.machine"
runs "info: without a file" "4 units, 2 a node, on default" info --machine default
gathers() { "$build/bin/eyot-info" --coll allgather --bytes 200 --units 8 --per-node 4 --machine default "$@"; }
runs "info: a processor each" "nodeagg .*taken" gathers
runs "info: shared processors" "linear .*taken" gathers --shared
refused "info: units of a node" "expected --per-node N with --machine" "$build/bin/eyot-info" --coll allreduce --units 4 --machine default
refused "info: a wrong file" "ten.machine:[0-9]*: network.gap = ten ns" info --machine "$work/ten.machine"
if [ -x "$build/bin/eyotcheck" ]; then
  runs "the simulator reads none" "EYOT_MACHINE" env EYOT_MACHINE="$work/nowhere.machine" timeout -k 2 60 "$build/bin/eyotrun" --fabric sim -n 4 "$coll" allreduce
fi
exit $bad
