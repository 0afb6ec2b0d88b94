# The program's data as a segment, of a program for both fabrics, and of ordinary executables with and without a fixed address.
foreach(node_size 0 1 2)
  eyot_mpi_test(data.n4.node${node_size} PROGRAM data UNITS 4 NODE_SIZE ${node_size} PASSES "^ok$" ENV EYOT_LOG=silent)
endforeach()
# a node of two units, and a node of one, which moves nothing
eyot_mpi_test(data.n3.node2 PROGRAM data UNITS 3 NODE_SIZE 2 PASSES "^ok$" ENV EYOT_LOG=silent)
eyot_mpi_test(data.n1 PROGRAM data UNITS 1 PASSES "^ok$" ENV EYOT_LOG=silent)
eyot_mpi_test(data.progress PROGRAM data UNITS 2 NODE_SIZE 1 PASSES "^ok$" OPTIONS --progress 1 ENV EYOT_LOG=silent)
eyot_mpi_test(data.off PROGRAM data UNITS 2 ARGS off OPTIONS --data off ENV EYOT_LOG=silent)
eyot_mpi_test(data.norelro PROGRAM data_norelro UNITS 3 NODE_SIZE 2 PASSES "^ok$" ENV EYOT_LOG=silent)
eyot_mpi_test(data.words PROGRAM data UNITS 2 FAILS "error: eyot_data_gptr: 0x[0-9a-f]+ is not in the program.s data: it is on the stack" OPTIONS --errors abort)

foreach(kind pie fixed)
  add_executable(data_${kind} ${CMAKE_SOURCE_DIR}/tests/programs/data.c ${CMAKE_SOURCE_DIR}/tests/programs/data_cxx.cpp)
  target_include_directories(data_${kind} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(data_${kind} PRIVATE eyot eyot_flags)
  set_target_properties(data_${kind} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${EYOT_TEST_BIN})
  eyot_mpi_test(data.${kind} PROGRAM data_${kind} UNITS 2 PASSES "^ok$" ENV EYOT_LOG=silent)
endforeach()
target_compile_options(data_pie PRIVATE -fPIE)
target_link_options(data_pie PRIVATE -pie)
target_compile_options(data_fixed PRIVATE -fno-pie)
target_link_options(data_fixed PRIVATE -no-pie)

if(TARGET eyot-fabric-mpi)
  add_test(NAME mpi.data.two_programs COMMAND sh ${CMAKE_SOURCE_DIR}/tests/support/must.sh fail "units run different programs" ${EYOT_MPIEXEC} -genv EYOT_LOG warn
           -n 1 ${EYOT_TEST_BIN}/data_pie : -n 1 ${EYOT_TEST_BIN}/data_fixed)
  set_tests_properties(mpi.data.two_programs PROPERTIES TIMEOUT 60 LABELS cluster PROCESSORS 2)
endif()
