# SPDX-License-Identifier: BSD-3-Clause
# suite_twins.sh - the suite `twins` of run.sh: examples/heat3d beside the same program with its
# communication written with MPI alone: bench_heat_mpi (one window, flat) and bench_heat_shared
# (shared windows within a node, another window between nodes). Wall time of a step on mpi, after
# section 5.3 of Zhou and Gracia; every run verifies itself. Jobs take turns. And the lines of code
# of the three communication parts.
twins_limit=20 # s, of a job: MPI waits without giving way, so more units than processors may take minutes on a busy machine

# twin_run WAY PROGRAM UNITS PLACE OPTIONS...: 1 if it took too long, 2 if it failed.
twin_run() {
  way=$1 program=$2 units=$3 place=$4 code=0
  shift 4
  timeout -k 5 $twins_limit "$build/bin/eyotrun" --fabric mpi -n "$units" "$@" "$program" --block 32 --steps $((units > 2 ? 20 : 50)) >"$bin/twins.out" 2>"$bin/stderr" || code=$?
  [ $code -ne 124 ] || { say "not measured further: $way, $units units, $place: a job takes longer than $twins_limit s, on a machine that is too busy"; return 1; }
  [ $code -eq 0 ] && grep -q 'heat3d: verified' "$bin/twins.out" || { say "failed: $program, $units units, $place"; cat "$bin/twins.out" "$bin/stderr" >&2; return 2; }
  echo "value ${units}_${place}_$way step_wall us $(word ms, <"$bin/twins.out")"
}

# code_lines FILE: without comments and empty lines.
code_lines() {
  awk '{ if (inside) { if (!sub(/^.*\*\//, "")) next; inside = 0 }
         gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, ""); if (sub(/\/\*.*$/, "")) inside = 1
         if ($0 ~ /[^ \t]/) n++ } END { print n + 0 }' "$1"
}

suite_twins() {
  i=0 slow=' '
  while [ $i -lt "$rounds" ]; do
    for n in 2 4; do
      for place in one_node two_virtual_nodes; do
        size=0
        [ $place = one_node ] || size=$((n / 2))
        for way in eyot mpi shared eyot_again; do
          program=$bin/bench_heat_$way code=0
          case $way in eyot*) program=$build/examples/heat3d ;; esac
          case $slow in *" $n$place$way "*) continue ;; esac
          twin_run $way "$program" $n $place --node-size $size || code=$?
          [ $code -ne 2 ] || return 1
          [ $code -eq 0 ] || slow="$slow$n$place$way "
        done
      done
    done
    i=$((i + 1))
  done
  for n in 2 4; do
    for place in one_node two_virtual_nodes; do
      for way in mpi shared eyot_again; do echo "reference ${n}_${place}_$way step_wall ${n}_${place}_eyot"; done
    done
  done
  for way in eyot mpi shared; do
    file=$here/heat_$way.c
    [ $way != eyot ] || file=$here/../examples/heat3d/heat_halo.c
    echo "value communication_of_$way code_lines lines $(code_lines "$file")"
  done
  for way in mpi shared; do echo "reference communication_of_$way code_lines communication_of_eyot"; done
}
