# SPDX-License-Identifier: BSD-3-Clause
# suite_waiting.sh - the suites `waiting` and `shared` of run.sh, on mpi, wall time.
#   waiting  one-sided operations to a target that waits in eyot (in MPI for MPI's), between virtual
#            nodes and between hosts that are namespaces of this machine
#   shared   barriers, collectives, exchanges with neighbors and contended locks of 4 and 8 units,
#            which share processors where there are fewer
# Lines `goal CASE times LIMIT`: of waiting, times MPI. Printed by node.awk and table.awk.

waiting_job() { # PLACE ROUNDS [EYOTRUN_OPTIONS]
  place=$1 inner=$2
  shift 2
  measured "$build/bin/eyotrun" --fabric mpi -n 2 "$@" "$bin/bench_waiting" "$place" "$inner" | grep '^value'
}

# In the namespaces of machine.sh.
waiting_on_hosts() { waiting_job hosts 3 --hosts "$HOSTS"; }

waiting_between_hosts() {
  code=0
  timeout -k 5 $hosts_limit sh "$net/machine.sh" 2 sh "$here/run.sh" --on-hosts waiting_on_hosts >"$bin/hosts.out" || code=$?
  grep '^value' "$bin/hosts.out" || true
  [ $code -eq 0 ] || say "not measured, or not all, between hosts: code $code: $(grep skipped "$bin/hosts.out" || true)"
}

suite_waiting() {
  i=0
  while [ $i -lt "$rounds" ]; do
    waiting_job virtual 5 --node-size 1 || return 1
    waiting_between_hosts
    i=$((i + 1))
  done
  for place in virtual hosts; do
    for target in in_barrier in_wait; do
      for operation in put get fetch_add compare_swap 1000_puts; do echo "goal ${place}_${target}_$operation times 1.5"; done
    done
  done
}

suite_shared() {
  i=0
  while [ $i -lt "$rounds" ]; do
    for n in 4 8; do measured "$build/bin/eyotrun" --fabric mpi -n $n "$bin/bench_shared" 2 | grep '^value' || return 1; done
    i=$((i + 1))
  done
  for n in 4 8; do
    for kind in mcs hier rw ticket; do echo "reference ${n}_lock_${kind}_eyot time ${n}_token_floor"; done
  done
}
