#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# openmpi.sh BUILD_DIR - eyot programs over Open MPI on two nodes of Slurm (batch.sh), whose plugin pmix starts them: one that works, and one whose second unit cannot start.
set -u
. "$(dirname "$0")/../../support/refuse.sh"
srun --mpi=list 2>&1 | grep -q pmix || { echo "openmpi.sh: skipped: this Slurm has no plugin pmix"; exit 77; }
export EYOT_MPI=openmpi
two="timeout 60 srun --mpi=pmix -N2 -n2"
# shellcheck disable=SC2086
{
  runs "srun --mpi=pmix" "unit 1 of 2 on node 1" $two "$1/examples/hello"
  refused "a unit without its module" "cannot load the openmpi fabric.*" \
    $two sh -c "case \$SLURM_PROCID in 1) export EYOT_FABRIC_DIR=/run/nowhere ;; esac; exec $1/examples/hello"
  [ $code -ne 124 ] || { echo "a unit without its module: the job hangs"; bad=1; }
}
exit $bad
