# Time and memory of many units: bench/bench_scale.c, verified; bytes a unit are gated.
eyot_test_program(scale ../../bench/bench_scale.c)
foreach(engine fiber simgrid)
  eyot_sim_test(scale.${engine} PROGRAM scale UNITS 300 OPTIONS --engine ${engine} PASSES "^phase split ")
endforeach()
eyot_sim_test(scale.dense PROGRAM scale UNITS 4500 OPTIONS --shared-globals ARGS alloc ring PASSES "^phase ring ")
# Of more than 65,536 units the default heap is smaller, so that heaps share page tables.
eyot_sim_test(scale.heap_many PROGRAM scale UNITS 65537 OPTIONS --shared-globals --log info ARGS start PASSES "symmetric heap has 1044480 bytes a unit, because there are 65537")
if(NOT EYOT_SANITIZE AND NOT EYOT_COVERAGE) # other stacks, other allocators
  add_test(NAME sim.scale_memory COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/scale_memory.sh $<TARGET_FILE:eyotrun> ${EYOT_TEST_BIN}/scale 4608 12416)
  set_tests_properties(sim.scale_memory PROPERTIES TIMEOUT 300 LABELS sim)
  set_property(GLOBAL APPEND PROPERTY EYOT_MORE_WHEN_PLAIN sim.scale_memory)
endif()
