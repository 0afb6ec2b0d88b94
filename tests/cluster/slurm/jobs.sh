#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# jobs.sh BUILD_DIR - eyot programs under Slurm (batch.sh): started by srun, and within a batch job by mpiexec, eyotrun and srun; wrong starts are refused with a reason.
set -u
. "$(dirname "$0")/../../support/refuse.sh"
PATH=$1/bin:$PATH
program=$1/tests/bin/run_end hello=$1/examples/hello gups=$1/examples/gups heat="$1/examples/heat3d --size 23,19,21 --steps 20"
cd /run/eyot-slurm || exit 1

two="timeout 60 srun -N2 -n4 --ntasks-per-node=2"
# shellcheck disable=SC2086
{
  runs "srun" "heat3d: verified" $two --mpi=pmi2 $heat
  refused "srun without --mpi" "started by srun as one of 4 processes .SLURM_STEP_NUM_TASKS.*srun --mpi=pmi2" $two "$hello"
}
# Without -n, the units are the tasks of the allocation.
runs "salloc -n4" "unit 3 of 4" timeout 60 salloc -Q -N2 -n4 eyotrun --fabric mpi "$hello"
# Where its processes do not find eyotrun, they have agents; Hydra starts them by srun.
printf '#!/bin/sh\nEYOTI_RUN=another EYOTI_RUN_AT="1 127.0.0.1" exec mpiexec.mpich "$@"\n' >mpich && chmod +x mpich || exit 1
cat >job.sh <<END
#!/bin/sh
#SBATCH -N2 -n4 --ntasks-per-node=2
step() { name=\$1; shift; timeout 60 "\$@" >\$name.out 2>&1; echo "exit code \$?" >>\$name.out; }
step mpiexec mpiexec.mpich -bootstrap slurm $heat
step eyotrun eyotrun --fabric mpi -n \$SLURM_NTASKS --launcher slurm $heat
step found eyotrun -n \$SLURM_NTASKS $gups
step srun srun --mpi=pmi2 $gups
step agents env EYOT_MPIEXEC=\$PWD/mpich eyotrun -n 4 $program raw 10
touch job.done
END
sbatch -o job.out job.sh || exit 1
# Not sbatch --wait, which looks every few seconds only.
tries=0
while [ ! -e job.done ] && [ $tries -lt 900 ]; do sleep 0.1; tries=$((tries + 1)); done
[ -e job.done ] || { echo "the batch job does not end"; cat job.out; squeue; bad=1; }
# in_job NAME REGEX: what that step has printed.
in_job() { runs "in sbatch: $1" "$2" sh -c "cat $1.out && grep -q '^exit code 0$' $1.out"; }
in_job mpiexec "heat3d: verified"
in_job eyotrun "heat3d: verified"
in_job found "gups: verified: 0 of 1024"
in_job srun "gups: verified: 0 of 1024"
runs "in sbatch: agents" "^eyotrun: unit 1 .process [0-9]+. on login ended with code 0 without eyot_finalize; the run ends" sh -c "cat agents.out && grep -q '^exit code 120$' agents.out"
exit $bad
