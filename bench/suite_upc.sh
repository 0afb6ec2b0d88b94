# SPDX-License-Identifier: BSD-3-Clause
# suite_upc.sh - the suite `upc` of run.sh: the calls of UPC's library beside eyot's own in one
# process, and the programs of examples/upc.
#   n2_, n4_oversubscribed_, n8_...  wall time on mpi, threads of one node (more than there are
#                             processors are oversubscribed); Open MPI's OpenSHMEM in jobs
#                             between, if it is installed. Printed by node.awk.
#   NAME@THREADS              virtual time on xc40; 2 threads are on a node each
#   n1_reduce_...             reductions of long arrays on one thread: without other threads that
#                             combine (floor), with one (eyot), and without again; in a row, and
#                             apart_ from each other
#   notify_...@THREADS        upc_notify and upc_wait beside an atomic to every thread
# Every program verifies itself.

# upc_peer_built PROGRAM SOURCES...: builds it if it is older than its sources. Not 0: there is no peer.
upc_peer_built() {
  peer=$bin/$1
  shift
  command -v oshcc >/dev/null && command -v oshrun >/dev/null || return 1
  [ -x "$peer" ] && [ -z "$(find "$@" "$here/bench_upc.h" "$here/clock.h" "$here/../examples/gups/gups_stream.h" -newer "$peer")" ] && return 0
  oshcc -std=gnu17 -O2 -o "$peer" "$@" -lm 2>"$bin/stderr" && return 0
  say "OpenSHMEM is installed but ${peer##*/} does not build"
  tail -n 5 "$bin/stderr" >&2
  return 1
}

upc_wall() { # THREADS PREFIX ROUNDS DIVISOR
  out=$(measured "$build/bin/eyotrun" --fabric mpi -n "$1" "$bin/bench_upc" rows "$3" "$4") || return 1
  echo "$out" | sed -n "s/^value /value $2/p"
  ! upc_peer_built peer_upc "$here/peer_upc.c" || osh_run "$bin/peer_upc" "$1" openmpi "$3" "$4" | sed "s/^value /value $2/"
}

upc_sim() { # THREADS PROGRAM ARGUMENTS... OPTIONS: more for eyotrun
  threads=$1
  shift
  # Options are words.
  UPC_SHARED_HEAP_SIZE=${heap:-4M} measured "$build/bin/eyotrun" --fabric sim --platform xc40 --order strict ${options:-} -n "$threads" "$@"
}

# upc_program FABRIC THREADS NAME FIELD ARGUMENTS...: the number before `ms` in FIELD's line.
upc_program() {
  fabric=$1 threads=$2 program=$3 after=$4
  shift 4
  case $fabric in
    sim) out=$(heap=64M upc_sim "$threads" "$build/examples/upc/$program" "$@") || return 1 ;;
    mpi) out=$(UPC_SHARED_HEAP_SIZE=64M measured "$build/bin/eyotrun" --fabric mpi -n "$threads" "$build/examples/upc/$program" "$@") || return 1 ;;
  esac
  echo "$out" | grep -q "$program: verified" || { say "$program did not verify: $threads threads"; return 1; }
  ms=$(echo "$out" | sed -n "s/.*$after \([0-9.]*\) ms.*/\1/p")
  case $fabric in
    sim) echo "value $program@$threads program_virtual ms $ms" ;;
    mpi) echo "value n${threads}_$program program_wall ms $ms" ;;
  esac
}

upc_programs() { # FABRIC THREADS
  upc_program "$1" "$2" cpi threads, || return 1
  upc_program "$1" "$2" stream best || return 1
  upc_program "$1" "$2" gups updates, -m 21 --updates 3640838 || return 1
}

# One thread, which has the machine's other processors for its reductions; jobs with and without in turn.
upc_reduce() { # ROUNDS
  for way in floor:0 eyot:1 again:0; do
    UPC_SHARED_HEAP_SIZE=64M measured "$build/bin/eyotrun" --fabric mpi -n 1 --reduce-threads "${way#*:}" "$bin/bench_upc" reduce "${way%:*}" "$1" |
      sed -n 's/^value /value n1_/p' || return 1
  done
}

suite_upc() {
  i=0
  while [ $i -lt "$rounds" ]; do
    upc_wall 2 n2_ 5 1 || return 1
    upc_wall 4 n4_oversubscribed_ 3 20 || return 1
    upc_wall 8 n8_oversubscribed_ 3 50 || return 1
    for part in 1 2 3 4 5; do upc_reduce 1 || return 1; done
    for n in 2 4 8; do
      upc_programs mpi $n || return 1
      ! upc_peer_built peer_upc_programs "$here/peer_upc_programs.c" "$here/../examples/gups/gups_stream.c" ||
        osh_run "$bin/peer_upc_programs" $n openmpi n$n
    done
    # The same updates by eyot's own calls.
    measured "$build/bin/eyotrun" --fabric mpi -n 2 "$build/examples/gups" --variant getput --log2-table 21 --updates 3640838 --no-verify |
      sed -n 's/.*GUP\/s in wall time (\([0-9.]*\) ms).*/value n2_gups_own program_wall ms \1/p'
    i=$((i + 1))
  done
  options='--units-per-node 1' upc_sim 2 "$bin/bench_upc" rows 1 1000 | grep '^value' || return 1
  for n in 16 128 1024; do upc_sim $n "$bin/bench_upc" rows 1 1000 | grep '^value' || return 1; done
  for n in 16 128 1024; do upc_sim $n "$bin/bench_upc" notify 3 | grep '^value' || return 1; done
  for n in 2 4 8 16 32 64 128; do upc_programs sim $n || return 1; done
  echo "reference n2_gups program_wall n2_gups_own"
  for n in 2 4 8; do
    for program in cpi stream gups; do echo "reference n${n}_${program}_openmpi program_wall n${n}_$program"; done
  done
  for what in 64KiB 512KiB 1MiB 4MiB 16MiB apart_64KiB apart_512KiB apart_1MiB apart_4MiB apart_16MiB; do
    for way in eyot again; do echo "reference n1_reduce_${what}_$way time n1_reduce_${what}_floor"; done
    echo "goal n1_reduce_$what -"
  done
  rows=$(sed -n 's/.*{[A-Z]*, "\([a-zA-Z0-9_]*\)".*/\1/p' "$here/bench_upc.h")
  for what in $rows; do
    for n in 2 16 128 1024; do
      for way in eyot again; do echo "reference ${what}_$way@$n latency_virtual ${what}_floor@$n"; done
    done
    for place in n2 n4_oversubscribed n8_oversubscribed; do
      for way in eyot again openmpi; do echo "reference ${place}_${what}_$way time ${place}_${what}_floor"; done
      echo "goal ${place}_$what -"
    done
  done
  for n in 16 128 1024; do
    for metric in wait_virtual messages_of_a_thread; do echo "reference notify_upc@$n $metric notify_atomics@$n"; done
  done
}
