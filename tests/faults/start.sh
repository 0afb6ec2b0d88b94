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
mkdir "$dir/none" "$dir/cut" "$dir/text" "$dir/other"
head -c 20000 "$build/lib/eyot/eyot-fabric-$mpi.so" >"$dir/cut/eyot-fabric-$mpi.so"
echo "no module" >"$dir/text/eyot-fabric-$mpi.so"
cp "$build/lib/libeyot.so" "$dir/other/eyot-fabric-$mpi.so"
seconds=${START_SECONDS:-30}
command="timeout -k 5 $seconds $*"

# ends NAME REGEX VARIABLE=VALUE: process 1 has it.
ends() {
  since=$(date +%s)
  # shellcheck disable=SC2086 # words of the command are words
  refused "$launcher: $1" "$2" $command sh "$here/one.sh" "$3" "$build/tests/bin/start_faults"
  [ $(($(date +%s) - since)) -lt "$seconds" ] || { echo "$launcher: $1: the job hangs"; bad=1; }
}
ends "no module" "cannot load the mpi fabric: .*none/eyot-fabric-.*No such file" "EYOT_FABRIC_DIR=$dir/none"
ends "a truncated module" "cut/eyot-fabric-$mpi.so is incomplete: .*install eyot again" "EYOT_FABRIC_DIR=$dir/cut"
ends "a module that is text" "text/eyot-fabric-$mpi.so is no shared object of this machine" "EYOT_FABRIC_DIR=$dir/text"
ends "another library" "other/eyot-fabric-$mpi.so is not a fabric module of this version" "EYOT_FABRIC_DIR=$dir/other"
ends "a malformed option of the start" "EYOT_FABRIC .*is 'simm'; expected one of mpi.sim" EYOT_FABRIC=simm
ends "a malformed option" "EYOT_HEAP_SIZE .*is 'much'; expected bytes" EYOT_HEAP_SIZE=much
ends "an option that differs" "EYOT_PACK_BYTES is 4096 on some units and 8192 on others" EYOT_PACK_BYTES=8192
ends "another fabric" "the sim fabric runs all units in one process" EYOT_FABRIC=sim
[ ! -e "$build/lib/eyot/eyot-fabric-openmpi.so" ] || [ ! -e "$build/lib/eyot/eyot-fabric-mpi.so" ] ||
  ends "another MPI" "the launcher belongs to another MPI than the one that EYOT_MPI selects" EYOT_MPI=$other
exit $bad
