# SPDX-License-Identifier: BSD-3-Clause
# suite_cachemisses.sh - the suite `cachemisses` of run.sh: what messages do to the program's cache,
# beside MPI's own; counts of callgrind, which simulates caches of 32 KiB and 256 KiB (those that a
# core of a Sandy Bridge has for itself; source: A. Friedley, 2013, section 3.3).
#   MICRO CASE_DATA_MESSAGE   of the lines of a buffer, those that miss when it is read again after a
#                             ping-pong, in bench_cachemisses
#   APP                       of whole runs of minimd and lulesh_halo, start and end included
# Each process is simulated by itself: lines that other processors take away, and what the system
# copies for MPI, are not counted. Printed by table.awk.

# cache_run UNITS PROGRAM ARGUMENTS... ; CACHE_OPTIONS: more for callgrind. Leaves $bin/callgrind.cache.*
cache_run() {
  units=$1
  shift
  rm -f "$bin"/callgrind.cache.*
  # Options are words.
  "$build/bin/eyotrun" --fabric mpi -n "$units" --data off valgrind --tool=callgrind --cache-sim=yes --D1=32768,8,64 --LL=262144,8,64 ${CACHE_OPTIONS:-} \
    --callgrind-out-file="$bin/callgrind.cache.%p" "$@" >"$bin/stderr" 2>&1 || { say "callgrind did not run: $*"; tail -n 5 "$bin/stderr" >&2; return 1; }
}

cache_micro() { # WAY
  CACHE_OPTIONS=--collect-atstart=no cache_run 2 "$bin/bench_cachemisses" "$1" || return 1
  awk -v way="$1" '/^desc: Trigger: Client Request: / { name = $5 "_" $6 "B_" $7 "B"; lines[name] += $6 / 64 * $8 }
    /^summary:/ && name != "" { miss[name] += $6; name = "" }
    END { for (k in miss) printf "value %s_%s misses_of_lines ratio %.3f\n", k, way, miss[k] / lines[k] }' "$bin"/callgrind.cache.* | sort -V
}

cache_app() { # APP UNITS WAY
  [ -x "$bin/bench_$1" ] || { say "not counted: $1, which is not built"; return 0; }
  cache_run "$2" "$bin/bench_$1" --variant "$3" --steps 10 || return 1
  awk -v name="$1_$2_$3" '/^(summary|totals):/ && $2 > 0 { near += $6 + $7; far += $9 + $10 }
    END { print "value", name, "misses_32KiB count", near; print "value", name, "misses_256KiB count", far }' "$bin"/callgrind.cache.*
}

suite_cachemisses() {
  command -v valgrind >/dev/null && [ -x "$bin/bench_cachemisses" ] || { say "valgrind was not installed when eyot was built: misses are not counted"; return 0; }
  for way in mpi eyot; do cache_micro $way || return 1; done
  for way in mpi msg own; do cache_app minimd 2 $way || return 1; done
  for way in mpi msg; do cache_app lulesh_halo 8 $way || return 1; done
  for place in separate common; do
    for order in sequential random; do
      for data in 512 2048 8192 16384 32768; do
        for message in 512 2048 8192; do
          name=${place}_${order}_${data}B_${message}B
          [ $place$((message > data)) = common1 ] || echo "reference ${name}_eyot misses_of_lines ${name}_mpi"
        done
      done
    done
  done
  for metric in misses_32KiB misses_256KiB; do
    for way in msg own; do echo "reference minimd_2_$way $metric minimd_2_mpi"; done
    echo "reference lulesh_halo_8_msg $metric lulesh_halo_8_mpi"
  done
}
