# SPDX-License-Identifier: BSD-3-Clause
# suite_coll.sh - the suite `coll` of run.sh: collectives over the size of the message, with 2 units,
# with 4 and 8 that share two processors, and on 2 and 4 virtual nodes of a unit each; eyot, MPI and,
# within a node, the same by hand on a shared window in one job, followed by OpenSHMEM in a job of
# its own (not between virtual nodes: nothing in it forbids two processes of a machine to share
# memory). Printed by sizes.awk.

coll_job() { # UNITS ROUNDS [few] [-- EYOTRUN_OPTIONS]
  units=$1 inner=$2 few=
  shift 2
  [ "${1:-}" != few ] || { few=few; shift; }
  [ "${1:-}" != -- ] || shift
  measured "$build/bin/eyotrun" --fabric mpi -n "$units" "$@" "$bin/bench_coll" "$inner" $few | grep '^value'
}

# OpenSHMEM's buffers are symmetric: its times stand beside those of buffers in the heap too.
coll_shmem() { # UNITS ROUNDS
  shmem_run "$1" coll "$2" | sed -e 'p' -n -e 's/ \(broadcast\|allreduce\|allgather\|alltoall\)\(_used\)\?_of/ \1_heap\2_of/p'
}

# The algorithms at the places of coll_grid.txt, one round; the choice is that of the machine file
# $BENCH_MACHINE, if it is given (coll_places.sh, coll_heat.awk).
coll_wall_info() { # UNITS/UNITS_OF_A_NODE FUNCTION ARGUMENTS...
  shape=$1 shared=
  shift
  [ "${shape%/*}" -le "$(nproc)" ] || shared=--shared
  "$build/bin/eyot-info" --coll "$@" --units "${shape%/*}" --per-node "${shape#*/}" --machine "${BENCH_MACHINE:-default}" $shared
}
coll_wall_run() { # UNITS/UNITS_OF_A_NODE RULES CASE...
  shape=$1 rules=$2
  shift 2
  # Two units on one processor are another machine: each keeps its own, or its share of one.
  EYOT_COLL=$rules EYOT_MACHINE=${BENCH_MACHINE:-} measured "$build/bin/eyotrun" --fabric mpi --mpiexec-args "-bind-to core" -n "${shape%/*}" --node-size "${shape#*/}" "$bin/bench_coll_wall" "$@"
}

# Collectives on global memory, by the modes of synchronization.
coll_wall_modes() {
  for shape in 2/2 2/1 4/2; do
    # shellcheck disable=SC2046
    coll_wall_run $shape "" $(coll_modes_cases 8 4096) | coll_modes_lines $shape || return 1
  done
}

suite_coll() {
  i=0
  shmem_built || say "no OpenSHMEM: oshcc and oshrun are not installed, its columns are missing"
  while [ $i -lt "$rounds" ]; do
    coll_job 2 5 || return 1
    coll_shmem 2 5
    # MPI's take tens of milliseconds each where units share processors.
    coll_job 4 1 few || return 1
    coll_shmem 4 1
    coll_job 8 1 few || return 1
    coll_shmem 8 1
    coll_job 2 3 -- --node-size 1 || return 1
    coll_job 4 1 few -- --node-size 1 || return 1
    coll_job 4 1 few -- --node-size 2 || return 1
    coll_job 8 1 few -- --node-size 2 || return 1
    coll_places "$here/coll_grid.txt" mpi coll_wall_info coll_wall_run || return 1
    coll_wall_modes || return 1
    i=$((i + 1))
  done
}
