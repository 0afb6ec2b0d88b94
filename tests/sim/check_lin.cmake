# Histories of shared objects, judged by eyotcheck: what is right passes (exhaustively where that ends in seconds), what is wrong is refuted by its history alone.
eyot_test_program(check_lin check_lin.c)
eyot_sim_test(check_lin.elsewhere PROGRAM check_lin UNITS 3 ARGS bad)
if(EYOT_SANITIZE)
  return() # runs are not taken back under sanitizers
endif()

# must.sh: the exit code is not 0 (pass: 0), and the output matches.
function(eyot_lin_test name want regex)
  add_test(NAME sim.check_lin.${name} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/support/must.sh ${want} "${regex}" $<TARGET_FILE:eyotcheck> --units-per-node 1 --save ${CMAKE_CURRENT_BINARY_DIR}/check_lin.${name}.run ${ARGN})
  set_tests_properties(sim.check_lin.${name} PROPERTIES TIMEOUT 120 LABELS sim)
endfunction()

set(program ${EYOT_TEST_BIN}/check_lin)
foreach(case lock_own register queue_ticket set map)
  eyot_lin_test(${case}.all pass "all [0-9]+ interleavings explored.*" -n 3 --strategy exhaustive ${program} ${case})
endforeach()
include(${CMAKE_SOURCE_DIR}/tests/support/lock_kinds.cmake)
lock_kinds_with(kinds LOCK_ONE_UNIT)
list(TRANSFORM kinds PREPEND lock_)
foreach(case IN LISTS kinds ITEMS lock_timed queue_lock pending bad)
  eyot_lin_test(${case} pass "3000 runs.*; 0 failed$" -n 3 --runs 3000 ${program} ${case})
endforeach()

eyot_lin_test(hard fail "1 runs.*; 0 failed; 1 undecided.*|histories of 1 of 1 runs are undecided" -n 1 --runs 1 ${program} hard)
eyot_lin_test(cut fail "failed: register .it.: not linearizable" -n 2 --detect=-race --runs 100 --max-run 200 ${program} register_cut)

# Words that are put and read at the same time are what is wrong with some of them, and races would be found first.
foreach(pair
    "lock_wrong;lock .it.: not linearizable: no place for try_acquire.. -> (ok|taken) by unit"
    "register_wrong;register .it.: not linearizable: no place for (fetch_add.1.|read..) -> [01] by unit"
    "queue_unlocked;queue .it.: not linearizable: no place for (enqueue|dequeue)"
    "queue_early;queue .it.: not linearizable: no place for dequeue.. -> 0 by unit 0"
    "queue_unseen;queue .it.: not linearizable: no place for dequeue.. -> empty by unit 0"
    "queue_empty;queue .it.: not linearizable: no place for dequeue.. -> empty by unit 0"
    "set_wrong;set .it., key [15]: not linearizable: no place for (add|contains)"
    "map_wrong;map .it., key 1: not linearizable: no place for get.1. -> 0 by unit")
  list(GET pair 0 case)
  list(GET pair 1 regex)
  eyot_lin_test(${case} fail "run [0-9]+ failed: ${regex}" -n 3 --detect=-race --runs 20000 --seed 1 ${program} ${case})
endforeach()
add_test(NAME sim.check_lin.replay COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/check_lin.sh $<TARGET_FILE:eyotcheck> ${program})
set_tests_properties(sim.check_lin.replay PROPERTIES TIMEOUT 120 LABELS sim)
