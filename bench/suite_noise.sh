# SPDX-License-Identifier: BSD-3-Clause
# suite_noise.sh - the suite `noise` of run.sh: what a detour of 25 us each 100 ms of a unit adds to
# steps of 1 ms of work that end in a barrier or an allreduce, in virtual time, over the number of
# units; rounds are seeds. expected: 25 us times the probability that the work of one of p units is
# struck, 1 - 0.99^p. amplification: what is added, in units of the 250 ns that a unit alone loses
# in a step. $BENCH_UNITS (4096) is the largest number of units; 16384 takes minutes.
# PROFILE_UNITS: the same of a step with a barrier under each named noise of eyot-info --noise;
# amplification: in units of what the same noise adds to a step of a unit alone.

noise_step() { # CALL UNITS STEPS SEED [OPTIONS OF eyotrun]: the mean step in ns
  call=$1 units=$2 steps=$3 seed=$4
  shift 4
  out=$(measured "$build/bin/eyotrun" --fabric sim -n "$units" --order strict --shared-globals --seed "$seed" "$@" "$bin/bench_noise" "$call" 1000000 "$steps") || return 1
  echo "$out" | word step
}

noise_profiles() { "$build/bin/eyot-info" --noise | sed -n 's/^\([a-z]*\): .*/\1/p'; }

# noise_profile NAME: of a unit alone, then of more and more.
noise_profile() {
  quiet=$(noise_step barrier 1 10000 1) && alone=$(noise_step barrier 1 10000 1 --fault "noise:profile=$1") || return 1
  echo "value ${1}_1 added_virtual ns $(echo "$quiet $alone" | awk '{ print $2 - $1 }')"
  for case in 128:400 1024:100 4096:40 16384:40; do
    units=${case%:*} steps=${case#*:} seed=1
    [ "$units" -le "${BENCH_UNITS:-4096}" ] || continue
    still=$(noise_step barrier "$units" "$steps" 1) || return 1
    while [ $seed -le "$rounds" ]; do
      step=$(noise_step barrier "$units" "$steps" $seed --fault "noise:profile=$1") || return 1
      echo "$1 $units $quiet $alone $still $step" | awk '{ print "value", $1 "_" $2, "added_virtual", "ns", $6 - $5
        print "value", $1 "_" $2, "amplification_virtual", "times", ($6 - $5) / ($4 - $3) }'
      seed=$((seed + 1))
    done
  done
}

suite_noise() {
  for case in 2:4000 16:1000 128:400 1024:100 4096:40 16384:40; do
    units=${case%:*} steps=${case#*:}
    [ "$units" -le "${BENCH_UNITS:-4096}" ] || continue
    for call in barrier allreduce; do
      quiet=$(noise_step $call "$units" "$steps" 1) || return 1
      echo "value ${call}_$units step_virtual ns $quiet"
      seed=1
      while [ $seed -le "$rounds" ]; do
        step=$(noise_step $call "$units" "$steps" $seed --fault noise:unit=all,every=100ms,takes=25us,gaps=equal) || return 1
        echo "$call $units $quiet $step" | awk '{ print "value", $1 "_" $2, "added_virtual", "ns", $4 - $3
          print "value", $1 "_" $2, "amplification_virtual", "times", ($4 - $3) / 250 }'
        seed=$((seed + 1))
      done
      echo "$units" | awk -v call=$call '{ print "value", call "_" $1, "expected", "ns", 25000 * (1 - 0.99 ^ $1) }'
    done
  done
  for profile in $(noise_profiles); do noise_profile "$profile" || return 1; done
}
