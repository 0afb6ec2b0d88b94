# SPDX-License-Identifier: BSD-3-Clause
# suite_gups.sh - the suite `gups` of run.sh: RandomAccess over the number of units, after figure
# 6.12 of Zhou, step by step (bench_gups.c).
#   virtual_xc40             2 to 2,048 simulated units, 24 a node; and examples/gups, whose atomics
#                            overlap
#   wall_one_node            2, 4, 8 units of this machine: eyot and MPI in one job, then OpenSHMEM
#                            in its own
#   wall_two_virtual_nodes   the same with half of the units each (--node-size), without OpenSHMEM
# Every block verifies itself. Printed by sizes.awk.
gups_words=17 # 2^17 words, 1 MiB a unit
crowded_rounds=2 # of jobs with more than two units, which take seconds where there are two processors
gups_limit=20 # s; 1 to 5 otherwise: MPI waits without giving way, so on a busy machine more units than processors may take minutes

gups_virtual() { # UNITS LOG2_OF_THEM
  simulated="$build/bin/eyotrun --fabric sim --platform xc40 --order strict -n $1"
  # Words.
  measured $simulated "$bin/bench_gups" xc40 10 1 256 | grep '^value' || return 1
  out=$(measured $simulated "$build/examples/gups" --log2-table $(($2 + 10)) --updates $(($1 * 256))) || return 1
  echo "$out" | grep -q 'gups: verified' || { say "gups did not verify: $1 units"; return 1; }
  echo "$out" | awk -v n="$1" '/GUP\/s in virtual time/ { print "value eyot_xor@" n, "rate_virtual_xc40 GUP/s", $2 }'
}

# Returns 1, with a message, if it takes too long on this machine.
gups_wall() { # UNITS PLACE EYOTRUN_OPTIONS...
  units=$1 place=$2 code=0
  shift 2
  timeout -k 5 $gups_limit "$build/bin/eyotrun" --fabric mpi -n "$units" "$@" "$bin/bench_gups_mpi" "$place" $gups_words 3 >"$bin/gups.out" 2>"$bin/stderr" || code=$?
  [ $code -ne 0 ] || { grep '^value' "$bin/gups.out"; return; }
  [ $code -eq 124 ] || { say "failed: $units units, $place"; tail -n 20 "$bin/stderr" >&2; return 2; }
  say "not measured further: $units units, $place: a job takes longer than $gups_limit s, on a machine that is too busy"
  return 1
}

suite_gups() {
  for log2 in 1 2 3 4 5 6 7 8 9 10 11; do gups_virtual $((1 << log2)) $log2 || return 1; done
  i=0 slow=' '
  while [ $i -lt "$rounds" ]; do
    counts='2 4 8'
    [ $i -lt $crowded_rounds ] || counts=2
    for n in $counts; do
      for place in one_node two_virtual_nodes; do
        size=0 code=0
        [ $place = one_node ] || size=$((n / 2))
        case $slow in *" $n$place "*) continue ;; esac
        gups_wall $n $place --node-size $size || code=$?
        [ $code -ne 2 ] || return 1
        [ $code -eq 0 ] || slow="$slow$n$place "
      done
      shmem_run $n gups one_node $gups_words 3
    done
    i=$((i + 1))
  done
  for n in 2 4 8; do
    for place in one_node two_virtual_nodes; do
      for way in eyot mpi_again shmem; do echo "reference $way@$n rate_wall_$place mpi@$n"; done
    done
  done
}
