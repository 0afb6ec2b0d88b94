# SPDX-License-Identifier: BSD-3-Clause
# suite_apps.sh - the suite `apps` of run.sh: the programs of examples/ that have several ways of
# communication. The steps of all ways take turns in one job, and every run verifies itself. On mpi
# the ways include MPI's own messages, and MPI's once more (A/A). On the simulated cab they are
# messages of eyot's mpi.h between private buffers, which are copied twice, as the MPI libraries of
# the source copied them; there messages of more than 256 bytes between buffers of the heap are
# copied once (--msg-eager 256), as by the source's library.
# Units are not more than processors: MPI's waits do not give way.
apps_limit=120 # s, of a job
apps='fft2d fft3d minimd lulesh_halo milc'

# app_values CASE CLOCK: the lines of the table, from the lines of a program.
app_values() {
  awk -v name="$1" -v clock="$2" '$3 == "communication" && $6 == "step" && $9 == clock { sub(":", "", $2)
    print "value", name "_" $2, "communication_" clock, "us", $4; print "value", name "_" $2, "step_" clock, "us", $7 }' "$bin/apps.out"
}

# app_run CASE CLOCK PROGRAM ARGUMENTS -- EYOTRUN_OPTIONS...
app_run() {
  name=$1 clock=$2 program=$3 arguments=$4
  shift 5
  # The arguments are words, no text.
  timeout -k 5 $apps_limit "$build/bin/eyotrun" "$@" "$program" $arguments >"$bin/apps.out" 2>"$bin/stderr" && ! grep -q 'WRONG\|not verified' "$bin/apps.out" ||
    { say "failed: $program $arguments on $name"; cat "$bin/apps.out" "$bin/stderr" >&2; return 1; }
  app_values "$name" "$clock"
}

# app_units APP: the numbers of units on mpi.
app_units() {
  case $1 in lulesh_halo) echo 8 ;; *) echo 2 4 8 16 ;; esac
}

# app_cab_units APP: the numbers of units on cab: of one node, and of four.
app_cab_units() {
  case $1 in lulesh_halo) echo 8 64 ;; *) echo 16 64 ;; esac
}

# app_on_cab APP: virtual times, which repeat themselves.
app_on_cab() {
  [ -x "$bin/bench_${1}_face" ] || return 0
  for n in $(app_cab_units "$1"); do
    [ "$n" -eq 64 ] && steps=4 || steps=10
    app_run "${1}_cab_$n" virtual "$bin/bench_${1}_face" "$(app_steps "$1" "${app_cab_steps:-$steps}")" -- --fabric sim --platform cab --order strict --msg-eager 256 -n "$n" || return 1
    for way in msg own exchange rma mpi_again; do
      for metric in communication_virtual step_virtual; do echo "reference ${1}_cab_${n}_$way $metric ${1}_cab_${n}_mpi"; done
    done
  done
}

# app_steps APP N: its option for N steps.
app_steps() {
  case $1 in fft3d | milc) echo "--iterations $2" ;; *) echo "--steps $2" ;; esac
}

suite_apps() {
  processors=$(nproc) i=0
  while [ $i -lt "$rounds" ]; do
    for app in $apps; do
      [ -x "$bin/bench_$app" ] || { say "not measured: $app, which is not built"; continue; }
      for n in $(app_units $app); do
        [ "$n" -le "$processors" ] || break
        app_run "${app}_${n}_one_node" wall "$bin/bench_$app" "$(app_steps $app 100)" -- --fabric mpi -n "$n" || return 1
        app_run "${app}_${n}_two_virtual_nodes" wall "$bin/bench_$app" "$(app_steps $app 20)" -- --fabric mpi -n "$n" --node-size $((n / 2)) || return 1
      done
    done
    i=$((i + 1))
  done
  for app in $apps; do
    for n in $(app_units $app); do
      for place in one_node two_virtual_nodes; do
        for way in msg own exchange late get rma mpi_again; do
          for metric in communication_wall step_wall; do echo "reference ${app}_${n}_${place}_$way $metric ${app}_${n}_${place}_mpi"; done
        done
      done
    done
    app_on_cab $app || return 1
    [ -x "$build/examples/$app" ] || continue
    for n in 8 64; do
      app_run "${app}_xc40_$n" virtual "$build/examples/$app" "$(app_steps $app 10)" -- --fabric sim --platform xc40 -n $n || return 1
      for way in own exchange late get rma; do
        for metric in communication_virtual step_virtual; do echo "reference ${app}_xc40_${n}_$way $metric ${app}_xc40_${n}_msg"; done
      done
    done
  done
}
