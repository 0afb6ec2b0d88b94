#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# limit.sh BUILD_DIR - simulated runs with less and less address space (`ulimit -v`): each computes right, or says that memory is short; none ends by a signal.
set -u
build=$(cd "$1" && pwd) || exit 2
bad=0 well=0 short=0 memory=0
for kib in 4000000 1200000 900000 700000 500000 400000 300000 250000 200000 160000 120000; do
  output=$(ulimit -v $kib && timeout -k 5 60 "$build/bin/eyotrun" --fabric sim -n 4 --heap-size 64M "$build/tests/bin/start_faults" 2>&1)
  code=$?
  case $code in
    0) well=$((well + 1)); printf '%s\n' "$output" | grep -q '^ok$' || { echo "ulimit -v $kib: code 0 without the result: $output"; bad=1; } ;;
    122)
      memory=$((memory + 1))
      for says in '^eyot: out of memory: ' "limited to $kib KiB: raise ulimit -v"; do
        printf '%s\n' "$output" | grep -q -- "$says" || { echo "ulimit -v $kib: expected '$says', got: $output"; bad=1; }
      done ;;
    2) short=$((short + 1)); printf '%s\n' "$output" | grep -q 'ulimit -v' || { echo "ulimit -v $kib: code 2 for another reason: $output"; bad=1; } ;;
    *) echo "ulimit -v $kib: code $code: $output"; bad=1 ;;
  esac
done
echo "limit.sh: $well runs well, $short refused before they began, $memory out of memory"
[ $well -gt 0 ] && [ $memory -gt 0 ] && [ $bad -eq 0 ]
