# SPDX-License-Identifier: BSD-3-Clause
# suite_start.sh - the suite `start` of run.sh: whole jobs that start and end and do nothing else,
# of 2, 4 and 8 units, on mpi, wall time. nodes2: virtual nodes of two units.

start_job() { # CASE UNITS eyot|mpi [EYOTRUN_OPTIONS]
  name=$1 n=$2 what=$3
  shift 3
  out=$(measured "$build/bin/eyotrun" --fabric mpi -n "$n" "$@" "$bin/bench_start" "$what") || return 1
  echo "value $name start_and_end_wall s $(echo "$out" | word wall_s)"
}

suite_start() {
  i=0
  while [ $i -lt "$rounds" ]; do
    for n in 2 4 8; do
      start_job ${n}_mpi $n mpi || return 1
      start_job ${n}_eyot $n eyot || return 1
      start_job ${n}_nodes2_eyot $n eyot --node-size 2 || return 1
      start_job ${n}_mpi_again $n mpi || return 1
    done
    i=$((i + 1))
  done
  for n in 2 4 8; do
    for name in eyot nodes2_eyot mpi_again; do echo "reference ${n}_$name start_and_end_wall ${n}_mpi"; done
  done
}
