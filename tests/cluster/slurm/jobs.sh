#!/bin/sh
# jobs.sh BUILD_DIR - eyot programs under Slurm (batch.sh): started by srun, by eyotrun and by mpiexec within sbatch; wrong starts are refused with a reason.
# SPDX-License-Identifier: BSD-3-Clause
set -u
. "$(dirname "$0")/../../common/refuse.sh"
PATH=$1/bin:$PATH
examples=$1/examples heat="$1/examples/heat3d --size 23,19,21 --steps 20"
cd /run/eyot-slurm || exit 1

# job NAME REGEX LINES: a batch job of two nodes with two tasks each.
job() {
  printf '#!/bin/sh\n#SBATCH -N2 -n4 --ntasks-per-node=2\n%s\n' "$3" >job.sh
  rm -f job.out
  timeout 60 sbatch --wait -o job.out job.sh >job.said 2>&1
  code=$?
  if [ $code -eq 0 ] && grep -Eq "$2" job.out; then echo "$1: ok"; else echo "$1: exit code $code, expected 0 and '$2', got: $(cat job.said job.out)"; bad=1; fi
}
two="timeout 60 srun -N2 -n4 --ntasks-per-node=2"
# shellcheck disable=SC2086
{
  runs "srun" "heat3d: verified" $two --mpi=pmi2 $heat
  runs "srun, gups" "gups: verified: 0 of 1024" $two --mpi=pmi2 "$examples/gups"
  runs "srun, nodes" "4 units .mpi." $two --mpi=pmi2 $heat
  refused "srun without --mpi" "started by srun as one of 4 processes .SLURM_STEP_NUM_TASKS.*srun --mpi=pmi2" $two "$examples/hello"
  refused "srun, a variable" "EYOT_FABRIC .*is 'simm'; expected one of mpi.sim" env EYOT_FABRIC=simm $two --mpi=pmi2 "$examples/hello"
}
job "mpiexec in sbatch" "heat3d: verified" "mpiexec.mpich -bootstrap slurm $heat"
job "eyotrun in sbatch" "heat3d: verified" "eyotrun --fabric mpi -n \$SLURM_NTASKS --launcher slurm $heat"
job "eyotrun finds the launcher" "gups: verified: 0 of 1024" "eyotrun -n \$SLURM_NTASKS $examples/gups"
job "srun in sbatch" "gups: verified: 0 of 1024" "srun --mpi=pmi2 $examples/gups"
exit $bad
