#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# engine_same.sh EYOTRUN PROGRAM [ARGS...] - one program, options and seed give one trace hash: twice, and on both engines; other seeds give others.
set -u
run=$1
shift
one() { # engine seed order program...
  engine=$1 seed=$2 order=$3
  shift 3
  "$run" --fabric sim -n "${UNITS:-24}" --units-per-node 4 --engine "$engine" --seed "$seed" --order "$order" --trace-hash "$@" 2>&1 |
    sed -n 's/^trace hash: //p'
}
seen=
for order in strict rdma chaos; do
  for seed in 1 2; do
    a=$(one fiber $seed $order "$@")
    b=$(one fiber $seed $order "$@")
    c=$(one simgrid $seed $order "$@")
    [ -n "$a" ] || { echo "no trace hash ($order, seed $seed)"; exit 1; }
    [ "$a" = "$b" ] || { echo "$order, seed $seed: two runs differ: $a $b"; exit 1; }
    [ "$a" = "$c" ] || { echo "$order, seed $seed: engines differ: fiber $a, simgrid $c"; exit 1; }
    case " $seen " in *" $a "*) echo "$order, seed $seed: same hash as another seed or order"; exit 1 ;; esac
    seen="$seen $a"
  done
done
echo "same:$seen"
