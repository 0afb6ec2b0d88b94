#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# coll_info.sh BUILD_DIR - eyot-info --coll: every collective function has one way that is taken, on the simulator
# and over MPI; what it predicts is within a factor of two of the virtual time; wrong names and rules are refused with
# those that exist, there and when a program starts.
set -eu
build=$1 work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "coll_info: $*"; exit 1; }
info() { "$build/bin/eyot-info" --coll "$@" 2>&1; }

names=$(info none --units 2 | sed -n "s/.*expected one of \([a-z_, ]*\), as in.*/\1/p" | tr -d ,)
[ "$(echo "$names" | wc -w)" -eq 31 ] || fail "31 functions expected: $names"
for name in $names; do
  for machine in "" "--machine default --per-node 2" "--machine default --per-node 2 --shared"; do
    # shellcheck disable=SC2086
    text=$(info "$name" --units 64 --bytes 10000 $machine) || fail "$name $machine: $text"
    heads=$(echo "$text" | grep -c ':$\|predicted us$') taken=$(echo "$text" | grep -c ' taken, ')
    case $name in
      reduce | allreduce | global_reduce | scan | exscan) want=2 ;;
      global_prefix_reduce) want=5 ;;
      *) want=1 ;;
    esac
    [ "$taken" -eq "$want" ] && [ "$heads" -ge 1 ] || fail "$name $machine: $taken taken, expected $want: $text"
  done
done

# FUNCTION UNITS BYTES: predicted and seen.
functions="broadcast reduce allreduce allgather alltoall gather scatter gatherv scatterv allgatherv collect alltoallv scan reduce_scatter_block"
for units in 8 24 60; do
  set --
  for name in $functions; do for bytes in 8 1024; do set -- "$@" "$name:$bytes:5"; done; done
  "$build/bin/eyotrun" --fabric sim --platform xc40 --order strict --shared-globals -n $units "$build/bench/bench_coll_scale" "$@" >"$work/seen"
  while read -r _ name _ bytes _ _ _ ns _; do
    us=$(info "$name" --units $units --bytes "$bytes" | sed -n 's/  taken, .*//p' | head -1 | awk '{ print $NF }')
    echo "$name $units $bytes $us $ns"
  done <"$work/seen" >>"$work/both"
done
awk '{ n++; ratio = $4 * 1000 / $5; if (ratio > 2 || ratio < 0.5) { bad++; print "coll_info: " $1 ", " $2 " units, " $3 " bytes: predicted " $4 " us, seen " $5 / 1000 } }
     ratio > most { most = ratio } least == "" || ratio < least { least = ratio }
     END { printf "predicted / seen: %.2f to %.2f at %d places\n", least, most, n; exit bad > 0 || n != 84 }' "$work/both"

refused() { # WORDS COMMAND...
  words=$1
  shift
  text=$("$@" 2>&1) && fail "not refused: $*"
  echo "$text" | grep -q -- "$words" || fail "$*: expected '$words': $text"
}
run() { EYOT_COLL=$1 "$build/bin/eyotrun" --fabric sim -n 2 "$build/tests/bin/check_coll" scan; }
cp "$(dirname "$0")/platform.xml" "$work/p.xml"
refused "no such function; expected broadcast, .* scan or exscan in 'barrier:" run barrier:0-:linear
refused "no such algorithm of the function; expected binomial linear pairs take in 'scatter:" run scatter:0-:ring
refused "do not know all lengths of this function: expected 0- in 'gatherv:" run gatherv:8-:linear
refused "expected one of broadcast, " info allreduces --units 8
refused "'99999999': expected --units 2..16777216, " info allreduce --units 99999999
refused "'16777217': expected --per-node 1..16777216, " info allreduce --units 8 --per-node 16777217
refused "'65537': expected --neighbors 1..65536, " info neighbor_alltoall --units 8 --neighbors 65537
refused "'18446744073709551615': expected --bytes 0..9007199254740991, " info allreduce --units 8 --bytes 18446744073709551615
refused "'274877906944': expected --bytes for which no algorithm takes more than 50 days, " info alltoall --units 65536 --bytes 274877906944
refused "'4503599627370496': expected --bytes for which no" info neighbor_alltoall --units 65536 --bytes 4503599627370496
refused "expected --platform or --machine, " info allreduce --units 8 --per-node 2 --platform xc40 --machine default
refused "expected --machine FILE with --shared, " info allreduce --units 8 --shared
refused "expected a neighbourhood's function with --neighbors, " info allreduce --units 8 --neighbors 2
refused "^eyot-info: unknown option '--topology' " "$build/bin/eyot-info" --topology
refused "^eyot-info: wrong arguments from '--limits' on; expected at most one option" "$build/bin/eyot-info" --limits --noise
refused "expected --per-node N with a SimGrid platform" info allreduce --units 8 --platform "$work/p.xml"
refused "nosuch.xml cannot be read: No such file" info allreduce --units 8 --per-node 2 --platform "$work/nosuch.xml"
refused "nosuch.xml cannot be read: No such file" "$build/bin/eyot-info" --platform "$work/nosuch.xml"
refused "expected --per-node of at most the platform's 24 cores" info allreduce --units 64 --per-node 25
refused "expected --units of at most 18432, which" info allreduce --units 18433 --platform xc40:groups=2
refused "expected --units of at most 512, which" info allreduce --units 513 --platform xe6:x=2,y=2,z=2
info allreduce --units 8 --per-node 2 --platform "$work/p.xml:overhead=5" | grep -q "taken" || fail "a SimGrid platform with keys is refused"
info allreduce --units 18432 --platform xc40:groups=2 | grep -q "taken" || fail "the most units of two groups are refused"
info allreduce --units 16777216 | grep -q "taken" || fail "the most units are refused"
refused "no such algorithm" env EYOT_COLL=scan:0-:get "$build/bin/eyot-info" --coll scan --units 8
run scan:0-:doubling#scatter:0-:linear | grep -q "^ok$" || fail "right rules are refused"
