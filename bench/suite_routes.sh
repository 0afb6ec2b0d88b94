# SPDX-License-Identifier: BSD-3-Clause
# suite_routes.sh - the suite `routes` of run.sh: latencies of small messages in virtual time on an
# xc40 of 1,024 units with minimal routes, Valiant's, and adaptive ones (bench_routes.c), beside
# minimal routes. 8 bytes are a short message, which never takes a detour; 1,024 bytes may.

suite_routes() {
  for pattern in idle shift flood; do
    nodes='--units-per-node 1'
    [ $pattern != shift ] || nodes='--units-per-node 2'
    for bytes in 8 1024; do
      for routing in minimal valiant adaptive; do
        case=${pattern}_${bytes}B_$routing
        # Words.
        out=$(measured "$build/bin/eyotrun" --fabric sim --platform "xc40:routing=$routing" --order strict -n "${BENCH_UNITS:-1024}" $nodes "$bin/bench_routes" $pattern $bytes 50) || return 1
        echo "$out" | awk -v case="$case" 'NF == 2 { print "value", case, "mean_virtual", "ns", $1; print "value", case, "p99_virtual", "ns", $2 }'
        [ $routing = minimal ] || for figure in mean p99; do echo "reference $case ${figure}_virtual ${pattern}_${bytes}B_minimal"; done
      done
    done
  done
}
