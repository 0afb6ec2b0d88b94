#!/bin/sh
# bad_start.sh BIN_DIR PROGRAM_DIR MPIEXEC - starts over MPI: the ways that must work, and those that must be refused with a reason.
set -u
bin=$1 program=$2/bad_end mpiexec=$3
. "$(dirname "$0")/../support/refuse.sh"
mpi() { timeout 60 "$bin/eyotrun" --fabric mpi "$@"; }

runs "started directly" "^ok$" "$program" plain
runs "mpiexec" "^ok$" timeout 60 "$mpiexec" -n 2 "$program" plain
runs "eyotrun" "^ok$" mpi -n 2 "$program" plain
line=$(mktemp)
echo "one line" >"$line"
runs "stdin" "unit 0 read one line" mpi -n 2 "$program" stdin <"$line"
rm "$line"
lines=$(mpi -n 2 "$program" print 2>&1 | sort -u | wc -l)
[ "$lines" -eq 6001 ] || { echo "print: $lines different lines, expected 6001"; bad=1; }

refused "no units" "EYOT_N .*is '0'; expected a whole number from 1" mpi -n 0 "$program"
refused "another launcher" "one of 4 processes .OMPI_COMM_WORLD_SIZE.*another MPI .*use eyotrun" env EYOT_MPI=mpich OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=1 "$program"
refused "own launcher" "one of 2 processes .PMI_SIZE.*does not understand its own launcher" env EYOT_MPI=mpich PMI_SIZE=2 PMI_RANK=0 "$program" plain
refused "fabric" "EYOT_FABRIC .*is 'simm'; expected one of mpi.sim" env EYOT_FABRIC=simm "$program"
refused "value" "EYOT_SEED .*is 'abc'; expected a whole number" env EYOT_SEED=abc "$program"
once=$(EYOT_SEED=abc "$program" 2>&1 | grep -c "unit 0. .*last operation")
[ "$once" -eq 1 ] || { echo "value: the end is told $once times, expected once"; bad=1; }
runs "variable" "EYOT_SEDE is not an option of eyot.*did you mean EYOT_SEED" env EYOT_SEDE=1 "$program" plain
refused "no mpiexec" "nowhere not found or not executable; install MPICH, or set EYOT_MPIEXEC" env EYOT_MPIEXEC=nowhere "$bin/eyotrun" -n 2 "$program"

# Where the machine has a batch system, mpiexec may start processes elsewhere and eyotrun does not count.
unset HYDRA_HOST_FILE SLURM_JOB_ID PBS_JOBID PBS_NODEFILE LSB_JOBID PE_HOSTFILE COBALT_NODEFILE LOADL_HOSTFILE
files() { (ulimit -n 64 && mpi -n 14 "$program" plain); }
refused "files" "14 MPI processes are too many .*ulimit -n. is 64, 13 would fit; raise it" files
refused "processes" "are too many for this machine: .* would fit" mpi -n 16000000 "$program"

# Many processes for the processors: a warning, once, with the command that simulates them. true stands for mpiexec.
if command -v taskset >/dev/null; then
  one=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')
  many() { EYOT_MPIEXEC=true taskset -c "$one" "$bin/eyotrun" "$@" "$program" plain 2>&1; }
  want="eyotrun: warning: 65 MPI processes on 1 processor of this machine .* eyotrun -n 65 --fabric sim $program"
  [ "$(many -n 65 | grep -c "^$want\$")" -eq 1 ] && [ "$(many -n 65 | wc -l)" -eq 1 ] || { echo "many: expected one line, $want: $(many -n 65)"; bad=1; }
  for quiet in "-n 64" "-n 65 --hosts localhost:65 --launcher fork" "-n 65 --mpiexec-args -l" "-n 1 --fabric mpi"; do
    # shellcheck disable=SC2086 # words
    many $quiet | grep warning && { echo "many: warned with $quiet"; bad=1; }
  done
  SLURM_JOB_ID=1 many -n 65 | grep warning && { echo "many: warned in a batch job"; bad=1; }
fi
room=$(df -k --output=avail /dev/shm 2>/dev/null | tail -n 1)
if [ "${room:-0}" -gt 0 ] && [ "$room" -lt 1000000000 ]; then
  refused "heap" "bytes of shared memory each, /dev/shm has .* would fit: lower EYOT_HEAP_SIZE" mpi -n 2 --heap-size 1000G "$program"
fi
exit $bad
