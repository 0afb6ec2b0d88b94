# SPDX-License-Identifier: BSD-3-Clause
# suite_sim.sh - the suite `sim` of run.sh: the simulator's speed beside bare programs of the same
# pattern. --clock real: the programs time themselves by this machine's clock. booked: what sharing
# the network costs, beside messages that take each link as wholes (--network booked), 1024 units.

# speed_run CASE COMMAND...: one run of a program as value lines.
speed_run() {
  name=$1
  shift
  out=$(measured "$@") || return 1
  ops=$(echo "$out" | word ops)
  seconds=$(echo "$out" | word seconds)
  wall=$(echo "$out" | word wall_s)
  cpu=$(echo "$out" | word cpu_seconds)
  echo "$ops $seconds $wall $(echo "$out" | word peak_kb) $cpu" | awk -v name="$name" '{
    print "value", name, "rate_wall", "operations/s", $1 / $2
    print "value", name, "rate_cpu", "operations/s", $1 / $5
    print "value", name, "run_wall", "s", $2
    print "value", name, "start_and_end_wall", "s", $3 - $2
    print "value", name, "peak_memory", "MB", $4 / 1024 }'
}

# sim_run CASE ENGINE UNITS PROGRAM ARGUMENTS...
sim_run() {
  sim_case=$1 engine=$2 units=$3 program=$4
  shift 4
  speed_run "$sim_case" "$build/bin/eyotrun" --fabric sim --platform xc40 --clock real --engine "$engine" --shared-globals -n "$units" "$bin/$program" "$@"
}

# sim_pair CASE ENGINE UNITS BARE_ARGUMENTS -- PROGRAM ARGUMENTS: the floor, eyot, and the floor again.
sim_pair() {
  pair=$1 pair_engine=$2 pair_units=$3 floor=$4
  shift 4
  speed_run "${pair}_bare_$pair_engine" "$bin/bare_$pair_engine" "$pair_units" $floor || return 1
  sim_run "${pair}_eyot_$pair_engine" "$pair_engine" "$pair_units" "$@" || return 1
  speed_run "${pair}_bare_${pair_engine}_again" "$bin/bare_$pair_engine" "$pair_units" $floor
}

sim_references() { # CASE ENGINE
  for metric in rate_wall rate_cpu peak_memory; do
    echo "reference ${1}_eyot_$2 $metric ${1}_bare_$2"
    echo "reference ${1}_bare_${2}_again $metric ${1}_bare_$2"
  done
}

# traffic_size PATTERN UNITS: DEPTH and ROUNDS of about a second.
traffic_size() {
  case $1 in
    locks) echo 4 $((8192 / $2 > 0 ? 8192 / $2 : 1)) ;;
    halo) echo 2 $((16384 / $2 > 0 ? 16384 / $2 : 1)) ;;
    *) echo 64 $((16384 / $2 > 0 ? 16384 / $2 : 1)) ;;
  esac
}

sim_patterns="next random atomics gets locks halo"

sim_booked() { # PATTERN SIZE
  (EYOT_NETWORK=booked && export EYOT_NETWORK && sim_run "1024_${1}_eyot_booked" fiber 1024 bench_traffic $1 $2)
}

sim_traffic() {
  for units in ${BENCH_SIM_UNITS:-1024 4096}; do
    for pattern in $sim_patterns; do
      size=$(traffic_size $pattern $units)
      sim_pair "${units}_$pattern" fiber $units "$pattern $size" bench_traffic $pattern $size || return 1
      [ $units -ne 1024 ] || sim_booked $pattern "$size" || return 1
    done
  done
}

# sim_counted PATTERN DEPTH ROUNDS: "OPERATIONS INSTRUCTIONS" of a run under valgrind, start included.
sim_counted() {
  rm -f "$bin"/counted.*
  valgrind -q --tool=cachegrind --cache-sim=no --cachegrind-out-file="$bin/counted.%p" "$build/bin/eyotrun" --fabric sim --platform xc40 --clock real --shared-globals --heap-size 64K --heap-max 1M -n 256 "$bin/bench_traffic" "$@" >"$bin/stdout" 2>"$bin/stderr" || return 1
  echo "$(word ops <"$bin/stdout") $(cat "$bin"/counted.* | awk '/^summary:/ { if ($2 > most) most = $2 } END { printf "%.0f", most }')"
}

# sim_instructions [_booked]: what more rounds cost, for each operation of them: the same in every run.
sim_instructions() {
  command -v valgrind >/dev/null || return 0
  for pattern in $sim_patterns; do
    depth=64
    case $pattern in locks | halo) depth=4 ;; esac
    few=$(sim_counted $pattern $depth 1) && many=$(sim_counted $pattern $depth 3) || { say "valgrind failed: $pattern"; return 1; }
    echo "$few $many" | awk -v name="256_${pattern}_eyot$1" '{ print "value", name, "instructions", "per_operation", ($4 - $2) / ($3 - $1) }'
  done
  rm -f "$bin"/counted.*
}

suite_sim() {
  i=0
  while [ $i -lt "$rounds" ]; do
    for engine in fiber simgrid; do sim_pair 4096x20 $engine 4096 20 bench_barrier 20 || return 1; done
    sim_traffic || return 1
    i=$((i + 1))
  done
  for engine in fiber simgrid; do
    sim_references 4096x20 $engine
    speed_run "65536x1_bare_$engine" "$bin/bare_$engine" 65536 1 || return 1
    sim_run "65536x1_eyot_$engine" $engine 65536 bench_barrier 1 || return 1
    for metric in rate_wall rate_cpu peak_memory; do echo "reference 65536x1_eyot_$engine $metric 65536x1_bare_$engine"; done
  done
  for units in ${BENCH_SIM_UNITS:-1024 4096}; do
    for pattern in $sim_patterns; do
      sim_references "${units}_$pattern" fiber
      [ $units -ne 1024 ] || for metric in rate_wall rate_cpu; do echo "reference 1024_${pattern}_eyot_booked $metric 1024_${pattern}_eyot_fiber"; done
    done
  done
  sim_instructions "" && (EYOT_NETWORK=booked && export EYOT_NETWORK && sim_instructions _booked) || return 1
  command -v valgrind >/dev/null || return 0
  for pattern in $sim_patterns; do echo "reference 256_${pattern}_eyot_booked instructions 256_${pattern}_eyot"; done
}
