# Atomics of jobs of several nodes (EYOT_ATOMICS): the same words changed from within the owner's node and from others, at the same time.
set(EYOT_TEST_BIN ${CMAKE_BINARY_DIR}/tests/bin) # where eyot_test_program (tests/sim) puts programs
eyot_test_program(atomics_mix ${CMAKE_CURRENT_LIST_DIR}/atomics_mix.c)
target_include_directories(atomics_mix PRIVATE ${CMAKE_SOURCE_DIR}/tests/sim)

foreach(way mpi owner)
  foreach(node_size 1 2)
    set(how NODE_SIZE ${node_size} OPTIONS --progress 1 --atomics ${way})
    eyot_mpi_test(atomics.${way}.conformance.nodes${node_size} PROGRAM conformance UNITS 4 ${how} ARGS --rounds 5)
    foreach(target all waits computes)
      eyot_mpi_test(atomics.${way}.mix.${target}.nodes${node_size} PROGRAM atomics_mix UNITS 4 ${how} ARGS 3 ${target} PASSES "^ok$")
    endforeach()
    eyot_mpi_test(atomics.${way}.near.nodes${node_size} PROGRAM near UNITS 4 ${how} PASSES "^ok$" ENV EYOT_LOG=silent)
  endforeach()
endforeach()
# Bounds: two operations in flight, and more progress processes; the engine off.
eyot_mpi_test(atomics.owner.bounds PROGRAM conformance UNITS 3 NODE_SIZE 2 OPTIONS --progress 2 --progress-bytes 1 --atomics owner ARGS --rounds 5
  ENV EYOTI_MPI_CHUNK_BYTES=1000 EYOT_MAX_OUTSTANDING=2)
eyot_mpi_test(atomics.owner.mix.bounds PROGRAM atomics_mix UNITS 4 NODE_SIZE 2 OPTIONS --progress 2 --progress-bytes 1 --atomics owner ARGS 2 all PASSES "^ok$"
  ENV EYOT_MAX_OUTSTANDING=1000)
eyot_mpi_test(atomics.none.mix PROGRAM atomics_mix UNITS 4 NODE_SIZE 2 ARGS 2 all PASSES "^ok$")
eyot_mpi_test(atomics.node.mix PROGRAM atomics_mix UNITS 4 OPTIONS --progress 1 --atomics owner ARGS 2 all PASSES "^ok$")
