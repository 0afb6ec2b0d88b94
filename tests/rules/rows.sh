#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# rows.sh SOURCE_DIR BUILD_DIR CTEST - `./dev test` runs each of its tests on the plain build once, in one of its two rows, fails when a part of
# it fails, and leaves nothing behind when it is ended. The verb runs with commands that only write down how they are called.
set -u
source=$1 build=$2 ctest=$3
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
bad=0
fail() { echo "rows: $*"; bad=1; }
mkdir -p "$dir/bin" "$dir/tests/support" "$dir/tools" "$dir/build" "$dir/build-coverage" "$dir/calls" || exit 2
cp "$source/dev" "$dir/dev"
echo 'echo "skips $*" >>"$LOG"; [ "${FAILS:-}" != skips ]' >"$dir/tests/support/skips.sh"
: >"$dir/tests/support/failures.sh"
echo 'echo "summary $*" >>"$LOG"; [ "${FAILS:-}" != summary ]' >"$dir/tools/coverage_report.sh"
# Writes a file for each call: the folder of the tests, and a line for each argument. $FAILS and $WAITS: the first line and a label of a call that
# fails, or takes a minute.
cat >"$dir/bin/ctest" <<'END'
#!/bin/sh
case " $* " in *" -N "*) echo "Total Tests: 1"; exit 0 ;; esac
call="$(cat CTestTestfile.cmake) $*"
{ cat CTestTestfile.cmake; printf '%s\n' "$@"; } >"$CALLS/$$"
case $call in ${WAITS:-none}) echo $$ >"$CALLS/waiting"; exec sleep 60 ;; esac
case $call in ${FAILS:-none}) exit 1 ;; esac
exit 0
END
printf '#!/bin/sh\necho install ok installed\n' >"$dir/bin/dpkg-query"
printf '#!/bin/sh\n:\n' >"$dir/bin/cmake"
cp "$dir/bin/cmake" "$dir/bin/lcov"
cp "$dir/bin/cmake" "$dir/bin/update-alternatives"
chmod +x "$dir/bin/"*

# start: ./dev test instead of this shell; $dir/log and $dir/calls have what it called.
start() {
  rm -f "$dir/log" "$dir/calls/"*
  cd "$dir" && exec env -u CI -u EYOT_BUILD_DIR -u DEV_TEST_TWICE LOG="$dir/log" CALLS="$dir/calls" PATH="$dir/bin:$PATH" bash ./dev test >"$dir/out" 2>&1
}
run_verb() { (start); }
run_verb || fail "./dev test ends with code $?: $(cat "$dir/out")"
[ "$(ls "$dir/calls" | wc -l)" -eq 4 ] || fail "expected 4 runs of ctest: $(cat "$dir/out")"
grep -q '^summary .* 90 ' "$dir/log" || fail "no minimum of coverage: $(cat "$dir/log")"
[ "$(sed -n 's/^skips //p' "$dir/log" | tr ' ' '\n' | grep 'results-' | sort)" = "$(cat "$dir/calls/"* | grep 'results-' | sort)" ] ||
  fail "the results that skips.sh reads are not those of the runs: $(cat "$dir/log")"

# The two selections of the plain build. (All that ./dev test leaves out has a label of the list that follows -LE.)
names() { (cd "$build" && "$ctest" -N "$@") | sed -n 's/^ *Test *#[0-9]*: //p' | sort; }
rows=0 left_out=
for call in $(grep -lxF "subdirs(\"$dir/build\")" "$dir/calls/"*); do
  rows=$((rows + 1))
  set --
  while IFS= read -r argument; do set -- "$@" "$argument"; done <"$call"
  while [ "$1" != --output-junit ]; do shift; done
  shift 2
  names "$@" >"$dir/row$rows"
  [ -s "$dir/row$rows" ] || fail "no test is in the row of $*"
  case $1 in -L) left_out=$4 ;; esac
done
[ $rows -eq 2 ] && [ -n "$left_out" ] || { fail "expected 2 rows of the plain build, one with -L LABEL -LE LABELS"; exit 1; }
sort "$dir/row1" "$dir/row2" >"$dir/both"
names -LE "$left_out" | diff "$dir/both" - >"$dir/difference" || fail "tests that run twice (left) or not at all (right): $(cat "$dir/difference")"
# Tests over MPI that share a file with others are in their row.
grep -qx 'cluster\.install' "$dir/row1" && row=1 || row=2
grep -qx 'rules\.elf' "$dir/row$row" || fail "cluster.install and rules.elf, which write one file, are in different rows"

for FAILS in '*-L ^cover$*' '*-L ^waits$*' '*-L unit*' '*xml -LE *' summary skips; do
  export FAILS
  run_verb && fail "./dev test ends with code 0 although '$FAILS' has failed: $(cat "$dir/out")"
done
unset FAILS

# Ended from outside while a test over MPI runs.
WAITS='*-L ^waits$*' && export WAITS
start &
verb=$!
tries=0
while [ ! -s "$dir/calls/waiting" ] && [ $tries -lt 300 ]; do sleep 0.1; tries=$((tries + 1)); done
kill -TERM $verb 2>/dev/null
wait $verb && fail "./dev test was ended, and its code is 0"
waiting=$(cat "$dir/calls/waiting") || fail "no test over MPI has run beside the others"
tries=0
while kill -0 "${waiting:-0}" 2>/dev/null && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
[ $tries -lt 100 ] || { fail "a row of tests goes on when ./dev test has ended"; kill "$waiting" 2>/dev/null; }
[ $bad -eq 0 ] && echo "rows: ok, $(wc -l <"$dir/row1") and $(wc -l <"$dir/row2") tests"
exit $bad
