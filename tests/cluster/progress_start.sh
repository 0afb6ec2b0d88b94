#!/bin/sh
# progress_start.sh BIN_DIR PROGRAM_DIR MPIEXEC - starts and ends of jobs with progress processes: those that must work, and those that must be refused with a reason.
set -u
bin=$1 program=$2/bad_end mpiexec=$3
. "$(dirname "$0")/../support/refuse.sh"
mpi() { timeout 60 "$bin/eyotrun" --fabric mpi "$@"; }

runs "one unit" "^ok$" mpi -n 1 --progress 1 "$program" plain
runs "uneven nodes" "^ok$" mpi -n 3 --node-size 2 --progress 1 "$program" plain
runs "mpiexec" "^ok$" env EYOT_PROGRESS=2 timeout 60 "$mpiexec" -n 3 "$program" plain
runs "thread" "^ok$" mpi -n 2 --progress thread "$program" plain
runs "thread alone" "^ok$" mpi -n 1 --progress thread "$program" plain
# Progress processes are no units: what the program prints is printed by units only.
lines=$(mpi -n 2 --progress 2 "$program" print 2>&1 | sort -u | wc -l)
[ "$lines" -eq 6001 ] || { echo "print: $lines different lines, expected 6001"; bad=1; }

refused "too few" "9 progress processes a node .EYOT_PROGRESS. leave no unit .* with 4 processes: start more" env EYOT_PROGRESS=9 timeout 60 "$mpiexec" -n 4 "$program" plain
refused "last node" "leave no unit on some node of a machine with 4 processes" env EYOT_PROGRESS=1 EYOT_NODE_SIZE=2 timeout 60 "$mpiexec" -n 4 "$program" plain
refused "value" "EYOT_PROGRESS .*is 'threads'; expected a whole number from 0 to 64, or thread" mpi -n 2 --progress threads "$program" plain
refused "value of the variable" "EYOT_PROGRESS .*is '65'; expected a whole number from 0 to 64, or thread" env EYOT_PROGRESS=65 "$program" plain
refused "bytes" "EYOT_PROGRESS_BYTES .*is '0'; expected bytes" mpi -n 2 --progress 1 --progress-bytes 0 "$program" plain
refused "private" "EYOT_PROGRESS_PRIVATE .*is 'on'; expected one of auto.off" mpi -n 2 --progress 1 --progress-private on "$program" plain
refused "private bytes" "EYOT_PROGRESS_PRIVATE_BYTES .*is '0'; expected bytes" env EYOT_PROGRESS_PRIVATE_BYTES=0 timeout 60 "$mpiexec" -n 2 "$program" plain
refused "differs" "EYOT_PROGRESS is 0 on some units and 1 on others" timeout 60 "$mpiexec" -n 1 -env EYOT_PROGRESS 1 "$program" plain : -n 1 -env EYOT_PROGRESS 0 "$program" plain
refused "mpiexec-args" "nodes cannot be counted. Name the machines by --hosts .* or set EYOT_PROGRESS=K and run mpiexec -n" \
  mpi -n 2 --progress 1 --mpiexec-args "-ppn 2" "$program" plain
refused "batch job" "only the launcher knows the nodes. Name the machines by --hosts .* srun --mpi=pmi2 --ntasks-per-node=" \
  env SLURM_JOB_ID=1 timeout 60 "$bin/eyotrun" --fabric mpi -n 2 --progress 1 "$program" plain
refused "other nodes" "3 of the processes are units, but EYOT_N .eyotrun -n. asks for 4" env MPIR_CVAR_NUM_CLIQUES=2 timeout 60 "$bin/eyotrun" --fabric mpi -n 4 --progress 1 "$program" plain
refused "abort" "aborts the run" mpi -n 2 --progress 1 "$2/engine_fail" trap
exit $bad
