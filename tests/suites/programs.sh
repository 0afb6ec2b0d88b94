#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# programs.sh DIR - lists the programs of the public OpenSHMEM suites below DIR, one a line, and names the suites that are absent on stderr.
#
# DIR has a folder for each public repository, by its name (docs/openshmem-suites.md). A line has tab-separated fields, "-" for an empty one:
# suite, program, folder, compiler (cc, c++), sources, flags, arguments, environment, judge. The files and the folders in flags are relative to the
# folder. The judge says how a run passes: "code", exit code 0; "exit:N", that exit code; "text:REGEX", code 0 and no such line; "race" or "norace", the detectors report one or not.
# Programs NAME:PART run the executable NAME.
set -u
cd "${1:?programs.sh DIR}" || exit 2

# program SUITE NAME FOLDER COMPILER SOURCES [FLAGS] [ARGUMENTS] [ENVIRONMENT] [JUDGE]
program() {
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$4" "$5" "${6:--}" "${7:--}" "${8:--}" "${9:-code}"
}

# present FOLDER SUITE: is the suite there?
present() {
  [ -d "$1" ] && return 0
  echo "suites: $2 is absent: no folder $1" >&2
  return 1
}

# each SUITE FOLDER SUBFOLDER [FLAGS] [ARGUMENTS] [JUDGE] [MORE SOURCES]: every C and C++ file there is a program.
each() {
  for file in "$2/$3"/*.c "$2/$3"/*.cpp; do
    [ -f "$file" ] || continue
    name=${file##*/}
    case $name in *.cpp) compiler=c++ ;; *) compiler=cc ;; esac
    program "$1" "${name%.c*}" "$2" $compiler "$3/$name${7:+ $7}" "${4:--}" "${5:--}" - "${6:-code}"
  done
}

# Sandia's tests. Some files are parts of programs, and some are built twice.
sandia() {
  flags="-Itest/include -DENABLE_DEPRECATED_TESTS -pthread"
  # Some copy gigabytes unless told otherwise.
  each sos-unit tests-sos test/unit "$flags" | awk -F'\t' '
    BEGIN { OFS = FS }
    $2 == "mt_lock" || $2 == "mt_lock_test" { next }
    $2 ~ /^big(get|put)$/ { $7 = "-e 65536 -l 20" }
    $2 ~ /^(shmalloc|shmem_calloc)$/ { $7 = "32 5" }
    { print }'
  program sos-unit mt_lock_test tests-sos cc "test/unit/mt_lock_test.c test/unit/mt_lock.c" "$flags"
  program sos-unit rma_coverage_pshmem tests-sos cc test/unit/rma_coverage.c "$flags -DTEST_PSHMEM"
  program sos-unit query_thread_funneled tests-sos cc test/unit/query_thread.c "$flags -DENABLE_THREADS"
  each sos-example tests-sos test/spec-example "$flags -fopenmp"
  each sos-apps tests-sos test/apps "$flags -lm" | awk -F'\t' 'BEGIN { OFS = FS } $2 == "mandelbrot" { $7 = "-t 2" } { print }'
  each sos-shmemx tests-sos test/shmemx "$flags -DENABLE_SHMEMX_TESTS"
  each sos-performance tests-sos test/performance/tests "$flags"
  for file in tests-sos/test/performance/shmem_perf_suite/*.c; do
    [ -f "$file" ] || continue
    name=${file##*/}
    args="-n 22 -e 4096 -v"
    flags="-Itest/performance/shmem_perf_suite -fopenmp -DENABLE_THREADS"
    program sos-performance "${name%.c}" tests-sos cc "${file#*/}" "$flags" "$args"
    case $name in *_ctx_* | *_put_* | *_get_*) program sos-performance "${name%.c}_nb" tests-sos cc "${file#*/}" "$flags -DUSE_NONBLOCKING_API" "$args" ;; esac
  done
}

shmemvv() {
  for file in shmemvv/src/unit/c/*/*.c shmemvv/src/unit/c11/*/*.c; do
    [ -f "$file" ] || continue
    name=${file##*/}
    suite=${file#shmemvv/src/unit/}
    program "shmemvv-${suite%%/*}" "${name%.c}" shmemvv cc "${file#*/} src/shmemvv.c src/log.c" "-Isrc/include" - - "text:FAILED"
  done
}

cray() {
  each cray tests-cray sma1 "-DNEEDS_FINALIZE -DHAVE_LONG_LONG -DHAVE_SET_CACHE_INV -DALLPES" - "text:FAIL" |
    awk -F'\t' 'BEGIN { OFS = FS } $2 == "shmem_global_exit" { $7 = 0 } { print }'
  each cray tests-cray sma2 "-DNEEDS_FINALIZE -DHAVE_SHORT -DHAVE_LONG_DOUBLE" - "text:FAIL"
}

# Mellanox' verifier: one executable, of which each group of tests is a program. Its group mix calls MPI, and is left out.
verifier() {
  sources=$(cd tests-mellanox/verifier && ls osh_*.c cmn/*.c atomic/*.c basic/osh_basic*.c coll/*.c data/*.c lock/*.c reduce/*.c strided/*.c sync/osh_sync*.c nbi/*.c misc/*.c analysis/*.c | tr '\n' ' ')
  flags='-I"$SUITES_INCLUDE" -I. -Icmn -lm'
  for group in basic data lock atomic coll reduce sync stride nbi misc; do
    program verifier "oshmem_test:$group" tests-mellanox/verifier cc "$sources" "$flags" "exec --task=$group" SHMEM_SYMMETRIC_SIZE=2G "text:FAILED"
  done
}

# Houston's tests print what failed, and return 0.
houston() {
  each houston tests-uh feature_tests/C - - "text:Failed" | awk -F'\t' 'BEGIN { OFS = FS } $2 == "test_shmem_global_exit" { $9 = "exit:99" } { print }'
  each houston-perf tests-uh performance_tests/micro_benchmarks -lm
}

# The Parallel Research Kernels, small.
kernels() {
  flags="-Iinclude -Icommon -DSHMEM -DDOUBLE=1 -DSTAR=1 -DRADIUS=2 -DLOOPGEN=0 -DSPLITFENCE=0 -DRESTRICT_KEYWORD=0 -DVERBOSE=0 -DSYNCHRONOUS=0 -DBARRIER_SYNCH=0 -lm"
  common="common/wtime.c common/SHMEM_bail_out.c"
  program kernels stencil Kernels cc "SHMEM/Stencil/stencil.c $common" "$flags" "4 128" - "text:ERROR"
  program kernels p2p Kernels cc "SHMEM/Synch_p2p/p2p.c $common" "$flags" "4 256 64" - "text:ERROR"
  program kernels transpose Kernels cc "SHMEM/Transpose/transpose.c $common" "$flags" "4 128" - "text:ERROR"
  program kernels transpose_a2a Kernels cc "SHMEM/Transpose/transpose_a2a.c $common" "$flags" "4 128" - "text:ERROR"
}

isx() {
  sources="SHMEM/isx.c SHMEM/pcg_basic.c SHMEM/timer.c"
  for option in 1:strong:8192 2:weak:1024 3:weakiso:1024; do
    rest=${option#*:}
    program isx "isx.${rest%:*}" ISx cc "$sources" "-std=gnu99 -DNDEBUG -DSCALING_OPTION=${option%%:*} -lm" "${rest#*:} 2 isx.log" SHMEM_SYMMETRIC_SIZE=4G "text:FAILED"
  done
}

# The race benchmark tells by its files' names which programs have a race.
racebench() {
  for group in conflict sync atomic misc hybrid; do
    each racebench-$group RMARaceBench SHMEM/$group "-g -O1 -fopenmp" | awk -F'\t' 'BEGIN { OFS = FS } { $9 = $2 ~ /-yes$/ ? "race" : "norace"; print }'
  done
}

# A folder "own" holds programs of the user, in the same form: each file is one.
own() {
  each own own .
}

present tests-sos "Sandia's tests" && sandia
present shmemvv shmemvv && shmemvv
present tests-cray "Cray's tests" && cray
present tests-mellanox "Mellanox' verifier" && verifier
present tests-uh "Houston's tests" && houston
present Kernels "PRK" && kernels
present ISx ISx && isx
present RMARaceBench RMARaceBench && racebench
[ ! -d own ] || own
exit 0
