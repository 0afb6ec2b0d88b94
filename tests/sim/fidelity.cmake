# What the simulator says beside published figures (bench/fidelity), small: within the bounds of the tables, and exact virtual times.
if(TARGET bench_fompi AND TARGET bench_cost AND TARGET bench_heat_rows AND TARGET bench_opbench)
  foreach(engine fiber simgrid)
    if(engine STREQUAL simgrid AND EYOT_SANITIZE)
      continue()
    endif()
    foreach(machine xe6 xc40 cab)
      set(test sim.fidelity_${machine}.${engine})
      add_test(NAME ${test} COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/fidelity.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR} ${machine} ${engine})
      set_tests_properties(${test} PROPERTIES TIMEOUT 120 LABELS sim)
    endforeach()
  endforeach()
endif()

# Words of an accumulate of an array stay atomic each, in one posting (xe6) and in several.
eyot_test_program(array_words array_words.c)
foreach(order strict rdma chaos)
  eyot_sim_test(array_words.${order} PROGRAM array_words UNITS 5 SEEDS 10 OPTIONS --order ${order} --platform xe6 --units-per-node 1)
endforeach()
eyot_sim_test(array_words.xc40 PROGRAM array_words UNITS 64 PASSES "^ok$")
foreach(strategy random pct)
  eyot_check_passes(array_words.${strategy} 3 ${strategy} 300 ${EYOT_TEST_BIN}/array_words 3 2)
endforeach()

# The ways of communication of the examples on cab, in the order in which their source has them.
if(TARGET bench_minimd_face)
  add_test(NAME sim.apps_cab COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/apps_cab.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  set_tests_properties(sim.apps_cab PROPERTIES TIMEOUT 120 LABELS sim)
  set_property(GLOBAL APPEND PROPERTY EYOT_MORE_WHEN_PLAIN sim.apps_cab) # benchmarks are built there alone
endif()
