# eyotcheck from the command line: what it refuses, and programs that misbehave; a failing run under gdb.
eyot_test_program(check_cli check_cli.c)
if(NOT EYOT_SANITIZE) # under which runs cannot be taken back
  add_test(NAME sim.check_cli COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/check_cli.sh $<TARGET_FILE:eyotcheck> ${EYOT_TEST_BIN}/check_cli ${CMAKE_BINARY_DIR}/examples/hello)
  set_tests_properties(sim.check_cli PROPERTIES TIMEOUT 300 LABELS sim)
  add_test(NAME sim.check_gdb COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/check_gdb.sh $<TARGET_FILE:eyotcheck> ${EYOT_TEST_BIN}/check_cli)
  set_tests_properties(sim.check_gdb PROPERTIES TIMEOUT 120 LABELS sim SKIP_RETURN_CODE 77)
endif()
# Options without the value that they need.
add_test(NAME sim.no_value COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/no_value.sh ${CMAKE_BINARY_DIR})
set_tests_properties(sim.no_value PROPERTIES TIMEOUT 60 LABELS sim)
# Every exit code of the table, and its page.
set(exit_codes_build)
if(EYOT_SANITIZE)
  set(exit_codes_build sanitized)
endif()
add_test(NAME sim.exit_codes COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/exit_codes.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR} ${exit_codes_build})
set_tests_properties(sim.exit_codes PROPERTIES TIMEOUT 120 LABELS sim)
if(EYOT_SANITIZE)
  set_tests_properties(sim.exit_codes PROPERTIES ENVIRONMENT ASAN_OPTIONS=${EYOT_ASAN_OPTIONS}:detect_leaks=0)
endif()
if(NOT EYOT_SANITIZE)
  add_test(NAME sim.ci_reports COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/ci_reports.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  set_tests_properties(sim.ci_reports PROPERTIES TIMEOUT 120 LABELS sim SKIP_RETURN_CODE 77)
endif()

add_test(NAME sim.limits COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/limits.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
set_tests_properties(sim.limits PROPERTIES TIMEOUT 60 LABELS sim)
