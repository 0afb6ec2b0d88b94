#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# soak.sh SOURCE_DIR BUILD_DIR CTEST - `./dev soak` runs what `./dev campaigns` runs: the verbs, with commands that only write down how they
# are called, ask ctest for the same labels; and these are the labels of the tests that `./dev test` leaves out.
set -u
source=$1 build=$2 ctest=$3
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
fail() { echo "soak: $*"; bad=1; }
mkdir -p "$dir/bin" "$dir/tests/soak" "$dir/tests/support" "$dir/build" "$dir/build-edges" || exit 2
cp "$source/dev" "$dir/dev"
: >"$dir/tests/support/skips.sh"
: >"$dir/tests/support/failures.sh"
echo 'echo "schedules $* seed $CAMPAIGN_SEED" >>"$LOG"' >"$dir/tests/soak/soak.sh"
printf '#!/bin/sh\necho "ctest $* seed ${CAMPAIGN_SEED:-none} seconds ${CAMPAIGN_SECONDS:-none}" >>"$LOG"\n' >"$dir/bin/ctest"
printf '#!/bin/sh\necho install ok installed\n' >"$dir/bin/dpkg-query"
printf '#!/bin/sh\n:\n' >"$dir/bin/cmake"
cp "$dir/bin/cmake" "$dir/bin/update-alternatives"
chmod +x "$dir/bin/"*
# asks VERB ARGUMENTS...: what the commands have written down is in $asked.
asks() {
  : >"$dir/log"
  (cd "$dir" && env -u CI -u EYOT_BUILD_DIR LOG="$dir/log" PATH="$dir/bin:$PATH" bash ./dev "$@") >"$dir/out" 2>&1 || fail "./dev $* ends with code $?: $(cat "$dir/out")"
  asked=$(cat "$dir/log")
}
labels() { echo "$asked" | sed -n 's/^ctest .*-L \([^ ]*\) seed .*/\1/p'; }

asks campaigns
want=$(labels)
[ -n "$want" ] || fail "./dev campaigns asks for no label: $asked"
unset CAMPAIGN_SEED CAMPAIGN_SECONDS
asks soak 70
[ "$(labels)" = "$want" ] || fail "./dev soak asks ctest for '$(labels)', ./dev campaigns for '$want'"
echo "$asked" | grep -q "^schedules $dir/build-edges 70 seed $(date -u +%Y%m)[0-9][0-9]\$" || fail "./dev soak does not explore schedules: $asked"
echo "$asked" | grep -q " seed $(date -u +%Y%m)[0-9][0-9] seconds 7\$" || fail "./dev soak passes no seed or time: $asked"
CAMPAIGN_SEED=5 asks soak 70 kill weak
echo "$asked" | grep -q -- '-L ^(kill|weak)$ seed 5 seconds 7$' || fail "./dev soak 70 kill weak: $asked"

# Each of these labels has tests.
for label in $(echo "$want" | tr -d '^()$' | tr '|' ' '); do
  (cd "$build" && "$ctest" -N -L "^$label\$") >"$dir/tests.txt"
  ! grep -q '^Total Tests: 0$' "$dir/tests.txt" || fail "no test has the label $label"
done
exit $bad
