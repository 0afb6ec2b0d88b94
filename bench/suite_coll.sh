# SPDX-License-Identifier: BSD-3-Clause
# suite_coll.sh - the suite `coll` of run.sh: barrier, broadcast and allreduce over the size of the
# message, with 2 and 4 units on one machine; eyot and MPI in one job, followed by OpenSHMEM in a
# job of its own. Printed by sizes.awk.
suite_coll() {
  i=0
  while [ $i -lt "$rounds" ]; do
    measured "$build/bin/eyotrun" --fabric mpi -n 2 "$bin/bench_coll" 5 | grep '^value' || return 1
    shmem_run 2 coll 5
    # MPI's take tens of milliseconds each where four units share two processors.
    measured "$build/bin/eyotrun" --fabric mpi -n 4 "$bin/bench_coll" 1 | grep '^value' || return 1
    shmem_run 4 coll 1
    i=$((i + 1))
  done
}
