# The race detector behind both engines: what must be reported, in every run, and what must not.
eyot_test_program(check_race check_race.c)
eyot_test_program(check_flag check_flag.c)
eyot_test_program(race_begun race_begun.c)

# must.sh: the exit code is not 0 (pass: 0), and the output matches. With time, and under eyotcheck.
function(eyot_race_test name want timed explored)
  set(program check_race)
  set(case ${name})
  if(name MATCHES "^flag_(.*)")
    set(program check_flag)
    set(case ${CMAKE_MATCH_1})
  elseif(name MATCHES "^begun_(.*)")
    set(program race_begun)
    set(case ${CMAKE_MATCH_1})
  endif()
  set(must sh ${CMAKE_SOURCE_DIR}/tests/support/must.sh ${want})
  add_test(NAME sim.check_race.${name}.time COMMAND ${must} "${timed}" $<TARGET_FILE:eyotrun> --fabric sim --races --order chaos --seeds 20 -n 3 ${EYOT_TEST_BIN}/${program} ${case})
  set_tests_properties(sim.check_race.${name}.time PROPERTIES TIMEOUT 120 LABELS sim)
  if(EYOT_SANITIZE)
    return() # runs are not taken back under sanitizers
  endif()
  add_test(NAME sim.check_race.${name} COMMAND ${must} "${explored}" $<TARGET_FILE:eyotcheck> -n 3 --runs 300 --detect race --no-shrink --save ${CMAKE_CURRENT_BINARY_DIR}/check_race.${name}.run
                                               ${EYOT_TEST_BIN}/${program} ${case})
  set_tests_properties(sim.check_race.${name} PROPERTIES TIMEOUT 120 LABELS sim)
endfunction()

foreach(case put_flush_ok put_signal_ok put_then_signal_ok order_ok chain_ok atomics_ok bytes_ok store_sync_ok get_done_ok puts_order_ok handle_ok slot_ok counter_read_ok handover_ok
             readers_ok cpu_ok sum_ok cas_ok teams_ok flag_put_ok flag_order_ok flag_upper_ok flag_halves_ok flag_neighbor_ok flag_counts_ok flag_chain_ok flag_lists_ok flag_short_ok
             begun_receive_ok begun_barrier_ok begun_count_ok begun_split_ok begun_inside_ok begun_inside_split_ok)
  eyot_race_test(${case} pass "20 runs, seeds 1..20: all passed" "300 runs.*; 0 failed")
endforeach()

# CASE;the two calls, in either order; what they are.
foreach(pair
    "put_put;eyot_put;eyot_put;put of 8 bytes .*put of 8 bytes"
    "put_get;eyot_(put|get);eyot_(put|get);8 bytes"
    "put_barrier;eyot_put_nbi;eyot_get;(had not seen it complete|was complete for its unit only)"
    "put_local;eyot_put_nbi;eyot_get;(had not seen it complete|was complete for its unit only)"
    "put_unordered;eyot_(put_nbi|check_reads);eyot_(put_nbi|check_reads);load"
    "order_elsewhere;eyot_put_nbi;eyot_get;(had not seen it complete|was complete for its unit only)"
    "atomic_put;eyot_(put|fetch_add_u64);eyot_(put|fetch_add_u64);atomic of 8 bytes"
    "signal_put;eyot_put;eyot_put;signal"
    "store_unsynced;eyot_(check_writes|get);eyot_(check_writes|get);(no full barrier|store of 8 bytes)"
    "store_get;eyot_(check_writes|get);eyot_(check_writes|get);store"
    "get_overwritten;eyot_get_nbi;eyot_check_writes;get of 8 bytes"
    "puts_of_one;eyot_put_nbi;eyot_put_nbi;no eyot_order separates"
    "source_written;eyot_put;eyot_put;reading of its source"
    "result_read;eyot_get;eyot_get;writing of its result"
    "signal_of_another;eyot_put_nbi;eyot_check_reads;(neither its own signal nor an order|was complete for its unit only)"
    "bytes_overlap;eyot_put;eyot_put;offset [0-9]+ of the memory .* .1 byte."
    "chain_broken;eyot_put_nbi;eyot_check_reads;(had not seen it complete|was complete for its unit only)"
    "set_replaces;eyot_(put|get);eyot_(put|get);8 bytes"
    "cas_fails;eyot_(put|get);eyot_(put|get);8 bytes"
    "atomic_reads;eyot_(put|get);eyot_(put|get);8 bytes"
    "not_fetched;eyot_(put|get);eyot_(put|get);8 bytes"
    "flag_unordered;eyot_(put_nbi|check_reads);eyot_(put_nbi|check_reads);load"
    "flag_polled;eyot_(put|cpu_load);eyot_(put|cpu_load);8 bytes"
    "flag_got;eyot_(put|get);eyot_(put|get);get of 8 bytes|put of 8 bytes"
    "flag_other_half;eyot_(put|check_reads);eyot_(put|check_reads);load"
    "flag_longer;eyot_(put|wait_until);eyot_(put|wait_until);put of 16 bytes|wait"
    "flag_unaligned;eyot_(put|wait_until);eyot_(put|wait_until);put of 8 bytes|wait"
    "flag_mixed;eyot_(put|fetch_add_u64);eyot_(put|fetch_add_u64);atomic of 8 bytes"
    "flag_two_puts;eyot_put;eyot_put;put of 8 bytes"
    "begun_inside;eyot_(put|recv_nb);eyot_(put|recv_nb);put of 8 bytes"
    "begun_unordered;eyot_(put|get);eyot_(put|get);8 bytes")
  list(GET pair 0 case)
  list(GET pair 1 first)
  list(GET pair 2 second)
  list(GET pair 3 text)
  set(line "race: unit . in ${first}[a-z_]* .(check_race|check_flag|race_begun).c:[0-9]+ .*unit . in ${second}[a-z_]* .(check_race|check_flag|race_begun).c:[0-9]+ .*(${text})")
  eyot_race_test(${case} fail "${line}" "failed: ${line}")
endforeach()
