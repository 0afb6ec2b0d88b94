#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fuzz.sh BUILD_DIR SECONDS sim|mpi [SEED] - runs tests/programs/call_fuzz.c (random calls, some of them wrong)
# and api_fuzz.c (random operations against a model) from one seed after the other for SECONDS, with several
# numbers of units, orders and nodes. SEED: the first ($CAMPAIGN_SEED, else the day's). CAMPAIGN_SECONDS replaces
# SECONDS. A run that fails prints how to repeat it.
set -u
build=$(cd "${1:?fuzz.sh BUILD_DIR SECONDS sim|mpi [SEED]}" && pwd) || exit 2
seconds=${CAMPAIGN_SECONDS:-${2:?SECONDS}} fabric=${3:?sim or mpi} seed=${4:-${CAMPAIGN_SEED:-$(date -u +%Y%m%d)}}
for number in "$seconds" "$seed"; do
  case $number in '' | *[!0-9]*) echo "fuzz.sh: '$number' is not a whole number" >&2; exit 2 ;; esac
done
case $fabric in
  sim) shapes="-n=1 -n=3:--order=chaos -n=5:--order=rdma:--units-per-node=2 -n=4:--order=strict:--heap-size=64K" ;;
  mpi) shapes="-n=2 -n=2:--node-size=1 -n=3:--node-size=2 -n=2:--progress=1:--node-size=1" ;;
  *) echo "fuzz.sh: there is no fabric '$fabric'; expected sim or mpi" >&2; exit 2 ;;
esac
export EYOT_LOG=silent EYOT_ERRORS=return
log=$(mktemp) || exit 2
trap 'rm -f "$log"' EXIT
end=$(($(date +%s) + seconds)) runs=0 calls=0
while [ "$(date +%s)" -lt $end ] || [ $runs -eq 0 ]; do
  for shape in $shapes; do
    options=$(echo "$shape" | sed 's/^-n=/-n /; s/:/ /g')
    for program in "call_fuzz $seed 2000" "api_fuzz $seed 5"; do
      # shellcheck disable=SC2086 # words of options are words
      timeout 120 "$build/bin/eyotrun" --fabric "$fabric" $options "$build/tests/bin/"$program >"$log" 2>&1 </dev/null
      code=$?
      if [ $code -ne 0 ] || ! grep -q '^ok$' "$log"; then
        tail -n 5 "$log"
        echo "fuzz: exit code $code; repeat: EYOT_LOG=error EYOT_ERRORS=return $build/bin/eyotrun --fabric $fabric $options $build/tests/bin/$program"
        exit 1
      fi
      runs=$((runs + 1))
    done
    units=${options#-n }
    calls=$((calls + 2000 * ${units%% *}))
  done
  seed=$((seed + 1))
done
echo "fuzz: ok, $fabric, $runs runs, $calls random calls"
