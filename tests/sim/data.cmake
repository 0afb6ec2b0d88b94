# The program's data as a segment: each unit's own copy of the globals.
eyot_test_program(data data.c data_cxx.cpp)
# As programs outside the project are linked: the first object does not begin a page, tables of the linker lie before it. (Among the libraries, because these
# come after the options of eyot_flags.)
eyot_test_program(data_norelro data.c data_cxx.cpp)
target_link_libraries(data_norelro PRIVATE -Wl,-z,norelro)
eyot_sim_test(data.norelro PROGRAM data_norelro UNITS 3 PASSES "^ok$" ENV EYOT_LOG=silent)
foreach(engine fiber simgrid)
  eyot_sim_test(data.${engine} PROGRAM data UNITS 5 OPTIONS --engine ${engine} PASSES "^ok$" ENV EYOT_LOG=silent)
endforeach()
eyot_sim_test(data.chaos PROGRAM data UNITS 3 OPTIONS --order chaos SEEDS 10 PASSES "all passed" ENV EYOT_LOG=silent)
eyot_sim_test(data.one_copy PROGRAM data UNITS 2 OPTIONS --shared-globals ARGS off)
eyot_sim_test(data.words PROGRAM data UNITS 2 FAILS "error: eyot_data_gptr: 0x[0-9a-f]+ is not in the program.s data: it is on the stack" OPTIONS --errors abort)
# Messages name the object.
eyot_sim_test(data.late PROGRAM data UNITS 2 ARGS late FAILS "static \"flag\" .8 bytes, data.c." ENV EYOT_LOG=warn)
eyot_sim_test(data.race PROGRAM data UNITS 2 ARGS race OPTIONS --races FAILS "global \"exported\" .8 bytes.")
if(NOT EYOT_SANITIZE) # under which runs cannot be taken back
  set(must sh ${CMAKE_SOURCE_DIR}/tests/support/must.sh)
  add_test(NAME sim.data.check.race COMMAND ${must} fail "global \"exported\"" $<TARGET_FILE:eyotcheck> -n 2 --runs 50 --detect race --no-shrink
                                            --save ${CMAKE_CURRENT_BINARY_DIR}/data.race.run ${EYOT_TEST_BIN}/data race)
  add_test(NAME sim.data.check.wrong COMMAND ${must} fail "the bytes came after the signal" $<TARGET_FILE:eyotcheck> -n 2 --strategy exhaustive
                                             --save ${CMAKE_CURRENT_BINARY_DIR}/data.wrong.run ${EYOT_TEST_BIN}/data wrong)
  add_test(NAME sim.data.check.clean COMMAND ${must} pass " 0 failed" $<TARGET_FILE:eyotcheck> -n 2 --runs 100 --detect race,deadlock,range
                                             ${EYOT_TEST_BIN}/data)
  foreach(test race wrong clean)
    set_tests_properties(sim.data.check.${test} PROPERTIES TIMEOUT 120 LABELS sim ENVIRONMENT "EYOT_LOG=silent")
  endforeach()
endif()
