# Are the virtual times of collectives consistent with each other, and is the choice of an algorithm near the best? Plain builds only: the numbers are the same everywhere.
if(TARGET bench_coll_scale AND NOT EYOT_SANITIZE AND NOT EYOT_COVERAGE)
  add_test(NAME sim.coll_gates COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/coll_gates.sh $<TARGET_FILE:eyotrun> $<TARGET_FILE:bench_coll_scale>
                                      ${CMAKE_SOURCE_DIR}/tests/baseline/coll-gates.tsv)
  set_tests_properties(sim.coll_gates PROPERTIES TIMEOUT 120 LABELS sim)
  add_test(NAME sim.coll_choice COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/coll_choice.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR} xc40:3,24,72 cab:17 xe6:33)
  set_tests_properties(sim.coll_choice PROPERTIES TIMEOUT 120 LABELS sim)
  add_test(NAME sim.coll_info COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/coll_info.sh ${CMAKE_BINARY_DIR})
  set_tests_properties(sim.coll_info PROPERTIES TIMEOUT 120 LABELS sim)
  set_property(GLOBAL APPEND PROPERTY EYOT_MORE_WHEN_PLAIN sim.coll_gates sim.coll_choice sim.coll_info sim.coll_rounds_nodeagg)
  # One round, three and eight, on nodes of which the last has one unit; the program verifies each call.
  add_test(NAME sim.coll_rounds_nodeagg COMMAND eyotrun --fabric sim -n 37 --platform xc40:cores=6 --order chaos --coll allgather:0-:nodeagg --shared-globals
                                                $<TARGET_FILE:bench_coll_scale> allgather:2656:2 allgather:2664:2 allgather:8192:3)
  set_tests_properties(sim.coll_rounds_nodeagg PROPERTIES TIMEOUT 120 LABELS sim)
  add_test(NAME sim.coll_choice.full COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/coll_choice.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  set_tests_properties(sim.coll_choice.full PROPERTIES TIMEOUT 3600 LABELS full)
endif()
