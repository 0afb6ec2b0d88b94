# What loads SimGrid, and what does not.
add_test(NAME sim.simgrid_loaded COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/simgrid_loaded.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
add_test(NAME sim.info_file COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/info_file.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
set_tests_properties(sim.simgrid_loaded sim.info_file PROPERTIES TIMEOUT 120 LABELS sim)
if(NOT EYOT_SANITIZE)
  set_tests_properties(sim.simgrid_loaded PROPERTIES ENVIRONMENT SIMGRID=1)
endif()
