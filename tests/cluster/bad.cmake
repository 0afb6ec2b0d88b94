# Bad input and misuse over MPI: the programs of tests/sim/bad.cmake, not rebuilt. Memory that no CPU here sees is checked only if asked for.
eyot_mpi_test(bad_pointer_node0 PROGRAM bad_pointer UNITS 2 OPTIONS --log silent PASSES "^ok$")
eyot_mpi_test(bad_pointer_node1 PROGRAM bad_pointer UNITS 2 NODE_SIZE 1 OPTIONS --log silent --check PASSES "^ok$")
foreach(node_size 0 1)
  eyot_mpi_test(bad_call.mismatch_node${node_size} PROGRAM bad_call UNITS 2 NODE_SIZE ${node_size} ARGS mismatch PASSES "this one passed 101 bytes")
  eyot_mpi_test(bad_call.heap_node${node_size} PROGRAM bad_call UNITS 2 NODE_SIZE ${node_size} ARGS heap OPTIONS --heap-size 1M --heap-max 4M PASSES "some heap is full; raise EYOT_HEAP_MAX")
  eyot_mpi_test(bad_call.collective_node${node_size} PROGRAM bad_call UNITS 2 NODE_SIZE ${node_size} ARGS collective PASSES "called eyot_broadcast with root 1")
endforeach()
eyot_mpi_test(bad_call.before PROGRAM bad_call ARGS before PASSES "eyot_barrier: called before eyot_init")
eyot_mpi_test(bad_call.after PROGRAM bad_call ARGS after PASSES "eyot_barrier: called after eyot_finalize")
eyot_mpi_test(bad_call.twice PROGRAM bad_call ARGS twice PASSES "eyot_init was called before")
eyot_mpi_test(bad_call.argument PROGRAM bad_call ARGS argument PASSES "comparison 9 does not exist, expected")
eyot_mpi_test(bad_end.raise PROGRAM bad_end ARGS raise FAILS "^")
eyot_mpi_test(bad_end.trap PROGRAM engine_fail ARGS trap FAILS "unit 1. aborts the run with code 7: the test wants it; its last operation was eyot_barrier, in phase before")
if(NOT EYOT_SANITIZE) # which catches faults itself
  eyot_mpi_test(bad_end.segv PROGRAM engine_fail ARGS segv FAILS "unit 1. has crashed with SIGSEGV .*its last operation was eyot_barrier, in phase before")
  eyot_mpi_test(bad_end.stack PROGRAM engine_fail NODE_SIZE 1 ARGS stack FAILS "unit 1. has crashed with SIGSEGV .*its last operation was eyot_barrier")
endif()

if(TARGET eyot-fabric-mpi) # it tells of MPICH
  add_test(NAME mpi.bad_start COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/bad_start.sh ${CMAKE_BINARY_DIR}/bin ${CMAKE_BINARY_DIR}/tests/bin ${EYOT_MPIEXEC})
  set_tests_properties(mpi.bad_start PROPERTIES TIMEOUT 120 LABELS cluster PROCESSORS 2)
endif()
