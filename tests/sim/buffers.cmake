# The race detectors on a few hundred cases: each race with both lines, and nothing else. The program is generated and compiled by the script.
if(NOT EYOT_SANITIZE) # under which runs cannot be taken back
  add_test(NAME sim.buffers COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/buffers.sh ${CMAKE_BINARY_DIR}/bin)
  set_tests_properties(sim.buffers PROPERTIES TIMEOUT 180 LABELS sim)
  add_test(NAME sim.suppress COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/suppress.sh ${CMAKE_BINARY_DIR}/bin)
  set_tests_properties(sim.suppress PROPERTIES TIMEOUT 120 LABELS sim)
endif()
