# SPDX-License-Identifier: BSD-3-Clause
# peer.sh - measurements by OpenSHMEM for the suites of run.sh, built and run where Open MPI's is
# installed. Its one-sided layer needs UCX settings.

# Builds the peer if there is a compiler for it and it is older than its sources. Not 0: there is no peer.
shmem_built() {
  command -v oshcc >/dev/null && command -v oshrun >/dev/null || return 1
  [ -x "$bin/peer_shmem" ] && [ -z "$(find "$here" "$here/../examples/gups" \( -name 'peer_shmem*' -o -name clock.h -o -name 'gups_stream*' \) -newer "$bin/peer_shmem")" ] && return 0
  oshcc -O2 -o "$bin/peer_shmem" "$here"/peer_shmem*.c "$here/../examples/gups/gups_stream.c" 2>"$bin/stderr" && return 0
  say "OpenSHMEM is installed but peer_shmem does not build"
  tail -n 5 "$bin/stderr" >&2
  return 1
}

# osh_run PROGRAM N [ARGUMENTS]: value lines of N processing elements, or none. SHMEM_OPTIONS: more for oshrun.
osh_run() {
  program=$1
  units=$2
  shift 2
  # Options are words.
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 oshrun --oversubscribe --mca pml ucx --mca osc ucx --mca pml_ucx_tls any \
    --mca opal_common_ucx_tls any --mca pml_ucx_devices any --mca opal_common_ucx_devices any ${SHMEM_OPTIONS:-} -n "$units" "$program" "$@" \
    2>"$bin/stderr" | grep '^value' || say "OpenSHMEM is installed but ${program##*/} did not run: $*"
}

# shmem_run N [ARGUMENTS]: the same of peer_shmem.
shmem_run() {
  shmem_built || return 0
  osh_run "$bin/peer_shmem" "$@"
}
