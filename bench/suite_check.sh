# SPDX-License-Identifier: BSD-3-Clause
# suite_check.sh - the suite `check` of run.sh: the speed of exploring schedules, and the cost of
# the race detector.

. "$here/../tests/support/result.sh"

# check_rate CASE UNITS STRATEGY OPTIONS...: prints the runs per second that eyotcheck reports.
check_rate() {
  name=$1 units=$2 strategy=$3
  shift 3
  rm -f "$bin/check.result"
  "$build/bin/eyotcheck" -n "$units" --strategy "$strategy" --save "$bin/check.run" --result "$bin/check.result" "$@" "$bin/bench_check" >/dev/null 2>"$bin/stderr" || { say "failed: $name"; cat "$bin/stderr" >&2; return 1; }
  runs=$(result_of "$bin/check.result" runs) && seconds=$(result_of "$bin/check.result" seconds) || return 1
  awk -v name="$name" -v runs="$runs" -v seconds="$seconds" 'BEGIN {
    if (seconds > 0) print "value", name, "runs_wall", "runs/s", runs / seconds
    print "value", name, "explored", "runs", runs
    print "value", name, "search_wall", "s", seconds }'
}

# cpu_of COMMAND...: prints its processor time in s, with loading and start.
cpu_of() { measured "$@" | word cpu_s; }

suite_check() {
  i=0
  while [ $i -lt "$rounds" ]; do
    for strategy in random pct guided; do check_rate "mcs_4_$strategy" 4 $strategy --runs 100000 || return 1; done
    check_rate mcs_64_random 64 random --runs 2000 || return 1
    check_rate mcs_4_random_no_races 4 random --runs 100000 --detect=-race || return 1
    check_rate mcs_3_exhaustive 3 exhaustive || return 1
    check_rate mcs_2_exhaustive_reduced 2 exhaustive || return 1
    check_rate mcs_2_exhaustive_plain 2 exhaustive --no-reduction || return 1
    for races in off on; do
      echo "value barriers_4096_races_$races cpu_wall s $(cpu_of "$build/bin/eyotrun" --fabric sim --platform xc40 --shared-globals -n 4096 --races=$races "$bin/bench_barrier" 20)"
      echo "value heat3d_4096_races_$races cpu_wall s $(cpu_of "$build/bin/eyotrun" --fabric sim --platform xc40 -n 4096 --races=$races "$build/examples/heat3d" --steps 10)"
      echo "value ring_4096_races_$races cpu_wall s $(cpu_of "$build/bin/eyotrun" --fabric sim --platform xc40 -n 4096 --races=$races "$build/examples/ring")"
      echo "value hashtable_4096_races_$races cpu_wall s $(cpu_of "$build/bin/eyotrun" --fabric sim --platform xc40 -n 4096 --races=$races "$build/examples/hashtable")"
    done
    i=$((i + 1))
  done
  echo "reference mcs_4_random_no_races runs_wall mcs_4_random"
  echo "reference mcs_2_exhaustive_plain explored mcs_2_exhaustive_reduced"
  for what in barriers_4096 heat3d_4096 ring_4096 hashtable_4096; do echo "reference ${what}_races_on cpu_wall ${what}_races_off"; done
}
