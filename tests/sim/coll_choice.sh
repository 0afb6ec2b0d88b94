#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# coll_choice.sh EYOTRUN PROGRAM [UNITS...] - what the choice of algorithms by the model loses: the
# virtual time of the default beside that of each algorithm that EYOT_COLL can ask for, over units
# and bytes on a simulated xc40. Prints each place where it loses more than 10 %, and fails if these
# are more than a tenth of the places, or if it loses half of the best one's time anywhere.
set -eu
run=$1 program=$2 work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
shift 2
[ $# -gt 0 ] || set -- 2 3 5 8 13 17 24 25 32 48 60 96 128 240 500 1024

# measured RULES HOW CASE...
measured() {
  rules=$1 how=$2
  shift 2
  EYOT_COLL=$rules "$run" --fabric sim --platform xc40 --order strict --shared-globals -n "$units" "$program" "$@" >"$work/out" ||
    { echo "coll_choice: failed: $units units, $how"; exit 1; }
  sed -n "s/^case /$how /p" "$work/out" >>"$work/all"
}

for units in "$@"; do
  set --
  for bytes in 8 16 64 256 512 2048 16384; do
    set -- "$@" broadcast:$bytes:8 reduce:$bytes:8 allreduce:$bytes:8
  done
  measured "" default "$@"
  measured "allreduce:0-:doubling" doubling "$@"
  for how in binomial multi; do
    measured "broadcast:0-:$how#reduce:0-:$how#allreduce:0-:$how" $how "$@"
  done
  # What each unit sends to all others takes long to simulate.
  [ "$units" -le 240 ] || continue
  set --
  for bytes in 8 16 64 256; do set -- "$@" alltoall:$bytes:2 allgather:$bytes:2; done
  measured "" default "$@"
  measured "alltoall:0-:linear" linear "$@"
  measured "allgather:0-:bruck" bruck "$@"
  measured "alltoall:0-:nodeagg#allgather:0-:nodeagg" nodeagg "$@"
done
awk '
  { at = $2 " " $6 " units " $4 " bytes" }
  $1 == "default" { mine[at] = $8; places++; next }
  # A rule that asks for what a call cannot have is passed over: then it is the default once more.
  !(at in best) || $8 < best[at] { best[at] = $8; by[at] = $1 }
  END {
    for (at in mine) {
      loss = mine[at] / best[at]
      if (loss > worst) worst = loss
      if (loss <= 1.1) continue
      over++
      printf "coll_choice: %s: %d ns, %s takes %d (%.2f)\n", at, mine[at], by[at], best[at], loss
    }
    printf "coll_choice: places=%d within_10_percent=%d worst=%.3f\n", places, places - over, worst
    exit !(places > 0 && over <= places / 10 && worst <= 1.5)
  }' "$work/all"
