# Deadlocks, lost wake-ups and livelocks: what the reports say. With lines of the program, whatever the build type.
eyot_test_program(standstill standstill.c)
target_compile_options(standstill PRIVATE -g)
add_executable(standstill_dot ${CMAKE_SOURCE_DIR}/tests/programs/standstill_dot.c)
target_link_libraries(standstill_dot PRIVATE eyot_flags)
set_target_properties(standstill_dot PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/unit)
add_test(NAME sim.standstill COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/standstill.sh $<TARGET_FILE:eyotrun> ${EYOT_TEST_BIN}/standstill $<TARGET_FILE:standstill_dot>)
set_tests_properties(sim.standstill PROPERTIES TIMEOUT 120 LABELS sim)
if(EYOT_SANITIZE)
  # A run that ends in the middle frees nothing.
  set_tests_properties(sim.standstill PROPERTIES ENVIRONMENT ASAN_OPTIONS=${EYOT_ASAN_OPTIONS}:detect_leaks=0)
endif()
