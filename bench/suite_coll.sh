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

suite_coll() {
  i=0
  shmem_built || say "no OpenSHMEM: oshcc and oshrun are not installed, its columns are missing"
  while [ $i -lt "$rounds" ]; do
    coll_job 2 5 || return 1
    shmem_run 2 coll 5
    # MPI's take tens of milliseconds each where units share processors.
    coll_job 4 1 few || return 1
    shmem_run 4 coll 1
    coll_job 8 1 few || return 1
    shmem_run 8 coll 1
    coll_job 2 3 -- --node-size 1 || return 1
    coll_job 4 1 few -- --node-size 1 || return 1
    i=$((i + 1))
  done
}
