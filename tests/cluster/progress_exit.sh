#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# progress_exit.sh EYOTRUN PROGRAM - what runs at the end of 2 units and 2 progress processes (exit_handlers.cpp): of the program in the units only, of MPI in
# all processes (weak_mpi.c), because an MPI may leave its launcher in an exit handler, which kills the job otherwise.
set -u
out=$(WEAK_MPI_SAYS_EXIT=1 timeout 60 "$1" --fabric mpi -n 2 --progress 2 "$2" 2>&1)
code=$? bad=0
[ $code -eq 0 ] || { echo "progress_exit.sh: exit code $code, expected 0"; bad=1; }
# counts N LINE
counts() {
  n=$(printf '%s\n' "$out" | grep -cxF "$2")
  [ "$n" -eq "$1" ] || { echo "progress_exit.sh: $n times '$2', expected $1"; bad=1; }
}
counts 2 "exit handler"
counts 2 "static object"
counts 2 "thread_local object"
counts 4 "weak_mpi: has left the launcher"
[ $bad -eq 0 ] || printf '%s\n' "$out"
exit $bad
