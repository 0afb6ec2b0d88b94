#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# start.sh BUILD_DIR LAUNCHER COMMAND... - process 1 of a job cannot start, in each way that needs no failing call: the job ends within seconds, with a non-zero code and eyot's reason.
#
# COMMAND starts two or more processes of the program that follows it; LAUNCHER (hydra, openmpi, slurm) says of which kind it is.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../support/refuse.sh"
build=$(cd "$1" && pwd) || exit 2
launcher=$2
shift 2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
mpi=mpi other=openmpi
[ "$launcher" != openmpi ] || { mpi=openmpi other=mpich; }
mkdir "$dir/none" "$dir/cut" "$dir/text" "$dir/other" "$dir/abi"
head -c 20000 "$build/lib/eyot/eyot-fabric-$mpi.so" >"$dir/cut/eyot-fabric-$mpi.so"
echo "no module" >"$dir/text/eyot-fabric-$mpi.so"
cp "$build/lib/libeyot.so" "$dir/other/eyot-fabric-$mpi.so"
cp "$build/tests/bin/other_abi.so" "$dir/abi/eyot-fabric-$mpi.so"
abi=$(sed -n 's/^#define FAB_ABI \([0-9]*\)u$/\1/p' "$here/../../src/fabric/fabric.h")
seconds=${START_SECONDS:-30}
command="timeout -k 5 $seconds $*"

# in_time COMMAND...: the command of `refused`; says so if it takes as long as a job that hangs.
in_time() {
  since=$(date +%s)
  "$@"
  [ $(($(date +%s) - since)) -lt "$seconds" ] || { echo "$launcher: $name: the job hangs"; bad=1; }
}
# tr_lines COMMAND...: its output as one line, and its exit code.
tr_lines() {
  lines=$("$@" 2>&1)
  lines_code=$?
  printf '%s' "$lines" | tr '\n' ' '
  return $lines_code
}
# ends NAME REGEX VARIABLE=VALUE: process 1 has it.
ends() {
  # shellcheck disable=SC2086 # words of the command are words
  in_time refused "$launcher: $1" "$2" $command sh "$here/one.sh" "$3" "$build/tests/bin/start_faults"
}
ends "no module" "cannot load the mpi fabric: .*none/eyot-fabric-.*No such file" "EYOT_FABRIC_DIR=$dir/none"
ends "a truncated module" "cut/eyot-fabric-$mpi.so is incomplete: .*install eyot again" "EYOT_FABRIC_DIR=$dir/cut"
ends "a module that is text" "text/eyot-fabric-$mpi.so is no shared object of this machine" "EYOT_FABRIC_DIR=$dir/text"
ends "another library" "other/eyot-fabric-$mpi.so is not a fabric module of this libeyot, version [0-9.]+: it needs eyot_fabric_module with ABI [0-9]+, and the file has no such symbol" "EYOT_FABRIC_DIR=$dir/other"
ends "a module of another version" "abi/eyot-fabric-$mpi.so is not a fabric module of this libeyot, version [0-9.]+: it needs eyot_fabric_module with ABI $abi, and the file has ABI $((abi + 1));" "EYOT_FABRIC_DIR=$dir/abi"
ends "a libeyot of another version" "libeyot is of version 0.0.9 .fabric ABI [0-9]+. on some units and [0-9.]+ .fabric ABI [0-9]+. on others" "LD_PRELOAD=$build/tests/bin/other_version.so"
ends "a malformed option of the start" "EYOT_FABRIC .*is 'simm'; expected one of mpi.sim" EYOT_FABRIC=simm
ends "a malformed option" "EYOT_HEAP_SIZE .*is 'much'; expected bytes" EYOT_HEAP_SIZE=much
ends "an option that differs" "EYOT_PACK_BYTES is 4096 on some units and 8192 on others" EYOT_PACK_BYTES=8192
ends "another fabric" "the sim fabric runs all units in one process" EYOT_FABRIC=sim
[ ! -e "$build/lib/eyot/eyot-fabric-openmpi.so" ] || [ ! -e "$build/lib/eyot/eyot-fabric-mpi.so" ] ||
  ends "another MPI" "the launcher belongs to another MPI than the one that EYOT_MPI selects" EYOT_MPI=$other
if [ "$launcher" != slurm ]; then
  # shellcheck disable=SC2086 # as above
  in_time refused "$launcher: a program with the headers of another version" "process [0-9]+ of the job cannot start, and the others wait for it" \
    $command "$build/tests/bin/start_faults" : -n 1 "$build/tests/bin/bad_call" versions
fi
if [ "$launcher" = hydra ] && [ -e "$build/tests/odd/eyot-fabric-mpi.so" ]; then
  # shellcheck disable=SC2086 # as above
  in_time refused "$launcher: MPI gives the units different results" "the others do not meet this error: MPI has given the units different results" \
    env EYOT_FABRIC_DIR="$build/tests/odd" $command "$build/tests/bin/start_faults"
  in_time refused "$launcher: MPI does not come back from its start on one unit" "3 of 3 processes have been in eyot_init for 0.[5-9][0-9]* s.*3 of 3 processes have been in eyot_init for [23][0-9.]* s; the run ends .--start-limit.*the process of rank 1 .process [0-9]+., in eyot_init" \
    tr_lines env ODD_MPI=stuck EYOT_FABRIC_DIR="$build/tests/odd" timeout -k 5 "$seconds" "$build/bin/eyotrun" --fabric mpi -n 3 --start-limit 2 "$build/tests/bin/start_faults"
  [ "$code" -eq 124 ] || { echo "$name: exit code $code, expected 124"; bad=1; }
fi
exit $bad
