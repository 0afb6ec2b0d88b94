# SPDX-License-Identifier: BSD-3-Clause
# suite_sync.sh - the suite `sync` of run.sh: synchronization. Three parts, each with its own kind of time:
#   cost   virtual time on xe6 against foMPI, section 3.2, for 2 to 8,192 units (lines `cost`, printed by cost.awk)
#   locks  virtual time on xc40 at 1,024 units under full contention: throughput and fairness of the kinds of locks
#   mcs    wall time on mpi, two units on one node: a free lock beside atomic exchanges, MPI's lock and OpenSHMEM's

# cost_run UNITS ROUNDS [OPTIONS]
cost_run() {
  units=$1
  cost_rounds=$2
  shift 2
  measured "$build/bin/eyotrun" --fabric sim --platform xe6 --order strict -n "$units" "$@" "$bin/bench_cost" "$cost_rounds" | grep '^cost'
}

sync_cost() {
  for units in 4 16 64 256 1024; do cost_run $units 40 --units-per-node 1 | sed 's/^cost /cost one_a_node./' || return 1; done
  for units in 128 512 2048; do cost_run $units 20 || return 1; done
  for units in 4096 8192; do cost_run $units 10 || return 1; done
}

# lock_run CASE ARGUMENTS: bench_lock's key value pairs as value lines.
lock_run() {
  name=$1
  shift
  out=$(measured "$build/bin/eyotrun" --fabric sim --platform xc40 -n 1024 "$bin/bench_lock" "$@") || return 1
  for metric in per_second jain wait_median_ns wait_longest_ns; do echo "value $name ${metric}_virtual - $(echo "$out" | word $metric)"; done
}

# KIND WRITERS(%) MICROSECONDS: long enough that every unit comes several times.
sync_locks() {
  lock_run xc40_1024_mcs mcs 100 20000 || return 1
  lock_run xc40_1024_hier hier 100 20000 || return 1
  lock_run xc40_1024_rw_0.2%_writers rw 0.2 10000 || return 1
  lock_run xc40_1024_rw_100%_writers rw 100 20000 || return 1
  lock_run xc40_1024_tas tas 100 5000 || return 1
  lock_run xc40_1024_ticket ticket 100 5000 || return 1
  for case in hier rw_100%_writers tas ticket; do echo "reference xc40_1024_$case per_second_virtual xc40_1024_mcs"; done
  echo "reference xc40_1024_rw_0.2%_writers per_second_virtual xc40_1024_hier"
}

sync_mcs() {
  i=0
  while [ $i -lt "$rounds" ]; do
    measured "$build/bin/eyotrun" --fabric mpi -n 2 "$bin/bench_mcs" | grep '^value' || return 1
    shmem_run 2
    i=$((i + 1))
  done
  for case in mcs two_raw_exchanges_again two_eyot_swaps; do echo "reference $case pair_wall two_raw_exchanges"; done
  for case in MPI_Win_lock shmem_set_lock tas; do echo "reference $case pair_wall mcs"; done
  for case in contended_tas contended_MPI_Win_lock contended_shmem_set_lock; do echo "reference $case pair_wall contended_mcs"; done
}

suite_sync() {
  sync_mcs || return 1
  sync_locks || return 1
  sync_cost
}
