# Observers of a world: all are told of all, and none changes the run. It runs a program, which brings libeyot.so; so the core is that one.
add_executable(observers ${CMAKE_SOURCE_DIR}/tests/unit/sim/observers.c $<TARGET_OBJECTS:eyot-fabric-sim> $<TARGET_OBJECTS:eyot_check>)
eyot_link_machine_code(observers)
target_include_directories(observers PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
target_link_libraries(observers PRIVATE eyot eyot_flags ${BOOST_CONTEXT_LIBRARY} ${CMOCKA_LIBRARY} ${CMAKE_DL_LIBS} m)
set_target_properties(observers PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/unit)
add_test(NAME sim.observers COMMAND observers ${EYOT_TEST_BIN}/barrier)
set_tests_properties(sim.observers PROPERTIES TIMEOUT 120 LABELS sim)
