#!/bin/sh
# check_instrument.sh BIN_DIR COMPILER - what eyotcheck sees of a program (check_instrument.c) with and without eyotcc --instrument. Without the compiler: skipped.
set -u
bin=$1 EYOT_CC=$2
export EYOT_CC
here=$(cd "$(dirname "$0")" && pwd)
source=$here/../programs/check_instrument.c
. "$here/../support/result.sh"
command -v "$EYOT_CC" >/dev/null || { echo "skipped: $EYOT_CC is not installed"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
bad=0
wrong() {
  echo "check_instrument: $*"
  bad=1
}

"$bin/eyotcc" -g -O1 "$source" -o none || exit 1
for what in accesses steps edges steps,edges; do
  "$bin/eyotcc" -g -O1 "--instrument=$what" "$source" -o "$what" || exit 1
  if ldd "$what" | grep -Eq 'lib[a-z]*san'; then wrong "$what: a sanitizer's library is linked"; fi
done
# The headers are free of warnings where their inline functions have fences.
"$bin/eyotcc" -O2 -Wall -Werror --instrument=steps -c "$source" -o quiet.o || wrong "warnings of the headers"
# In two steps; and what there is not.
"$bin/eyotcc" -g -O1 --instrument=steps -c "$source" -o apart.o && "$bin/eyotcc" --instrument=steps apart.o -o apart || exit 1
if "$bin/eyotcc" --instrument=stores "$source" -o no 2>said || ! grep -q 'accesses, steps and edges' said; then wrong "--instrument=stores: $(cat said)"; fi

# outcomes PROGRAM MODE WANTED...: all that exhaustive search comes to.
outcomes() {
  program=$1 mode=$2
  shift 2
  "$bin/eyotcheck" -n 2 --detect deadlock --strategy exhaustive "./$program" "$mode" >said 2>&1 || wrong "$program $mode: $(cat said)"
  grep -q 'all .* explored' said || wrong "$program $mode: not all was explored: $(cat said)"
  got=$(sed -n 's/^ *[0-9][0-9]*  \([a-z]*=.*\)$/\1/p' said | sort | tr '\n' ';')
  want=$(printf '%s\n' "$@" | sort | tr '\n' ';')
  [ "$got" = "$want" ] || wrong "$program $mode: came to $got instead of $want"
}
for mode in loads bytes; do
  outcomes none $mode "x=0 y=0"
  outcomes accesses $mode "x=0 y=0" "x=1 y=0" "x=1 y=1"
  outcomes steps $mode "x=0 y=0" "x=0 y=1" "x=1 y=0" "x=1 y=1"
done
outcomes apart loads "x=0 y=0" "x=0 y=1" "x=1 y=0" "x=1 y=1"
outcomes none lost "sum=2"
outcomes steps lost "sum=1" "sum=2"
outcomes none atomics "x=0 y=0 old=0"
outcomes steps atomics "x=0 y=0 old=0" "x=0 y=0 old=1" "x=0 y=1 old=1" "x=1 y=0 old=1" "x=1 y=1 old=1"

# A race of a plain load, without time and with.
"$bin/eyotcheck" -n 2 --detect race --runs 50 ./none race >said 2>&1 || wrong "race, not instrumented: $(cat said)"
"$bin/eyotcheck" -n 2 --detect race --runs 50 ./accesses race >said 2>&1 && wrong "race: not found"
grep -q 'in a load (check_instrument.c:[0-9]* (race))' said || wrong "race: not named: $(cat said)"
"$bin/eyotrun" --fabric sim -n 2 --races ./none race >said 2>&1 || wrong "eyotrun --races, not instrumented: $(cat said)"
"$bin/eyotrun" --fabric sim -n 2 --races ./accesses race >said 2>&1 && wrong "eyotrun --races: not found"
grep -q 'in a load (check_instrument.c:[0-9]* (race))' said || wrong "eyotrun --races: not named: $(cat said)"

# runs STRATEGY SEED: how many until the branch was reached.
runs() {
  rm -f result
  "$bin/eyotcheck" -n 2 --detect deadlock --no-shrink --seed "$2" --strategy "$1" --runs 20000 --result result ./edges branch >said 2>&1 && wrong "$1 from seed $2 did not reach the branch"
  result_of result runs
}
guided=0 walk=0
for seed in 1 2 3; do
  guided=$((guided + $(runs guided $seed)))
  walk=$((walk + $(runs random $seed)))
done
[ $guided -gt 0 ] && [ $((2 * guided)) -lt $walk ] || wrong "the branch: $guided runs by edges, $walk at random"
runs guided 1 >/dev/null
grep -q '^guided: [1-9][0-9]* edges; the last new one came in run [0-9]*, none in the [0-9]* since' said || wrong "guided tells no edges: $(cat said)"
grep -q '^guided: 0 protocol states$' said || wrong "guided tells of states that there are not: $(cat said)"

# All run as they did.
for program in none accesses steps edges steps,edges; do
  for mode in loads bytes lost atomics race branch; do
    "$bin/eyotrun" --fabric sim -n 2 "./$program" $mode tell >said 2>&1 && [ "$(grep -c 'check_instrument: ok' said)" -eq 2 ] || wrong "$program $mode: $(cat said)"
  done
done
echo "check_instrument: $EYOT_CC: $guided runs by edges, $walk at random"
exit $bad
