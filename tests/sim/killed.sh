#!/bin/sh
# killed.sh EYOTRUN PROGRAM - a simulated run that is killed while it loads the copies of its program leaves no file: neither in /dev/shm nor in TMPDIR.
set -u
eyotrun=$1 program=$2 units=800
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
# Names as mkdtemp and mkostemp make them, not those of jobs over MPI.
left() { find /dev/shm "$dir" -maxdepth 1 -name 'eyot-??????' 2>/dev/null | sort; }
before=$(left)
inside=0 i=0
while [ $i -lt 8 ]; do
  i=$((i + 1))
  TMPDIR=$dir "$eyotrun" --fabric sim -n $units "$program" >/dev/null 2>&1 &
  run=$! copies=0
  # copies are mapped, and have no name any more
  while [ "$copies" -eq 0 ] && kill -s 0 "$run" 2>/dev/null; do
    copies=$(grep -c 'r-xp .*(deleted)' "/proc/$run/maps" 2>/dev/null)
    copies=${copies:-0}
  done
  kill -s KILL "$run" 2>/dev/null
  wait "$run" 2>/dev/null
  [ "$copies" -gt 0 ] && [ "$copies" -lt $units ] && inside=$((inside + 1))
done
after=$(left)
[ "$before" = "$after" ] || { sleep 2 && after=$(left); } # a run of an older eyot may have been loading
[ $inside -gt 0 ] || { echo "killed: no kill hit a run that was loading copies" && exit 1; }
[ "$before" = "$after" ] || { echo "killed: left behind after $inside kills:" && echo "$after" && exit 1; }
echo "killed: passed, $inside runs killed while they loaded copies"
