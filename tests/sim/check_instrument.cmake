# Programs compiled with eyotcc --instrument, by both compilers. The program is built by the script, in several ways.
if(NOT EYOT_SANITIZE) # under which runs cannot be taken back
  foreach(compiler gcc clang)
    add_test(NAME sim.check_instrument.${compiler} COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/check_instrument.sh ${CMAKE_BINARY_DIR}/bin ${compiler})
    set_tests_properties(sim.check_instrument.${compiler} PROPERTIES TIMEOUT 180 LABELS sim SKIP_RETURN_CODE 77)
  endforeach()
endif()
