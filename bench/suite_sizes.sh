# SPDX-License-Identifier: BSD-3-Clause
# suite_sizes.sh - the suite `sizes` of run.sh: put and get over the size of a message, after
# figures 6.5 to 6.7, 6.10 and 6.11 of Zhou, in three places:
#   within_a_node           two units share memory
#   between_virtual_nodes   two processes of one machine that do not (--node-size 1): MPI moves the
#                           bytes, through memory
#   between_hosts           two hosts that are namespaces of this machine, MPI over TCP
#                           (tests/cluster/net/machine.sh), where that is permitted
# eyot and MPI in one job, OpenSHMEM in a job of its own after each. Lines `goal WHAT near LIMIT`:
# between virtual nodes, times MPI. Printed by sizes.awk.
net=$here/../tests/cluster/net

sizes_job() { # PLACE ROUNDS [EYOTRUN_OPTIONS]
  place=$1 inner=$2
  shift 2
  measured "$build/bin/eyotrun" --fabric mpi -n 2 "$@" "$bin/bench_sizes" "$place" "$inner" | grep '^value'
}

# In the namespaces of machine.sh, see the end of this file.
sizes_on_hosts() {
  sizes_job between_hosts 1 --hosts "$HOSTS" || return 1
  SHMEM_OPTIONS="--host $HOSTS --mca plm_rsh_agent ssh --mca oob_tcp_if_include 10.77.0.0/24"
  shmem_run 2 sizes between_hosts 1
}

hosts_limit=120 # s; some 10 otherwise: on a busy machine each message over TCP may wait for time slices

# Returns 1, with a message, if this machine does not permit it.
sizes_between_hosts() {
  code=0
  timeout -k 5 $hosts_limit sh "$net/machine.sh" 2 sh "$here/run.sh" --on-hosts sizes_on_hosts >"$bin/hosts.out" || code=$?
  grep '^value' "$bin/hosts.out" || true
  [ $code -eq 0 ] && return 0
  case $code in
    77) say "not measured between hosts: $(grep skipped "$bin/hosts.out")" ;;
    124) say "not measured further between hosts: a job takes longer than $hosts_limit s, on a machine that is too busy" ;;
    *) say "failed between hosts"; return 2 ;;
  esac
  return 1
}

suite_sizes() {
  i=0 hosts=yes
  while [ $i -lt "$rounds" ]; do
    sizes_job within_a_node 5 || return 1
    shmem_run 2 sizes within_a_node 5
    sizes_job between_virtual_nodes 5 --node-size 1 || return 1
    if [ $hosts = yes ]; then
      code=0
      sizes_between_hosts || code=$?
      [ $code -ne 2 ] || return 1
      [ $code -eq 0 ] || hosts=no
    fi
    i=$((i + 1))
  done
  for way in put get; do
    for bytes in 8 1024 65536; do echo "goal between_virtual_nodes_${way}_${bytes}B near 1.05"; done
  done
}
