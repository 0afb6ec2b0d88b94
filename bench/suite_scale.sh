# SPDX-License-Identifier: BSD-3-Clause
# suite_scale.sh - the suite `scale` of run.sh: time and memory of simulated runs over the number of
# units, phase by phase (bench_scale.c). $BENCH_SCALE_MAX (65536) is the largest number; 1048576
# takes about 13 GiB and a quarter of an hour of a processor, without the split into blocks, which
# takes 13 KiB a unit more and is left out above 262144 units. A number for which memory is short is
# left out. private: each unit has its own copy of the program's globals.

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

suite_scale() {
  for units in 1024 4096 16384 65536 262144 1048576; do
    [ "$units" -le "${BENCH_SCALE_MAX:-65536}" ] || continue
    scale_run "$units" "$units" --shared-globals || return 1
  done
  for units in 1024 4096; do scale_run "${units}_private" "$units" || return 1; done
}
