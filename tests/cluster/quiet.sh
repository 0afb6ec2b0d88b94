#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# quiet.sh EYOTRUN PROGRAM [ARGUMENT...] - the silence before MPI_Finalize on one machine (docs/adr/0104): where MPI goes by TCP there
# are two barriers of the launcher more than where it goes by shared memory. Hydra shows them.
set -u
eyotrun=$1
shift
barriers() { # PROGRAM [ARGUMENT...], with $transports
  output=$(UCX_TLS=$transports HYDRA_DEBUG=1 "$eyotrun" --fabric mpi -n 4 "$@" 2>&1) || { printf '%s\n' "$output" "quiet: the job failed" >&2; exit 1; }
  printf '%s\n' "$output" | grep -c '^\[mpiexec.*got PMI command: cmd=barrier_in'
}
transports=all
shared=$(barriers "$@") || exit 1
transports=tcp
[ "$shared" -gt 0 ] || { echo "quiet: the launcher shows no barriers"; exit 77; }
tcp=$(barriers "$@") || exit 1
echo "barriers of the launcher: $shared by shared memory, $tcp by TCP"
[ "$tcp" -eq $((shared + 2)) ] || { echo "quiet: expected $((shared + 2)) by TCP"; exit 1; }
