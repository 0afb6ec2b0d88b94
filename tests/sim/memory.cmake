# Memory of a unit is O(1) in the number of units.
eyot_test_program(memory_growth memory_growth.c)
if(NOT EYOT_SANITIZE) # whose allocators keep other books
  add_test(NAME sim.memory_growth COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/memory_growth.sh $<TARGET_FILE:eyotrun> ${EYOT_TEST_BIN}/memory_growth)
  set_tests_properties(sim.memory_growth PROPERTIES TIMEOUT 240 LABELS sim)
endif()

# Complete operations free their entries.
eyot_test_program(puts_pass_long_get puts_pass_long_get.c)
foreach(engine fiber simgrid)
  eyot_sim_test(puts_pass_long_get.${engine} PROGRAM puts_pass_long_get UNITS 3 OPTIONS --engine ${engine} --platform xc40 --units-per-node 1)
endforeach()
