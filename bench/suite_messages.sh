# SPDX-License-Identifier: BSD-3-Clause
# suite_messages.sh - the suites `messages`, `ownership` and `fusion` of run.sh: two-sided messages
# between two units, messages that pass a buffer, and exchanges in which packing and unpacking are one
# loop, beside MPI's own and the same by hand. Wall time, on mpi.
#   messages   half a round trip by size, and one of 64 short messages that are outstanding; within
#              a node, and between two virtual nodes; 64 KiB to 4 MiB copied by one, by both, as a message
#   ownership  the same of a buffer that is passed, also untouched; a loan and its return; allocation
#              and release
#   fusion     an exchange of what a list names, in all ways of the source, by number of atoms
# Compared with MPI's own messages in the same job (`mpi`; mpi_again: the same once more, A/A), with
# Open MPI's in jobs between (`open_mpi`, if it is installed; the case is as if it knew of nodes), with
# two processes that copy half each, with 8 bytes, and with a heap under a lock. Printed by table.awk.

messages_job() { # CASE [OPTIONS]
  case=$1
  shift
  measured "$build/bin/eyotrun" --fabric mpi -n 2 "$@" "$bin/bench_msg" 3 "$case" | grep '^value'
}

# messages_peer CASE: the same by Open MPI, whose processes share memory.
messages_peer() {
  [ -x "$bin/peer_msg" ] || return 0
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpiexec.openmpi --oversubscribe --bind-to none -n 2 "$bin/peer_msg" 3 "$1" open_mpi \
    2>"$bin/stderr" | grep '^value' || say "Open MPI is installed but peer_msg did not run: $1"
}

messages_rounds() { # PLACE...
  i=0
  while [ $i -lt "$rounds" ]; do
    messages_job node >"$bin/messages.out" || return 1
    grep "$1" "$bin/messages.out"
    messages_peer node
    if [ $# -ge 2 ]; then
      messages_job nodes2 --node-size 1 || return 1
      messages_peer nodes2
    fi
    i=$((i + 1))
  done
}

suite_messages() {
  messages_rounds 'by_hand\|_mpi\|eyot_private\|eyot_heap\|_copy_' between || return 1
  for bytes in 8 64 256 1024 4096 16384 65536 262144 1048576; do
    for place in node nodes2; do
      for way in by_hand mpi_again open_mpi eyot_private eyot_heap; do
        [ $place$way = nodes2by_hand ] || echo "reference ${place}_ping-pong_${bytes}B_$way time ${place}_ping-pong_${bytes}B_mpi"
      done
    done
  done
  for bytes in 8 256; do
    for place in node nodes2; do
      for way in mpi_again open_mpi eyot_private eyot_heap; do echo "reference ${place}_stream_${bytes}B_$way time ${place}_stream_${bytes}B_mpi"; done
    done
  done
  for bytes in 65536 262144 1048576 4194304; do
    for way in one eyot_heap; do echo "reference node_copy_${bytes}B_$way time node_copy_${bytes}B_both"; done
  done
}

suite_ownership() {
  messages_rounds '_own \|_mpi\|ping-pong.*eyot_heap\|loan\|layout\|alloc' || return 1
  for bytes in 8 64 256 1024 4096 16384 65536 262144 1048576; do
    for way in mpi_again open_mpi eyot_heap eyot_own; do echo "reference node_ping-pong_${bytes}B_$way time node_ping-pong_${bytes}B_mpi"; done
  done
  echo "reference node_untouched_4194304B_eyot_own time node_untouched_8B_eyot_own"
  for bytes in 8 4096 65536 1048576; do
    for way in eyot_own eyot_clone; do echo "reference node_loan_${bytes}B_$way time node_loan_${bytes}B_eyot_heap"; done
  done
  for bytes in 512 8192 131072; do echo "reference node_layout_${bytes}B_eyot_own time node_layout_${bytes}B_eyot_packed"; done
  for bytes in 8 4096; do
    for way in eyot_own eyot_part malloc; do echo "reference node_alloc+free_${bytes}B_$way time node_alloc+free_${bytes}B_locked"; done
  done
}

suite_fusion() {
  i=0
  while [ $i -lt "$rounds" ]; do
    measured "$build/bin/eyotrun" --fabric mpi -n 2 "$bin/bench_fusion" 5 | grep '^value' || return 1
    i=$((i + 1))
  done
  for atoms in 16 128 400 1024 8192 65536; do
    for way in mpi mpi_again eyot_msg flags eyot_exchange fused_flags; do echo "reference atoms_${atoms}_$way time atoms_${atoms}_eyot_own"; done
  done
}
