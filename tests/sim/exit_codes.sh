#!/bin/sh
# exit_codes.sh SOURCE_DIR BUILD_DIR - docs/exit-codes.md has the table of eyot-info --exit-codes, line by line, and
# each of its codes is produced by a case of its own.
set -u
source=$1 build=$2
bin=$build/bin programs=$build/tests/bin
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
bad=0

"$bin/eyot-info" --exit-codes >table || exit 1
while IFS= read -r line; do
  grep -qxF -- "$line" "$source/docs/exit-codes.md" || { echo "docs/exit-codes.md does not have: $line"; bad=1; }
done <table
[ "$(grep -c '^| [0-9]' "$source/docs/exit-codes.md")" -eq "$(grep -c '^| [0-9]' table)" ] || { echo "docs/exit-codes.md has codes that eyot-info does not list"; bad=1; }

# produce NAME CODE COMMAND...
produce() {
  name=$1 want=$2
  shift 2
  "$@" >out 2>&1 </dev/null
  got=$?
  [ $got -eq "$want" ] || { echo "$name: exit code $got, expected $want: $(head -c 600 out)"; bad=1; }
  echo "$name" >>produced
}
sim="$bin/eyotrun --fabric sim -n 2"
check="$bin/eyotcheck -n 2 --runs 20"
produce OK 0 $sim "$build/examples/hello"
produce OK 0 "$bin/eyot-info" --version
produce USAGE 2 $sim --no-such-option x
produce USAGE 2 "$bin/eyot-info" --no-such-option
produce USAGE 2 "$bin/eyotcc"
produce USAGE 2 env EYOT_N=many "$bin/eyot-info"
# What eyot_init would find wrong, in the environment too.
for value in EYOT_HEAP_SIZE=much EYOT_MSG_SLOTS=0 EYOT_CHECK=perhaps EYOT_ATOMICS=ownr EYOT_COLL=nonsense EYOT_HEAP_MAX=1T1; do
  produce USAGE 2 env $value $sim "$build/examples/hello"
  produce USAGE 2 env $value $check "$build/examples/hello"
done
produce USAGE 2 env EYOT_HEAP_SIZE=64M EYOT_HEAP_MAX=1M $sim "$build/examples/hello"
for most in 1 4096 24575; do
  produce USAGE 2 $sim --heap-max $most "$build/examples/hello"
  produce USAGE 2 env EYOT_HEAP_MAX=$most $check "$build/examples/hello"
done
produce OK 0 $sim --heap-max 128K "$build/examples/hello"
produce USAGE 2 $sim --coll nonsense "$build/examples/hello"
produce USAGE 2 $check --coll nonsense "$build/examples/hello"
produce DEADLOCK 3 $sim --seed 2 "$programs/seeds" deadlock 2
produce LIVELOCK 4 $sim --max-steps 10000 --seed 4 "$programs/seeds" poll 4
produce MISUSE 7 env EYOT_ERRORS=abort $sim "$programs/bad_words" range
produce MISUSE 7 env EYOT_ERRORS=return $sim "$programs/bad_words" range
produce TIME_LIMIT 124 $sim --seeds 1 --seed 4 --run-limit 1 "$programs/seeds" poll 4
produce NOT_RUNNABLE 126 $sim "$dir"
produce NOT_FOUND 127 $sim ./nowhere
# Sanitizers need an address space of their own.
if [ "${3:-}" != sanitized ]; then
  produce NO_MEMORY 122 sh -c 'ulimit -v 100000; exec "$@"' sh $sim "$build/examples/hello"
else
  echo NO_MEMORY >>produced
fi
produce SIGNAL 136 $sim --seed 5 "$programs/seeds" crash 5
if [ -e "$build/lib/eyot/eyot-fabric-mpi.so" ] && [ -e "$programs/run_end" ]; then
  mpi="$bin/eyotrun --fabric mpi -n 2"
  produce USAGE 2 $mpi --coll nonsense "$programs/run_end" raw_all
  produce USAGE 2 $mpi --heap-max 4096 "$programs/run_end" raw_all
  for value in EYOT_HEAP_SIZE=much EYOT_MSG_SLOTS=0 EYOT_SEED=none EYOT_ATOMICS=owner EYOT_PROGRESS=many; do
    produce USAGE 2 env $value $mpi "$build/examples/hello"
  done
  produce USAGE 2 $mpi --machine nowhere.machine "$programs/run_end" raw_all
  produce INCOMPLETE 120 $mpi "$programs/run_end" raw_all
  produce STOPPED 121 $mpi --heartbeat 0.2 "$programs/run_end" stop
else
  echo "INCOMPLETE STOPPED" | tr ' ' '\n' >>produced
fi
produce SIGNAL 130 timeout --preserve-status -s INT 1 $sim --seed 4 "$programs/seeds" poll 4
produce TIME_LIMIT 124 $sim --time-limit 0.2 --seed 4 "$programs/seeds" poll 4
# Sanitizers and runs that are taken back do not go together.
if [ "${3:-}" != sanitized ]; then
  produce FOUND 1 $check "$programs/check_cli" late
  produce USAGE 2 $check "$programs/check_cli" before
  produce INCONCLUSIVE 5 $check --seed 4 --max-run 200 "$programs/seeds" poll 4
  produce STALE 6 "$bin/eyotcheck" --replay eyotcheck.run "$build/examples/hello"
  produce NOT_RUNNABLE 126 $check "$dir"
  produce NOT_FOUND 127 $check ./nowhere
  produce SIGNAL 130 timeout --preserve-status -s INT 1 "$bin/eyotcheck" -n 2 --runs 0 "$programs/check_cli" plain
  # interrupted at any time, also while it starts
  for seconds in 0.03 0.06 0.09 0.12 0.15 0.2 0.25 0.3; do
    produce SIGNAL 130 timeout --preserve-status -s INT $seconds "$bin/eyotcheck" -n 2 --runs 0 "$programs/check_cli" plain
  done
else
  echo "FOUND INCONCLUSIVE STALE" | tr ' ' '\n' >>produced
fi
for name in $(sed -n 's/^| [0-9][^|]*| \([A-Z_]*\) .*/\1/p' table); do
  grep -qx "$name" produced || { echo "no case here produces the code $name of the table"; bad=1; }
done
[ $bad -eq 0 ] && echo "exit_codes: ok"
exit $bad
