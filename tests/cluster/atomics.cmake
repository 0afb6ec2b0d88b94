# Atomics of jobs of several nodes (EYOT_ATOMICS): the same words changed from within the owner's node and from others, at the same time.
set(EYOT_TEST_BIN ${CMAKE_BINARY_DIR}/tests/bin) # where eyot_test_program (tests/sim) puts programs
eyot_test_program(atomics_mix atomics_mix.c)
target_include_directories(atomics_mix PRIVATE ${CMAKE_SOURCE_DIR}/tests)

set(rounds_mpi 1) # each message is slow
set(rounds_owner 3)
foreach(way mpi owner)
  foreach(node_size 1 2)
    set(how NODE_SIZE ${node_size} OPTIONS --progress 1 --atomics ${way})
    if(way STREQUAL mpi) # owner is the default: progress.cmake
      eyot_mpi_test(atomics.${way}.conformance.nodes${node_size} PROGRAM conformance UNITS 4 ${how} ARGS --rounds 2)
    endif()
    foreach(target all waits computes)
      eyot_mpi_test(atomics.${way}.mix.${target}.nodes${node_size} PROGRAM atomics_mix UNITS 4 ${how} ARGS ${rounds_${way}} ${target} PASSES "^ok$")
    endforeach()
    eyot_mpi_test(atomics.${way}.mapped.nodes${node_size} PROGRAM mapped UNITS 4 ${how} PASSES "^ok$" ENV EYOT_LOG=silent)
  endforeach()
endforeach()
# Bounds: two operations in flight, and more progress processes; the engine off.
eyot_mpi_test(atomics.owner.bounds PROGRAM conformance UNITS 3 NODE_SIZE 2 OPTIONS --progress 2 --progress-bytes 1 --atomics owner ARGS --rounds 5
  ENV EYOTI_MPI_CHUNK_BYTES=1000 EYOT_MAX_OUTSTANDING=2)
# Signals that are queued behind bytes, while the engine takes no transfer.
eyot_mpi_test(atomics.owner.queued PROGRAM conformance UNITS 4 NODE_SIZE 2 OPTIONS --progress 1 --atomics owner ARGS --rounds 5 ENV EYOT_MAX_OUTSTANDING=2)
eyot_mpi_test(atomics.owner.mix.bounds PROGRAM atomics_mix UNITS 4 NODE_SIZE 2 OPTIONS --progress 2 --progress-bytes 1 --atomics owner ARGS 1 all PASSES "^ok$"
  ENV EYOT_MAX_OUTSTANDING=1000)
eyot_mpi_test(atomics.none.mix PROGRAM atomics_mix UNITS 4 NODE_SIZE 2 ARGS 1 all PASSES "^ok$")
eyot_mpi_test(atomics.node.mix PROGRAM atomics_mix UNITS 4 OPTIONS --progress 1 --atomics owner ARGS 1 all PASSES "^ok$")
# What is built on words, half by the processor and half by messages: locks, teams, barriers, notified access, epochs.
include(${CMAKE_SOURCE_DIR}/tests/support/lock_kinds.cmake)
foreach(kind IN LISTS LOCK_KINDS)
  set(shared)
  if(LOCK_SHARED IN_LIST lock_has_${kind})
    set(shared shared=60 whole=30)
  endif()
  eyot_mpi_test(atomics.owner.lock.${kind} PROGRAM sync_lock UNITS 4 NODE_SIZE 2 OPTIONS --progress 1 --atomics owner
    ARGS ${kind} rounds=50 locks=2 nest=20 tries=10 timed=20 timeout=100000 node=3 group=2 readers_max=2 writers_max=2 ${shared} PASSES "^ok$")
endforeach()
set(how UNITS 4 NODE_SIZE 2 OPTIONS --progress 1 --atomics owner)
eyot_mpi_test(atomics.owner.teams PROGRAM sync_team ${how} ARGS rounds=30 PASSES "^ok$")
eyot_mpi_test(atomics.owner.barrier PROGRAM barrier ${how} ARGS nodes 20 PASSES "^ok$" ENV EYOT_LOG=silent)
eyot_mpi_test(atomics.owner.split PROGRAM split ${how} ARGS mcs 3 PASSES "^ok$")
eyot_mpi_test(atomics.owner.dynamic PROGRAM dynamic ${how} ARGS model notify 2 8 4 PASSES "^ok$" ENV EYOT_LOG=silent)
foreach(program notify pscw api_tour)
  eyot_mpi_test(atomics.owner.${program} PROGRAM ${program} ${how} PASSES "^ok$" ENV EYOT_LOG=silent)
endforeach()

add_test(NAME mpi.atomics.start COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/atomics_start.sh ${CMAKE_BINARY_DIR}/bin ${CMAKE_BINARY_DIR}/tests/bin ${EYOT_MPIEXEC})
set_tests_properties(mpi.atomics.start PROPERTIES TIMEOUT 120 LABELS cluster PROCESSORS 2)
