# The race detectors on a few hundred cases: each race with both lines, and nothing else. The program is generated and compiled by the script.
if(NOT EYOT_SANITIZE) # under which runs cannot be taken back
  # Under eyotcheck a sample of the cases; .full: all of them.
  add_test(NAME sim.buffers COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/buffers.sh ${CMAKE_BINARY_DIR}/bin 8)
  if(NOT EYOT_COVERAGE)
    add_test(NAME sim.buffers.full COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/buffers.sh ${CMAKE_BINARY_DIR}/bin 1)
    set_tests_properties(sim.buffers.full PROPERTIES TIMEOUT 600 LABELS full)
  endif()
  set_tests_properties(sim.buffers PROPERTIES TIMEOUT 180 LABELS sim)
  add_test(NAME sim.suppress COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/suppress.sh ${CMAKE_BINARY_DIR}/bin)
  set_tests_properties(sim.suppress PROPERTIES TIMEOUT 120 LABELS sim)
endif()
