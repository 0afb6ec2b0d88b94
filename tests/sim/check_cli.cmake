# eyotcheck from the command line: what it refuses, and programs that misbehave; a failing run under gdb.
eyot_test_program(check_cli check_cli.c)
if(NOT EYOT_SANITIZE) # under which runs cannot be taken back
  add_test(NAME sim.check_cli COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/check_cli.sh $<TARGET_FILE:eyotcheck> ${EYOT_TEST_BIN}/check_cli ${CMAKE_BINARY_DIR}/examples/hello)
  set_tests_properties(sim.check_cli PROPERTIES TIMEOUT 300 LABELS sim)
  add_test(NAME sim.check_gdb COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/check_gdb.sh $<TARGET_FILE:eyotcheck> ${EYOT_TEST_BIN}/check_cli)
  set_tests_properties(sim.check_gdb PROPERTIES TIMEOUT 120 LABELS sim SKIP_RETURN_CODE 77)
endif()
