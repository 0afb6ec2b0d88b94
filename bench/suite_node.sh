# SPDX-License-Identifier: BSD-3-Clause
# suite_node.sh - the suite `node` of run.sh: the cost of eyot within a node, compared with the
# floor (the same by hand on an MPI shared window) and with MPI, interleaved in one job, and with
# OpenSHMEM in a job of its own after each. With 4 and 8 units, for machines with fewer processors:
# barriers, compared with those of processes of one session that do nothing else (the goals refer to
# these), and with the same loop in the job. callgrind counts instructions if valgrind is installed.
# Lines `goal WHAT plus|times LIMIT` and `goal WHAT mpi LIMIT` give the goals: ns over the floor,
# times the floor, times MPI. Printed by node.awk.

node_job() { # UNITS ROUNDS
  measured "$build/bin/eyotrun" --fabric mpi -n "$1" "$bin/bench_node" "$2" | grep '^value'
}

# node_instructions WHAT: prints the instructions of a thousand iterations of unit 0's loop, with its callees. valgrind cannot map
# the program's data over, which these loops do not use.
node_instructions() {
  rm -f "$bin"/callgrind.node.*
  "$build/bin/eyotrun" --fabric mpi -n 2 --data off valgrind --tool=callgrind --toggle-collect="count_$2" --callgrind-out-file="$bin/callgrind.node.%p" "$bin/bench_node" count "$1" \
    >"$bin/stderr" 2>&1 || { say "callgrind did not run"; tail -n 5 "$bin/stderr" >&2; return 1; }
  cat "$bin"/callgrind.node.* | awk '/^(summary|totals):/ { if ($2 > most) most = $2 } END { print most + 0 }'
}

node_count() {
  command -v valgrind >/dev/null || { say "valgrind is not installed: instructions are not counted"; return 0; }
  nothing=$(node_instructions nothing nothing) || return 1
  for what in put:puts get:gets flush:flushes fetch_add:adds; do
    all=$(node_instructions "${what%%:*}" "${what##*:}") || return 1
    echo "value ${what%%:*}_instructions count instructions $(echo "$all $nothing" | awk '{ printf "%.1f", ($1 - $2) / 1000 }')"
  done
}

suite_node() {
  i=0
  while [ $i -lt "$rounds" ]; do
    node_job 2 31 || return 1
    shmem_run 2 node 31
    for units in 4 8; do node_job $units 7 || return 1; done
    i=$((i + 1))
  done
  node_count || return 1
  for what in put_8B put_local_8B put_data_8B get_8B put_nbi_8B put_nbi_and_flush set_put_8B set_put_and_flush get_nbi_8B put_4KiB 1000_puts_and_flush fetch_add compare_swap accumulate_xor accumulate_xor_nbi barrier barrier_of_4 barrier_of_8 barrier_of_4_in_job barrier_of_8_in_job flag_trip flag_trip_4B lock_alone_mcs lock_alone_ticket lock_contended_mcs \
    lock_contended_ticket allocate_1MiB \
    allocate_1MiB_zeroed; do
    for way in eyot again mpi shmem; do echo "reference ${what}_$way time ${what}_floor"; done
  done
  cat <<'END'
goal put_8B plus 3
goal put_local_8B plus 3
goal put_data_8B plus 3
goal get_8B plus 2
goal put_nbi_8B plus 3
goal put_nbi_and_flush -
goal set_put_8B -
goal set_put_and_flush -
goal get_nbi_8B plus 3
goal put_4KiB -
goal 1000_puts_and_flush times 2
goal fetch_add times 2
goal compare_swap times 2
goal accumulate_xor -
goal accumulate_xor_nbi -
goal barrier times 1.5
goal barrier mpi 0.3333
goal barrier_of_4 times 1.3
goal barrier_of_8 times 1.3
goal barrier_of_4_in_job -
goal barrier_of_8_in_job -
goal flag_trip times 1.2
goal flag_trip_4B times 1.2
goal lock_alone_mcs times 3
goal lock_alone_ticket times 3
goal lock_contended_mcs -
goal lock_contended_ticket times 2
goal allocate_1MiB times 3
goal allocate_1MiB_zeroed -
END
}
