# The pictures of failing runs: eyotcheck --mermaid and --svg.
eyot_test_program(pictures pictures.c)
eyot_test_program(osh_unordered ${CMAKE_SOURCE_DIR}/tests/openshmem/unordered.c)
target_link_libraries(osh_unordered PRIVATE eyot-shmem)
if(NOT EYOT_SANITIZE) # under which runs cannot be taken back
  add_test(NAME sim.pictures COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/pictures.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  set_tests_properties(sim.pictures PROPERTIES TIMEOUT 120 LABELS sim SKIP_RETURN_CODE 77)
endif()
