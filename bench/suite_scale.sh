# SPDX-License-Identifier: BSD-3-Clause
# suite_scale.sh - the suite `scale` of run.sh: time and memory of simulated runs over the number of
# units, phase by phase (bench_scale.c). $BENCH_SCALE_MAX (65536) is the largest number; 1048576
# takes about 13 GiB and a quarter of an hour of a processor, without the split into blocks, which
# takes 13 KiB a unit more and is left out above 262144 units. A number for which memory is short is
# left out. private: each unit has its own copy of the program's globals. heat3d: 65536 tiny units
# and fewer, a program of its own, whose memory is its peak. 4_of_...: that the size of the machine
# costs a small run nothing. And what a put costs of so many that are outstanding, in strict order.

# scale_kib UNITS: the memory of a unit in KiB, and scale_fits: whether it is free for so many, with a
# tenth to spare.
scale_kib() {
  if [ "$1" -gt 262144 ]; then echo 13; else echo 30; fi
}
scale_fits() {
  awk -v units="$1" -v kib="$(scale_kib "$1")" \
    '$1 == "MemAvailable:" { exit !($2 * 0.9 > units * kib + 131072) }' /proc/meminfo
}

scale_run() { # CASE UNITS OPTIONS...
  name=$1 units=$2
  shift 2
  if ! scale_fits "$units"; then
    say "left out: $units units need about $((units * $(scale_kib "$units") / 1048576 + 1)) GiB, which are not free"
    return 0
  fi
  phases=
  [ "$units" -le 262144 ] || phases="alloc barrier ring lock allreduce"
  # shellcheck disable=SC2086
  out=$(measured "$build/bin/eyotrun" --fabric sim --platform xc40 "$@" -n "$units" "$bin/bench_scale" $phases) || return 1
  echo "$out" | awk -v name="$name" '$1 == "phase" {
    print "value", name, $2 "_virtual", "us", $4
    print "value", name, $2 "_wall", "s", $6
    print "value", name, $2 "_processor", "s", $8
    print "value", name, $2 "_memory", "MB", $10 / 1024 }'
}

scale_heat() { # UNITS
  [ "$1" -le 65536 ] && scale_fits "$1" || return 0
  out=$(measured "$build/bin/eyotrun" --fabric sim --platform xc40 --shared-globals -n "$1" "$build/examples/heat3d" --block 2 --steps 5 --no-verify) || return 1
  echo "$out" | awk -v name="$1" '
    /virtual time/ { for (i = 1; i < NF; i++) if ($i == "time") print "value", name, "heat3d_virtual", "us", $(i + 1) * ($(i + 2) ~ /^ms/ ? 1000 : 1) }
    $1 == "wall_s" {
      print "value", name, "heat3d_wall", "s", $2
      print "value", name, "heat3d_processor", "s", $4
      print "value", name, "heat3d_memory", "MB", $6 / 1024 }'
}

scale_small() { # CASE PLATFORM
  out=$(measured "$build/bin/eyotrun" --fabric sim --platform "$2" -n 4 "$bin/bench_scale" start) || return 1
  echo "$out" | awk -v name="$1" '
    $1 == "phase" { print "value", name, "start_virtual", "us", $4; print "value", name, "start_memory", "MB", $10 / 1024 }
    $1 == "wall_s" { print "value", name, "start_wall", "s", $2; print "value", name, "start_processor", "s", $4 }'
}

# scale_strict PATTERN: what a put costs of so many outstanding ones; several rounds, because memory
# that is touched for the first time costs more than the put.
scale_strict() {
  for k in 1024 4096 16384 65536; do
    out=$(measured "$build/bin/eyotrun" --fabric sim --platform xc40 --order strict --clock real --shared-globals --units-per-node 1 --max-outstanding 1000000 -n 5 "$bin/bench_traffic" "$1" $k $((k < 16384 ? 65536 / k : 4))) || return 1
    echo "strict $1 $k $(echo "$out" | word cpu_seconds) $(echo "$out" | word ops)"
  done
}

suite_scale() {
  for units in 1024 4096 16384 65536 262144 1048576; do
    [ "$units" -le "${BENCH_SCALE_MAX:-65536}" ] || continue
    scale_run "$units" "$units" --shared-globals || return 1
    scale_heat "$units" || return 1
  done
  for units in 1024 4096; do scale_run "${units}_private" "$units" || return 1; done
  scale_small 4_of_a_full_machine xc40 && scale_small 4_of_a_group xc40:groups=1 || return 1
  for pattern in next random; do scale_strict $pattern || return 1; done
}
