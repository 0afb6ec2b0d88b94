# SPDX-License-Identifier: BSD-3-Clause
# suite_shmem.sh - the suite `shmem` of run.sh: the calls of OpenSHMEM within a node, in eyot's
# implementation beside eyot's own calls (the same process), and in those of Open MPI and, if
# $BENCH_SANDIA names the folder where it is installed, Sandia OpenSHMEM: the same source, in jobs of
# their own after each of eyot's. Sandia's programs are started by $BENCH_SANDIA_RUN (mpiexec.hydra -n).
# Printed by node.awk.

# Builds bench_shmem by COMPILER as OUTPUT if it is older than its source. Not 0: it does not build.
shmem_peer_built() { # COMPILER OUTPUT
  [ -x "$2" ] && [ -z "$(find "$here" -name 'bench_shmem*' -newer "$2")" ] && return 0
  "$1" -std=gnu17 -O2 -o "$2" "$here/bench_shmem.c" 2>"$bin/stderr" && return 0
  say "bench_shmem does not build with $1"
  tail -n 5 "$bin/stderr" >&2
  return 1
}

shmem_openmpi() { # ROUNDS
  command -v oshcc >/dev/null && command -v oshrun >/dev/null || return 0
  shmem_peer_built oshcc "$bin/bench_shmem_openmpi" || return 0
  osh_run "$bin/bench_shmem_openmpi" 2 openmpi "$1"
}

shmem_sandia() { # ROUNDS
  [ -n "${BENCH_SANDIA:-}" ] || return 0
  shmem_peer_built "$BENCH_SANDIA/bin/oshcc" "$bin/bench_shmem_sandia" || return 0
  # Options are words.
  LD_LIBRARY_PATH=$BENCH_SANDIA/lib timeout -k 1 60 ${BENCH_SANDIA_RUN:-mpiexec.hydra -n} 2 "$bin/bench_shmem_sandia" sandia "$1" 100 </dev/null 2>"$bin/stderr" | grep '^value' ||
    say "bench_shmem of Sandia OpenSHMEM did not run"
}

suite_shmem() {
  i=0
  while [ $i -lt "$rounds" ]; do
    measured "$build/bin/eyotrun" --fabric mpi -n 2 "$bin/bench_shmem" eyot 11 | grep '^value' || return 1
    shmem_openmpi 5
    shmem_sandia 1
    i=$((i + 1))
  done
  rows="put_8B put_8B_static p p_static get_8B get_8B_static g putmem_4KiB put_nbi_and_quiet put_and_fence 1000_put_nbi_and_quiet
    atomic_fetch atomic_set atomic_add atomic_fetch_add atomic_fetch_add_static atomic_fetch_add_4B atomic_swap atomic_compare_swap
    test_true wait_until_true p_and_wait_trip put_signal put_signal_trip lock_alone lock_contended barrier_all sync_all
    broadcast64_and_sync malloc_free_1MiB"
  for what in $rows; do
    for way in eyot again openmpi sandia; do echo "reference ${what}_$way time ${what}_floor"; done
  done
  for what in $rows; do
    case $what in
      put_8B* | p | p_static | get_8B* | g)
        echo "goal $what plus 1.5"
        echo "goal $what openmpi 0.3" ;;
      *) echo "goal $what -" ;;
    esac
  done
}
